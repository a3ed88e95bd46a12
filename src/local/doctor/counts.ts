/** Counts the rows of tenants that have a fault: stored totals and documents that differ from their rows, and failed work. */
import type pg from 'pg'
import { type Check, fail, type Problem, warn } from '../cli/checks.ts'
import { amount } from '../cli/output.ts'
import { findTenant } from '../tenant/stored.ts'

/** Which rows each total counts. */
const counted: Readonly<Record<string, string>> = {
  products: `products where status <> 'ARCHIVED'`,
  categories: 'categories where true',
  collections: 'collections where true',
  option_values: 'option_values where true',
  metaobject_definitions: 'metaobject_definitions where true',
  metaobjects: 'metaobjects where true',
  metaobjects_active: `metaobjects where status = 'ACTIVE'`,
  campaigns: 'campaigns where true',
  sale_offers: `sale_offers where status <> 'ARCHIVED'`,
  purchase_offers: `purchase_offers where status <> 'ARCHIVED'`,
  markets: 'markets where true',
  search_synonyms: 'search_synonyms where true',
  webhook_subscriptions: 'webhook_subscriptions where true',
}

/**
 * Selects the totals of the tenants `$1` that differ from their rows: tenant_id, name, stored, counted. Collections whose products
 * are still being sorted are left out.
 */
export const wrongTotals = `
  with found as (
    ${Object.entries(counted)
      .map(
        ([name, from]) =>
          `select tenant_id, '${name}' as name, count(*) as total from ${from} and tenant_id = any($1) group by tenant_id`,
      )
      .join('\n    union all ')}
    union all
    select c.tenant_id, 'collection:' || c.collection_id, count(*)
      from product_collections c join products p on p.tenant_id = c.tenant_id and p.id = c.product_id
     where c.tenant_id = any($1) and p.status <> 'ARCHIVED' group by c.tenant_id, c.collection_id
  ), stored as (
    select tenant_id, name, total from tenant_totals
     where tenant_id = any($1) and (name = any('{${Object.keys(counted).join()}}') or name like 'collection:%')
  )
  select coalesce(f.tenant_id, s.tenant_id) as tenant_id, coalesce(f.name, s.name) as name,
         coalesce(s.total, 0) as stored, coalesce(f.total, 0) as counted
    from found f full join stored s on s.tenant_id = f.tenant_id and s.name = f.name
   where coalesce(f.total, 0) <> coalesce(s.total, 0)
     and not exists (select from collection_rebuilds r where r.tenant_id = coalesce(f.tenant_id, s.tenant_id)
                        and 'collection:' || r.id = coalesce(f.name, s.name))`

const offersOf = (table: string) => `
  (select tenant_id, variant_id, count(*)::int as count from ${table}
    where tenant_id = any($1) and status <> 'ARCHIVED' group by tenant_id, variant_id)`

/** Selects the variants of the tenants `$1` whose counts of offers differ from their offers: tenant_id, id. */
export const wrongVariants = `
  select v.tenant_id, v.id from variants v
    left join ${offersOf('sale_offers')} as s on s.tenant_id = v.tenant_id and s.variant_id = v.id
    left join ${offersOf('purchase_offers')} as p on p.tenant_id = v.tenant_id and p.variant_id = v.id
   where v.tenant_id = any($1)
     and (v.sale_offer_count <> coalesce(s.count, 0) or v.purchase_offer_count <> coalesce(p.count, 0))`

/**
 * Selects the products of the tenants `$1` that searches cannot find in one of the tenant's locales: tenant_id, id. Locales that
 * are being added or removed are left out.
 */
export const unindexedProducts = `
  select p.tenant_id, p.id
    from tenants t
    join products p on p.tenant_id = t.id
   where t.id = any($1) and exists (
     select from unnest(t.locales) as l(locale)
      where not exists (select from locale_changes c where c.tenant_id = t.id and c.locale = l.locale)
        and not exists (select from product_search s
                         where s.tenant_id = t.id and s.product_id = p.id and s.locale = l.locale))`

/** Tables with stored documents, and whether a column repeats the status of the document. */
const documents: Readonly<Record<string, boolean>> = {
  products: true,
  variants: true,
  product_options: false,
  option_values: false,
  categories: false,
  collections: false,
  metaobject_definitions: false,
  metaobjects: true,
  campaigns: false,
  sale_offers: true,
  purchase_offers: true,
  markets: false,
  search_synonyms: false,
  webhook_subscriptions: false,
}

const brokenDocuments = Object.entries(documents)
  .map(
    ([table, hasStatus]) => `select tenant_id, id, '${table}' as name from ${table}
      where tenant_id = any($1) and case when document is json object
        then document::json ->> 'id' is distinct from id::text
             ${hasStatus ? `or document::json ->> 'status' is distinct from status` : ''}
        else true end`,
  )
  .join('\n  union all ')

type Counted = {
  readonly owner: pg.ClientBase
  /** The tenant that is counted; undefined for all. */
  readonly tenant: string | undefined
}

/** Tenants that are named at most, the worst first. */
const mostNamed = 3

