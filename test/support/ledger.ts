import type pg from 'pg'
import { kinds } from '../../src/resources/events/topics.ts'
import { resources } from '../../src/resources/index.ts'
import { saleOffers, termNames } from '../../src/resources/offers/table.ts'
import { connected, databaseUrls } from './database.ts'
import type { Shop } from './shop.ts'

/** The tables of what events are about. */
const tables = Object.keys(kinds)

/** Those of them that are listed by themselves: their rows are counted as a total. */
const countedTables = Object.values(kinds).flatMap(({ name, shape }) =>
  resources.some(({ operations }) =>
    operations.some(
      ({ method, path }) => method === 'GET' && path === shape.collection && !path.includes('{'),
    ),
  )
    ? [name]
    : [],
)

/** Whether a row `r` of any table is archived; false where its kind is never archived. */
const isArchived = `coalesce(to_jsonb(r) ->> 'status' = 'ARCHIVED', false)`

/** Whether a condition `r` of a rule holds for a product `p`: what src/resources/collections/rules.ts says, in another language. */
const holds = `
  with v(text) as (
    select p.title where r.field = 'title'
    union all select p.vendor where r.field = 'vendor' and p.vendor is not null
    union all select p.product_type where r.field = 'productType' and p.product_type is not null
    union all select p.status where r.field = 'status'
    union all select t.tag from product_tags t where r.field = 'tag' and t.tenant_id = $1 and t.product_id = p.id
    union all select h.channel from product_channels h where r.field = 'channel' and h.tenant_id = $1 and h.product_id = p.id
    union all select '/api/categories/' || g.category_id from product_categories g
      where r.field = 'category' and g.tenant_id = $1 and g.product_id = p.id
  )
  select case r.operator
    when 'EQUALS' then exists (select from v where lower(v.text) = lower(r.value))
    when 'NOT_EQUALS' then not exists (select from v where lower(v.text) = lower(r.value))
    when 'CONTAINS' then exists (select from v where strpos(lower(v.text), lower(r.value)) > 0)
    when 'NOT_CONTAINS' then not exists (select from v where strpos(lower(v.text), lower(r.value)) > 0)
    when 'STARTS_WITH' then exists (select from v where starts_with(lower(v.text), lower(r.value)))
    when 'ENDS_WITH' then exists (select from v where starts_with(reverse(lower(v.text)), reverse(lower(r.value))))
    when 'BEFORE' then p.created_at < r.value::timestamptz
    when 'AFTER' then p.created_at > r.value::timestamptz
  end`

