/** A tenant of any size in seconds: products are made through the API once, and their rows are copied within Postgres. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

/** Asks the service in the name of a host's tenant: answers the parsed JSON, throws for anything but success. */
export type Call = (
  host: string,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
) => Promise<FilledMember>

type FilledMember = { readonly member: readonly { readonly '@id': string }[] }

export type FillOptions = {
  /** The owner of the database; `app.tenant` is set on it. */
  readonly owner: Client
  readonly call: Call
  /** The empty tenant to fill, and the tenant whose categories and collections are copied. */
  readonly tenant: FilledTenant
  readonly scratch: FilledTenant
  /** A multiple of `templates`. */
  readonly products: number
  /** Variants of each product, with two sale offers each: a price, and one that is a reduction in days to come. */
  readonly variants?: number
  readonly onProgress?: (done: number) => void
}

/** Not a UUIDv7: a copy must not look like a new id. */
export type FilledTenant = { readonly id: string; readonly host: string }

/** The number of products that are created through the API: each is the template of its copies. */
export const templates = 200
const categories = 200
const tops = 20

/** The beginning of what categories and collections get as ids. */
const shared = 'c0c0c0'

/**
 * Fills a tenant with products in 200 categories (20 at the top, each with nine below) and two collections, and leaves the tables
 * as autovacuum would. Titles, handles, SKUs and external ids name the product's number; vendors, types, tags and barcodes
 * repeat. All are translated to French. Events are not copied. No other test may use the database meanwhile.
 */
export async function fill(options: FillOptions): Promise<void> {
  const { owner, call, tenant, scratch, products, variants = 5, onProgress = () => {} } = options
  if (products % templates !== 0) throw new Error(`products: a multiple of ${templates}`)
  await idsBeginAlike()
  const categoryIris = await makeShared(options)
  const prefix = await prefixOf(owner, scratch, 'categories')
  const iris = categoryIris.map((iri) => iri.replace(prefix, shared))
  const above = ['categories', 'collections', 'collection_rules', 'tenant_totals']
  await keepTemplates(owner, scratch, above)
  await copy(owner, above, { from: scratch, to: tenant, prefix, tokens: [shared] })
  const owned = await present(owner, belongings)
  const mark = await makeTemplates({ call, tenant, variants, categoryIris: iris })
  await refreshParts(owner, 'category', 'categories', tenant)
  const own = await prefixOf(owner, tenant, 'products')
  await keepTemplates(owner, tenant, owned)
  const each = products / templates
  const chunk = Math.max(1, Math.floor(20_000 / (templates * variants)))
  await owner.query(`begin; set local synchronous_commit = off; set local maintenance_work_mem = '256MB'`)
  const rebuild = await withoutIndexes(owner, owned)
  for (let at = 1; at < each; at += chunk) {
    const tokens = Array.from({ length: Math.min(chunk, each - at) }, (_, index) => hex(at + index))
    await copy(owner, owned, { from: tenant, to: tenant, prefix: own, mark, tokens })
    onProgress((at + tokens.length) * templates)
  }
  await rebuild()
  await owner.query(
    `update tenant_totals set total = total * $2
      where tenant_id = $1 and (name in ('products', 'option_values', 'sale_offers') or name like 'collection:%')`,
    [tenant.id, each],
  )
  await owner.query('commit')
  // The work of autovacuum, which would run later on the measured processors.
  await vacuumed(owner, [...owned, 'categories', 'collections'])
  await refreshParts(owner, 'product', 'products', tenant)
  await vacuumed(
    owner,
    await present(owner, ['product_parts', 'product_values', 'category_parts', 'tenant_totals']),
  )
}

/** Writes the same products through the API alone, for a tenant that has their events as well. */
export async function write({
  call,
  tenant,
  products,
}: Pick<FillOptions, 'call' | 'tenant' | 'products'>): Promise<void> {
  const categoryIris = await makeShared({ call, scratch: tenant })
  for (let made = 0; made < products; made += templates)
    await makeTemplates({ call, tenant, variants: 5, categoryIris })
}