/** A check that counts rows with a fault. `sql` selects tenant_id and `name`, the place of a fault, for the tenants `$1`. */
function countCheck(name: string, { sql, what, none, advice, state = 'fail' }: CountedFault): Check<Counted> {
  return {
    name,
    advice: advice('TENANT'),
    async run({ owner, tenant }) {
      const ids = await tenantIds(owner, tenant)
      try {
        const { rows } = await owner.query<{ host: string; count: number; name: string }>(
          `select t.host, count(*)::int as count, min(w.name) as name from (${sql}) as w
             join tenants t on t.id = w.tenant_id group by t.host order by count desc, t.host`,
          [ids],
        )
        const [worst] = rows
        if (!worst) return none
        const total = rows.reduce((sum, { count }) => sum + count, 0)
        const named = rows.slice(0, mostNamed).map(({ host, count, name }) => `${host} (${count}: ${name})`)
        const others =
          rows.length > mostNamed ? `, and ${amount(rows.length - mostNamed, 'other tenant')}` : ''
        return [{ state, seen: `${total} × ${what}: ${named.join(', ')}${others}`, next: advice(worst.host) }]
      } catch (error) {
        return [uncounted(error)]
      }
    },
  }
}

type CountedFault = {
  readonly sql: string
  readonly what: string
  readonly none: string
  readonly advice: (host: string) => string
  readonly state?: 'warn' | 'fail'
}

function uncounted(error: unknown): Problem {
  const code = Reflect.get(Object(error), 'code')
  // `is json` is of Postgres 16.
  if (code === '42601')
    return warn('not looked at: only this check needs Postgres 16', 'The service works without it.')
  if (code !== '57014') throw error
  const next = 'npm run doctor -- --tenant TENANT looks at one tenant.'
  return warn('not counted: it takes longer than 30 s', next)
}

async function tenantIds(owner: pg.ClientBase, tenant: string | undefined): Promise<string[]> {
  if (tenant !== undefined) return [(await findTenant(owner, tenant)).id]
  const { rows } = await owner.query<{ id: string }>('select id from tenants order by host')
  return rows.map(({ id }) => id)
}

const recount = (host: string) => `npm run recount -- --tenant ${host}`

/** The checks that count rows of tenants. */
export const countChecks: readonly Check<Counted>[] = [
  countCheck('given up', {
    state: 'warn',
    sql: `select tenant_id, 'delivery ' || id as name from webhook_deliveries
           where tenant_id = any($1) and status = 'FAILED' and completed_at > now() - interval '1 day'`,
    what: 'delivery failed in a day',
    none: 'no delivery in a day',
    advice: () => 'Find delivery_given_up in the log; the subscriber can retry or replay it.',
  }),
  countCheck('disabled', {
    state: 'warn',
    sql: `select tenant_id, 'subscription ' || id as name from webhook_subscriptions
           where tenant_id = any($1) and status = 'DISABLED'`,
    what: 'subscription is disabled',
    none: 'no subscription',
    advice: () => 'Inform the subscriber: status ACTIVE resumes it, and replay sends what it missed.',
  }),
  countCheck('totals', {
    sql: `select tenant_id, name || ' has ' || counted || ' rows and says ' || stored as name from (${wrongTotals}) as wrong`,
    what: 'total differs from the rows',
    none: 'each total is the number of its rows',
    advice: recount,
  }),
  countCheck('offer counts', {
    sql: `select tenant_id, 'variant ' || id as name from (${wrongVariants}) as wrong`,
    what: 'variant counts other offers than it has',
    none: 'each variant counts the offers that it has',
    advice: recount,
  }),
  countCheck('search', {
    sql: `select tenant_id, 'product ' || id as name from (${unindexedProducts}) as missing`,
    what: 'product is missing in the search index',
    none: 'each product is in the search index, in every locale',
    advice: recount,
  }),
  countCheck('documents', {
    sql: `select tenant_id, name || ' ' || id as name from (${brokenDocuments}) as broken`,
    what: 'stored document is not JSON, or differs from its row',
    none: 'each is JSON, with the id and the status of its row',
    advice: (host) =>
      `Restore the document of the row from a backup, or a whole export into a new tenant; ${host} answers invalid JSON meanwhile.`,
  }),
  { name: 'stored parts', advice: recount('TENANT'), run: comparedParts },
]

/** How many products and categories of each tenant are compared, those that changed last. */
const compared = 200

/** Compares stored parts with rows, tenant by tenant. */
async function comparedParts({ owner, tenant }: Counted) {
  const tenants = await owner.query<{ id: string; host: string }>(
    'select id, host from tenants where id = any($1) order by host',
    [await tenantIds(owner, tenant)],
  )
  let products = 0
  for (const { id, host } of tenants.rows) {
    await owner.query(`select set_config('app.tenant', $1, true)`, [id])
    const { rows } = await owner.query<{ outdated: number; products: number }>(
      `with compared as (
         select array(select id from products where tenant_id = $1 order by updated_at desc limit $2) as products,
                array(select id from categories where tenant_id = $1 order by updated_at desc limit $2) as categories
       )
       select cardinality(products) as products, (select count(*)::int from outdated_parts(products, categories)) as outdated
         from compared`,
      [id, compared],
    )
    const [{ outdated, products: found } = { outdated: 0, products: 0 }] = rows
    if (outdated > 0) {
      const seen = `of ${host}, ${amount(outdated, 'stored row')} of products or categories is not what the rows say`
      return [fail(seen, recount(host))]
    }
    products += found
  }
  return `those of ${amount(products, 'product')} are what the rows say`
}