/** Rules of a tenant's rows after any history of writes: each query selects the faults, one text a row. */
const rules: Readonly<Record<string, string>> = {
  'sequences are 1, 2, 3 … up to the clock': `
    select format('%s events, sequences %s to %s, clock at %s, %s in gaps', count(e.*), min(e.sequence), max(e.sequence), c.sequence, g.size)
      from tenant_clock c left join events e using (tenant_id)
     cross join (select coalesce(sum(first_sequence - 1 - last_sequence), 0) as size from tenant_epochs where tenant_id = $1) g
     where c.tenant_id = $1 group by c.sequence, g.size
    having count(e.*) + g.size <> c.sequence or coalesce(max(e.sequence), 0) <> c.sequence`,
  'times ascend with the sequence': `
    select format('sequence %s', sequence) from (
      select sequence, occurred_at, lag(occurred_at) over (order by sequence) as before from events where tenant_id = $1
    ) e where occurred_at <= before`,
  'versions of a resource are 1, 2, 3 …': `
    select format('%s %s at sequence %s has version %s, not %s', kind, resource_id, sequence, resource_version, n) from (
      select *, row_number() over (partition by kind, resource_id order by sequence) as n from events where tenant_id = $1
      and effective_at is null and kind <> 'bulk_operations'
    ) e where resource_version <> n`,
  'no handle or batch made an event twice': `
    select format('%s %s version %s', kind, resource_id, resource_version) from events where tenant_id = $1
      and effective_at is null group by kind, resource_id, resource_version having count(*) > 1`,
  'the positions of options are 0, 1, 2 …': gapless('product_options', 'product_id'),
  'the positions of values are 0, 1, 2 …': gapless('option_values', 'option_id'),
  'the positions of active variants are 0, 1, 2 …': gapless(
    'variants',
    'product_id',
    "and status = 'ACTIVE'",
  ),
  'the positions of categories are 0, 1, 2 …': gapless('categories', 'parent_id'),
  'the category tree has no cycle, and levels count the ancestors': `
    with recursive down(id, depth) as (
      select id, 0 from categories where tenant_id = $1 and parent_id is null
      union all
      select c.id, down.depth + 1 from down join categories c on c.tenant_id = $1 and c.parent_id = down.id
    )
    select format('category %s has level %s, is at depth %s', c.id, c.level, coalesce(down.depth::text, 'none: a cycle'))
      from categories c left join down using (id) where c.tenant_id = $1 and c.level is distinct from down.depth`,
  'active variants alone hold their values': `
    select format('variant %s', v.id) from variants v where tenant_id = $1 and
      array(select option_value_id from variant_option_values l where l.tenant_id = $1 and l.variant_id = v.id order by 1)
        <> case when status = 'ACTIVE' then array(select unnest(option_value_ids) order by 1) else '{}' end`,
  'variants count their offers': ['sale', 'purchase']
    .map(
      (kind) => `
    select format('variant %s counts %s ${kind} offers', v.id, v.${kind}_offer_count) from variants v
     where tenant_id = $1 and v.${kind}_offer_count <> (
       select count(*) from ${kind}_offers r where r.tenant_id = $1 and r.variant_id = v.id and not ${isArchived})`,
    )
    .join(' union all '),
  'totals count the rows': `
    select format('%s: total %s, rows %s', r.name, coalesce(t.total, 0), counted) from (
      ${countedTables
        .map(
          (table) =>
            `select '${table}' as name, count(*) as counted from ${table} r where tenant_id = $1 and not ${isArchived}`,
        )
        .join(' union all ')}
      union all select 'collection:' || c.id, (
        select count(*) from product_collections m join products p on p.tenant_id = $1 and p.id = m.product_id
         where m.tenant_id = $1 and m.collection_id = c.id and p.status <> 'ARCHIVED'
      ) from collections c where tenant_id = $1
    ) r left join tenant_totals t on t.tenant_id = $1 and t.name = r.name where coalesce(t.total, 0) <> counted`,
  'collections by rules hold the products that meet them, once none is being sorted': `
    select format('collection %s and product %s: the rules say %s', c.id, p.id, w.wanted)
      from collections c join products p on p.tenant_id = $1
     cross join lateral (
       select p.status <> 'ARCHIVED' and case c.rules ->> 'match' when 'ALL' then bool_and(h.holds) else bool_or(h.holds) end as wanted
         from jsonb_to_recordset(c.rules -> 'conditions') as r(field text, operator text, value text)
        cross join lateral (${holds}) as h(holds)
     ) w
     where c.tenant_id = $1 and c.rules is not null
       and not exists (select from collection_rebuilds b where b.tenant_id = $1 and b.id = c.id)
       and w.wanted <> exists (select from product_collections m
         where m.tenant_id = $1 and m.collection_id = c.id and m.product_id = p.id)`,
  'of a deleted collection only rows of unsent events remain': `
    select format('product %s in %s', m.product_id, m.collection_id) from product_collections m
     where m.tenant_id = $1 and m.collection_id not in (select id from collections where tenant_id = $1)
       and m.collection_id not in (select id from collection_rebuilds where tenant_id = $1)
    union all
    select name from tenant_totals where tenant_id = $1 and name like 'collection:%'
       and substr(name, 12)::uuid not in (select id from collections where tenant_id = $1)
       and substr(name, 12)::uuid not in (select id from collection_rebuilds where tenant_id = $1)`,
  'keys are complete': `
    select format('key %s has no stamps', key) from idempotency_keys where tenant_id = $1 and stamps is null`,
  'recorded terms of sale offers equal the offers': `
    select format('offer %s, version %s', o.id, o.version) from sale_offers o left join sale_offer_terms t
        on t.tenant_id = $1 and t.sale_offer_id = o.id and t.known_until = 'infinity'
     where o.tenant_id = $1 and row(${termsOf('o')}) is distinct from row(${termsOf('t')})`,
  'terms were recorded without gaps, each by an event that the next one ended': `
    select format('offer %s from %s', sale_offer_id, known_from) from (
      select t.*, lag(known_until) over own as before, lag(ended_by) over own as ended_before,
             lag(row(${termsOf('t')})) over own is not distinct from row(${termsOf('t')}) as repeated
        from sale_offer_terms t where tenant_id = $1 window own as (partition by sale_offer_id order by known_from)
    ) t where before <> known_from or ended_before <> recorded_by or repeated or not exists (
      select from events e where e.tenant_id = $1 and e.kind = 'sale_offers' and e.id = recorded_by
         and e.resource_id = sale_offer_id and e.occurred_at = known_from
         and (before is not null or e.topic = 'sale_offer/created'))`,
  'boundaries of recorded terms have one event each, in order, with the offer as it was then': `
    with own as (
      select b.at, b.topic, t.sale_offer_id as offer from sale_offer_terms t
       cross join lateral (values (t.valid_until, 'sale_offer/ended'), (t.valid_from, 'sale_offer/started')) as b(at, topic)
       where t.tenant_id = $1 and t.status = 'ACTIVE' and b.at > t.known_from and b.at <= t.known_until
    ), announced as (
      select e.effective_at as at, e.topic, e.resource_id as offer, e.sequence, e.occurred_at, e.resource_version, e.document,
             lag(row(e.effective_at, e.topic, e.resource_id)) over (order by e.sequence) as before
        from events e where e.tenant_id = $1 and e.kind = 'sale_offers' and e.effective_at is not null
    )
    select format('%s of %s at %s is not announced', topic, offer, at) from own
     where exists (select from sale_offer_boundaries b where b.tenant_id = $1
                    and (own.at, own.topic, own.offer) <= (b.recorded_at, b.recorded_topic, b.recorded_offer))
       and not exists (select from announced where announced.at = own.at and announced.topic = own.topic and announced.offer = own.offer)
    union all
    select format('%s of %s at %s is announced at sequence %s', topic, offer, at, sequence) from announced
     where before >= row(at, topic, offer) or occurred_at < at or document is null
        or not exists (select from own where announced.at = own.at and announced.topic = own.topic and announced.offer = own.offer)
        or resource_version <> (select max(e.resource_version) from events e where e.tenant_id = $1 and e.kind = 'sale_offers'
             and e.resource_id = announced.offer and e.sequence < announced.sequence)`,
  ...Object.fromEntries(
    tables.map((table) => [
      `${table} are stamped by their last event`,
      `select format('%s version %s of %s, last event: version %s of %s', r.id, r.version, r.updated_at, e.version, e.at)
         from ${table} r left join (
           select resource_id, max(resource_version) as version, max(occurred_at) as at from events
            where tenant_id = $1 and kind = '${table}' and effective_at is null group by resource_id
         ) e on e.resource_id = r.id
        where r.tenant_id = $1 and (r.version is distinct from e.version or r.updated_at is distinct from e.at)`,
    ]),
  ),
}