/** How many rows are refreshed in one statement. */
const refreshedAtOnce = 500

/** Stores the parts of copied rows, which no write has refreshed; an earlier commit has none. */
async function refreshParts(
  owner: Client,
  kind: 'product' | 'category',
  table: 'products' | 'categories',
  tenant: FilledTenant,
): Promise<void> {
  if ((await present(owner, [`${kind}_parts`])).length === 0) return
  await session(owner, tenant)
  const { rows } = await owner.query<{ id: string }>(`select id from ${table} where tenant_id = $1`, [
    tenant.id,
  ])
  const ids = rows.map(({ id }) => id)
  for (let at = 0; at < ids.length; at += refreshedAtOnce) {
    await owner.query(`select refresh_${kind}_parts($1)`, [ids.slice(at, at + refreshedAtOnce)])
  }
}

/**
 * Vacuums tables whose rows were only just committed: before that is on disk, VACUUM marks no page as all-visible.
 * It is repeated while an older transaction, such as one of the work after a response, keeps pages from being all-visible.
 * Concurrent inserts can leave empty pages, which only VACUUM FULL removes.
 */
export async function vacuumed(owner: Client, tables: readonly string[]): Promise<void> {
  await owner.query('set synchronous_commit = on')
  let left: readonly string[] = tables
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt === 30) throw new Error(`VACUUM left pages that are not all-visible: ${left.join(', ')}`)
    if (attempt % 10 === 0) for (const table of left) await owner.query(`vacuum (full) ${table}`)
    // Also what VACUUM commits between two tables.
    await owner.query(`select pg_logical_emit_message(true, 'fill', '')`)
    await owner.query(`vacuum (analyze) ${left.join(', ')}`)
    const { rows } = await owner.query<{ name: string }>(
      'select relname as name from pg_class where oid = any($1::regclass[]) and relallvisible < relpages',
      [tables],
    )
    left = rows.map(({ name }) => name)
    if (left.length > 0) await sleep(200)
  }
  await owner.query('reset synchronous_commit')
}

/**
 * Drops the foreign keys of products and the indexes that hold no constraint; answers how to make them again, which costs less for all
 * rows than for each. Within the transaction, so that no other ever sees the tables without.
 */
async function withoutIndexes(owner: Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await owner.query<{ drop: string; make: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
       from pg_constraint where contype = 'f' and conrelid = any($1::regclass[])
     union all
     select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
       from pg_index i where indrelid = any($1::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  )
  for (const { drop } of rows) await owner.query(drop)
  return async () => {
    // Indexes first: they are what foreign keys are checked by.
    for (const { make } of rows.toReversed()) await owner.query(make)
  }
}

/** Tables of products' parts, each after the tables that it refers to; an earlier commit lacks some of it. */
const belongings = [
  'products',
  'product_tags',
  'product_channels',
  'product_categories',
  'product_collections',
  'product_options',
  'option_values',
  'variants',
  'variant_option_values',
  'sale_offers',
  'sale_offer_terms',
  'product_search',
]

/** The existing ones among some tables. */
async function present(owner: Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    'select name from unnest($1::text[]) with ordinality as b(name, place) where to_regclass(name) is not null order by place',
    [tables],
  )
  return rows.map(({ name }) => name)
}

const hex = (n: number) => n.toString(16).padStart(6, '0')

async function makeShared({ call, scratch }: Pick<FillOptions, 'call' | 'scratch'>): Promise<string[]> {
  const post = async (bodies: readonly object[]) => {
    const iris: string[] = []
    for (let at = 0; at < bodies.length; at += 50) {
      const { member } = await call(scratch.host, 'POST', '/api/categories', bodies.slice(at, at + 50))
      iris.push(...member.map((each) => each['@id']))
    }
    return iris
  }
  const above = await post(Array.from({ length: tops }, (_, index) => ({ title: `Department ${index}` })))
  const below = await post(
    Array.from({ length: categories - tops }, (_, index) => ({
      title: `Shelf ${index}`,
      parent: above[index % tops],
    })),
  )
  await call(scratch.host, 'POST', '/api/collections', {
    title: 'On sale',
    type: 'RULE_BASED',
    rules: { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'sale' }] },
  })
  await call(scratch.host, 'POST', '/api/collections', {
    title: 'Everything',
    type: 'RULE_BASED',
    rules: { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'sample' }] },
  })
  return below
}