/** The terms of a sale offer and its variant, from a row of its table or from its recorded terms. */
function termsOf(row: string): string {
  const columns = ['variant_id', ...termNames.map((name) => saleOffers[name].name)]
  return columns.map((column) => `${row}.${column}`).join(', ')
}

function gapless(table: string, parent: string, condition = ''): string {
  return `select format('%s under %s is at %s, not %s', id, ${parent}, position, n) from (
    select *, row_number() over (partition by ${parent} order by position, id) - 1 as n
      from ${table} where tenant_id = $1 ${condition}) t where position <> n`
}

/** The faults in a shop's books, each with the rule that it breaks; empty when every change has its event, version and place. */
export async function faultsIn(shop: Shop): Promise<string[]> {
  return owner(async (client) => {
    const { rows } = await client.query<{ rule: string; fault: string }>(everyRule, [
      shop.tenant.id,
      Object.keys(rules),
    ])
    return rows.map(({ rule, fault }) => `${rule}: ${fault}`)
  })
}

/** All checks in one statement: tests that check after every change run it a thousand times. */
const everyRule = Object.values(rules)
  .map((query, index) => `select ($2::text[])[${index + 1}] as rule, fault from (${query}) as found(fault)`)
  .join(' union all ')

export type Recorded = { sequence: number; topic: string; id: string; version: number; changes: unknown }

/** A shop's events in their order. */
export async function eventsOf(shop: Shop): Promise<Recorded[]> {
  return owner(async (client) => {
    const { rows } = await client.query<Recorded>(
      `select sequence::float8, topic, resource_id as id, resource_version as version, changes
         from events where tenant_id = $1 order by sequence`,
      [shop.tenant.id],
    )
    return rows
  })
}

/** Runs queries as the database's owner, whom row security does not bind. */
export function owner<Result>(ask: (client: pg.Client) => Promise<Result>): Promise<Result> {
  return connected(databaseUrls().ownerUrl, ask)
}

/** Subscribes a tenant to changed prices. Without a URL, the deliveries are never made. */
export const subscribeToPrices = (tenantId: string) =>
  owner((client) =>
    client.query(
      `insert into webhook_subscriptions (tenant_id, id, version, topic, status, secret, scopes, document)
       values ($1, gen_random_uuid(), 1, 'price/changed', 'ACTIVE', 'v1.none', '{}', '{}')`,
      [tenantId],
    ),
  )