/** Makes the templates and returns the mark in their texts, which copies replace by a product's number. */
async function makeTemplates({
  call,
  tenant,
  variants,
  categoryIris,
}: Pick<FillOptions, 'call' | 'tenant'> & {
  readonly variants: number
  readonly categoryIris: readonly string[]
}): Promise<string> {
  const mark = `q${randomBytes(4).toString('hex')}q`
  const sizes = Array.from({ length: variants }, (_, size) => `Size ${size}`)
  for (let at = 0; at < templates; at += 20) {
    const bodies = Array.from({ length: 20 }, (_, index) =>
      productBody(at + index, mark, sizes, categoryIris),
    )
    const { member } = await call(tenant.host, 'POST', '/api/products', bodies)
    const translate = async ({ '@id': iri }: { readonly '@id': string }, index: number) =>
      call(tenant.host, 'PUT', `${iri}/translations`, { translations: translationsOf(at + index, mark) })
    // More writers at once than a tenant may have would wait, and on a busy machine be refused.
    for (let first = 0; first < member.length; first += 5)
      await Promise.all(member.slice(first, first + 5).map((each, index) => translate(each, first + index)))
  }
  const offers = await offersFor(call, tenant)
  for (let at = 0; at < offers.length; at += 100) {
    await call(tenant.host, 'POST', '/api/sale_offers', offers.slice(at, at + 100))
  }
  return mark
}

const nouns = ['Lamp', 'Chair', 'Table', 'Mug', 'Shirt', 'Rug', 'Clock', 'Vase']
const frenchNouns = ['Lampe', 'Chaise', 'Table', 'Tasse', 'Chemise', 'Tapis', 'Horloge', 'Vase']
const description = 'Made of something good, in a place that is nice, by people who like what they do. '
const frenchDescription = 'Fait de bonnes choses, dans un bel endroit, par des gens qui aiment leur travail. '

const textsOf = (n: number, mark: string) => ({
  title: `${nouns[n % nouns.length]} ${mark}${n}`,
  description: `${description.repeat(3)} Number ${n}.`,
})

function translationsOf(n: number, mark: string) {
  const title = `${frenchNouns[n % frenchNouns.length]} ${mark}${n}`
  const french = { title, description: `${frenchDescription.repeat(3)} Nombre ${n}.` }
  return { 'en-US': textsOf(n, mark), 'fr-FR': french }
}

/** A GTIN-13 of a template's variant: its copies share it. */
function barcodeOf(n: number, variant: number): string {
  const digits = String(200_000_000_000 + n * 100 + variant)
  const sum = [...digits].reduce((all, digit, place) => all + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function productBody(n: number, mark: string, sizes: readonly string[], categoryIris: readonly string[]) {
  return {
    ...textsOf(n, mark),
    handle: `product-${mark}-${n}`,
    externalId: `erp-${mark}-${n}`,
    status: 'ACTIVE',
    channels: ['web', n % 2 === 0 ? 'store' : 'outlet'],
    tags: ['sample', `group-${n % 100}`, ...(n % 10 === 0 ? ['sale'] : [])],
    vendor: `Vendor ${n % 25}`,
    productType: `Type ${n % 40}`,
    categories: [categoryIris[n % categoryIris.length], categoryIris[(n * 7 + 3) % categoryIris.length]],
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.map((size, index) => ({
      sku: `SKU-${mark}-${n}-${index}`,
      barcode: barcodeOf(n, index),
      optionValues: [{ option: 'Size', value: size }],
    })),
  }
}

/** When a filled tenant's prices in the channel `web`, in France and Germany, are reduced. */
export const reducedFrom = '2099-12-01T00:00:00Z'
const reduction = {
  channel: 'web',
  countries: ['FR', 'DE'],
  compareAtAmount: '24.90',
  validFrom: reducedFrom,
}

async function offersFor(call: Call, tenant: FilledTenant): Promise<object[]> {
  const offers: object[] = []
  for (let page = 1; page <= templates / 100; page += 1) {
    const found = await call(tenant.host, 'GET', `/api/products?itemsPerPage=100&page=${page}`)
    const products = found.member as readonly { readonly variants?: readonly { readonly '@id': string }[] }[]
    for (const { variants = [] } of products) {
      for (const { '@id': variant } of variants) {
        offers.push({ variant, currency: 'EUR', amount: '19.90' })
        offers.push({ variant, currency: 'EUR', amount: '17.90', ...reduction })
      }
    }
  }
  return offers
}

/** Milliseconds in which UUIDv7 have the same six digits in front. */
const prefixLasts = 2 ** 24
/** The deadline of making templates, in milliseconds. */
const makingTakes = 60_000

/** Waits where ids would begin otherwise before all templates are made: once in some four hours and a half, for a minute. */
async function idsBeginAlike(): Promise<void> {
  const left = prefixLasts - (Date.now() % prefixLasts)
  if (left < makingTakes) await sleep(left)
}

async function prefixOf(owner: Client, tenant: FilledTenant, table: string): Promise<string> {
  await session(owner, tenant)
  const { rows } = await owner.query<{ prefix: string }>(
    `select distinct left(id::text, 6) as prefix from ${table} where tenant_id = $1`,
    [tenant.id],
  )
  const [row, another] = rows
  if (!row || another) throw new Error(`${table}: ids begin differently; fill again`)
  return row.prefix
}

async function session(owner: Client, { id }: FilledTenant): Promise<void> {
  await owner.query(`select set_config('app.tenant', $1, false), set_config('timezone', 'UTC', false)`, [id])
}

/** Keeps a tenant's rows as lines of text. */
async function keepTemplates(owner: Client, tenant: FilledTenant, tables: readonly string[]): Promise<void> {
  await session(owner, tenant)
  for (const table of tables) {
    await owner.query(
      `create temp table template_${table} as select t::text as line from ${table} t where tenant_id = '${tenant.id}'`,
    )
  }
}

/**
 * Copies the prepared rows, once for each token. The token replaces the prefix of their ids and the mark in
 * their texts, each copy a day older.
 */
async function copy(
  owner: Client,
  tables: readonly string[],
  {
    from,
    to,
    prefix,
    mark = 'no mark',
    tokens,
  }: {
    readonly from: FilledTenant
    readonly to: FilledTenant
    readonly prefix: string
    readonly mark?: string
    readonly tokens: readonly string[]
  },
): Promise<void> {
  await session(owner, to)
  const replaced = [
    [`$3`, 'token'],
    [`$4`, `$5`],
    [`$6`, 'token'],
    [`'"' || $7 || ' '`, `'"' || date || ' '`],
  ].reduce((line, [what, by]) => `replace(${line}, ${what}, ${by})`, 't.line')
  for (const table of tables) {
    const { rows } = await owner.query<{ names: string; given: string }>(
      `select string_agg(format('%I', attname), ', ' order by attnum) as names,
              string_agg(format('(r.record).%I', attname), ', ' order by attnum) as given
         from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const [{ names, given } = { names: '', given: '' }] = rows
    await owner.query(
      `insert into ${table} (${names}) select ${given} from unnest($1::text[], $2::text[]) as given(token, date)
        cross join template_${table} t
        cross join lateral (select (${replaced})::${table} as record offset 0) r`,
      [tokens, tokens.map(dateOf), prefix, from.id, to.id, mark, dateOf(shared)],
    )
  }
}

/** Each token's own date, so that no two copies have the same moment. */
function dateOf(token: string): string {
  const days = token === shared ? 0 : Number.parseInt(token, 16) % 18_000
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
