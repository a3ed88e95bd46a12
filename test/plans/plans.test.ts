/**
 * How Postgres reads and writes a tenant of 10,000 products, and of as much else: for every filter, order and search of the list, for
 * items, the lists of other resources and writes. Costs that grow with the table are found here, not by a user with a large one.
 * Settings are the server's own.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { continueBulkOperations, tenantsWithBulkOperations } from '../../src/background/bulk-operations.ts'
import { runtimeOf } from '../../src/background/queue.ts'
import { resources } from '../../src/resources/index.ts'
import { continuePrices } from '../../src/resources/prices/price-rebuild.ts'
import { productListParameters } from '../../src/resources/products/filters.ts'
import { takeUpcoming, tenantsWithBoundaries } from '../../src/resources/sale-offers/boundaries.ts'
import { maxCountrySets } from '../../src/resources/sale-offers/kind.ts'
import { recordDueBoundaries } from '../../src/resources/webhooks/dispatch/offer-boundaries.ts'
import { asOwner, connected, databaseUrls, useOwnDatabase } from '../support/database.ts'
import { type FilledTenant, fill, reducedFrom } from '../support/fill.ts'
import { fillOthers } from '../support/fill-others.ts'
import { subscribeToPrices } from '../support/ledger.ts'
import { type Explained, explained, logPlans, nodesOf, type PlanNode, rowsRead } from '../support/plans.ts'
import { type SentStatement, sentBy, withheldFrom } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { openStorefront, send } from '../support/storefront.ts'

const amount = 10_000
const page = 30
/** The most that a page may have, and about what the products of one belong to. */
const longest = 100
/** The most that an exact total reads, of an index alone. */
const counted = 10_001
const unknownId = '019aa000-0000-7000-8000-000000000001'
/** Above it Postgres compiles a statement, where it can: its default. */
const jitAboveCost = 100_000

let drop: () => Promise<void>
let shop: Shop
/** Tables of more than a page or two, whose sequential scan is more than a look. */
let large: ReadonlySet<string>
/** The collection that every tenth product is in. */
let sale: string
/** Of all metaobjects. */
let definition: string
/** A thousand sale offers belong to it. */
let campaign: string
let france: string
/** A bulk operation of 10,000 lines, half of which are performed. */
let bulkOperation: string
/** A bulk operation that has ended. */
let endedOperation: string
let sample: Awaited<ReturnType<typeof one>>

async function one(at: Shop) {
  const body = await at.read('/api/products?itemsPerPage=1')
  const [product] = body.member
  const [variant] = product.variants
  const prices = await at.read(`/api/sale_offers?itemsPerPage=1&variant=${variant['@id']}`)
  const [category] = product.categories
  const parent = await at.read(category.parent)
  const path = `${parent.handle}/${category.handle}`
  const page = await at.read(`/api/sale_offers?itemsPerPage=${longest}`)
  const offers: string[] = page.member.map((offer: { readonly '@id': string }) => offer['@id'])
  return { product, variant, category, path, offers, offer: prices.member[0]['@id'] }
}

beforeAll(async () => {
  drop = await useOwnDatabase()
  // The server that npm installed has a superuser of a known name; another is named by one.
  const { username, password } = new URL(
    process.env.TEST_DATABASE_URL ?? 'postgresql://postgres:postgres@local',
  )
  await logPlans(Object.assign(new URL(databaseUrls().ownerUrl), { username, password }).href)
  shop = await openShop({ id: crypto.randomUUID() })
  const scratch = await openShop({ id: crypto.randomUUID() })
  const shops: Readonly<Record<string, Shop>> = { [shop.host]: shop, [scratch.host]: scratch }
  const filledTenant = ({ tenant, host }: Shop): FilledTenant => ({ id: tenant.id, host })
  await connected(databaseUrls().ownerUrl, (owner) =>
    fill({
      owner,
      call: async (host, method, path, body) => (await shops[host]!.request(method, path, { body })).body,
      tenant: filledTenant(shop),
      scratch: filledTenant(scratch),
      products: amount,
      variants: 2,
    }),
  )
  await others(shop)
  await findLarge()
  sample = await one(shop)
  const market = { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' }
  france = (await shop.create('/api/markets', market))['@id']
  await shop.create('/api/markets', { ...market, key: 'us', country: 'US', currency: 'USD' })
  await shop.rest()
  await continuePrices(runtimeOf(shop.bindings).database.open(shop.tenant.id), () => true)
  await connected(databaseUrls().ownerUrl, (owner) =>
    owner.query('vacuum analyze variant_prices, product_prices'),
  )
  await subscribeToPrices(shop.tenant.id)
  await shop.create('/api/option_values', { option: sample.product.options[0]['@id'], title: 'Planned' })
  await shop.update(sample.offer, { externalId: 'planned-price' })
  await shop.patch(sample.product['@id'], { body: { fields: { material: 'Cotton' } }, status: 200 })
  campaign = (await shop.create('/api/campaigns', { name: 'Planned' })).id
  await connected(databaseUrls().ownerUrl, async (owner) => {
    await owner.query(
      `update sale_offers set campaign_id = $2 where tenant_id = $1 and id in (
         select id from sale_offers where tenant_id = $1 order by id limit 1000)`,
      [shop.tenant.id, campaign],
    )
    await owner.query('analyze sale_offers')
  })
  const body = await shop.read('/api/collections')
  sale = body.member.find((each: { title: string }) => each.title === 'On sale')['@id']
}, 240_000)

afterAll(() => drop())

async function findLarge(): Promise<void> {
  await connected(databaseUrls().ownerUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relpages > 2`,
    )
    large = new Set(rows.map(({ name }) => name))
  })
}

/** As many categories, collections, metaobjects, bulk operations, results and events as products. */
async function others({ tenant, host, post, delete: remove }: Shop): Promise<void> {
  const line = { method: 'PATCH', path: `/api/products/${unknownId}`, body: { title: 'Planned' } }
  const file = new Blob([`${JSON.stringify(line)}\n`.repeat(amount)], { type: 'application/x-ndjson' })
  bulkOperation = (await post('/api/bulk_operations', { body: file, status: 202 })).body['@id']
  endedOperation = (await post('/api/bulk_operations', { body: file, status: 202 })).body['@id']
  await remove(endedOperation, { status: 204 })
  const made = await post('/api/metaobject_definitions', {
    body: {
      type: 'material',
      fieldDefinitions: [{ key: 'title', type: '/api/metafield_definition_types/single_line_text_field' }],
    },
    status: 201,
  })
  const body = { definition: made.body['@id'], status: 'ACTIVE', fields: { title: 'Wool' } }
  definition = made.body['@id']
  await post('/api/metaobjects', { body, status: 201 })
  await connected(databaseUrls().ownerUrl, async (owner) => {
    await fillOthers(owner, { id: tenant.id, host }, amount)
    // Each product had a handle of its own, and fifty products had the same one.
    await owner.query(`
      insert into former_handles (tenant_id, handle, product_id, given_up_at)
      select tenant_id, name, id, created_at
        from (select p.*, row_number() over (order by p.id) as n from products p where p.tenant_id = current_tenant()) p
       cross join lateral unnest(array['former-' || n, case when n % 200 = 0 then 'product-of-the-week' end]) as name
       where name is not null`)
    await owner.query('analyze former_handles')
    await owner.query(`
      insert into bulk_operation_results (tenant_id, operation_id, line, status, is_assumed, problem)
      select tenant_id, id, line, 422, false, case when line % 100 = 0 then '{"status": 422}' end
        from bulk_operations, generate_series(1, case when finished_at is null then lines / 2 else 1 end) as line
       where tenant_id = current_tenant()`)
    await owner.query(
      `update bulk_operations set processed = lines / 2 where tenant_id = current_tenant() and finished_at is null`,
    )
    // It ended before the other changes.
    await owner.query(
      `update bulk_operations set created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour'
        where status = 'CANCELLED' and tenant_id = current_tenant()`,
    )
    await owner.query('vacuum analyze bulk_operations, bulk_operation_results, bulk_operation_pieces')
  })
}

/** The last batch that a request sends. */
async function batchOf(path: string): Promise<readonly SentStatement[]> {
  const batches = await sentBy(() =>
    shop.get(path, { status: 200, headers: { 'Cache-Control': 'no-cache' } }),
  )
  return batches.at(-1) ?? []
}

/** The faults of a plan, one text each. */
function faultsOf({ plan }: Explained, { sorted = longest, looked = 20 * (page + 1) } = {}): string[] {
  const faults = nodesOf(plan).flatMap((node) => {
    const [type, table = ''] = [node['Node Type'], node['Relation Name']]
    const read = rowsRead(node)
    const filledTenant = `${type} of ${node['Index Name'] ?? table}: ${read} rows`
    if (type === 'Seq Scan' && large.has(table)) return [filledTenant]
    if (/Sort$/.test(type) && read / Math.max(1, node['Actual Loops']) > sorted) return [filledTenant]
    if (table !== '' && read > Math.max(looked, type === 'Index Only Scan' ? counted : 0))
      return [filledTenant]
    return []
  })
  const cost = plan['Total Cost']
  return cost < jitAboveCost ? faults : [...faults, `a cost of ${cost}`]
}

const prices = `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${reducedFrom}`

const allFacets = 'facets[]=vendor&facets[]=productType&facets[]=tags&facets[]=category&facets[]=collection'

type Bounds = { readonly sorted?: number; readonly looked?: number }

/** A query for each parameter, by the parameter's name; those of one question stand together. */
const queries: Readonly<Record<string, readonly [query: () => string, bounds?: Bounds][]>> = {
  page: [[() => 'page=300']],
  itemsPerPage: [[() => 'itemsPerPage=30']],
  cursor: [[() => 'cursor=WyJwcmV2aW91cyIsbnVsbF0']],
  'order[createdAt]': [[() => 'order[createdAt]=asc']],
  'order[updatedAt]': [[() => 'order[updatedAt]=desc']],
  'order[title]': [[() => 'order[title]=asc']],
  'order[id]': [[() => 'order[id]=desc']],
  'resolveContext[channel]': [[() => prices]],
  'resolveContext[country]': [[() => `${prices}&tag=group-3`]],
  'resolveContext[currency]': [[() => `${prices}&resolveContext[currency]=EUR`]],
  'resolveContext[at]': [
    [() => `${prices}&updatedAt[after]=2000-01-01`],
    [() => 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now'],
  ],
  'resolveContext[knownAt]': [[() => `${prices}&resolveContext[knownAt]=2090-12-01T00:00:00Z`]],
  market: [[() => 'market=fr'], [() => 'market=fr&expand=priorPrice', { sorted: 500 }]],
  'markets[]': [[() => 'markets[]=fr&markets[]=us'], [() => 'markets[]=fr&tag=group-3']],
  // Each of the 10,000 products has a lower price in days to come, which the index has before those of now.
  'order[price]': [
    [() => 'market=fr&order[price]=asc', { looked: 11_000 }],
    [() => 'market=fr&order[price]=desc', { sorted: 11_000, looked: 11_000 }],
  ],
  'price[from]': [
    [() => 'market=fr&price[from]=10&order[price]=asc', { looked: 50_000 }],
    [() => 'market=fr&price[from]=99999', { looked: 31_000 }],
  ],
  'price[until]': [[() => 'market=fr&price[until]=10', { sorted: 20_000, looked: 50_000 }]],
  reduced: [[() => 'market=fr&reduced=true&vendor=Vendor%201', { looked: 5000 }]],
  hasPrice: [[() => 'market=fr&hasPrice=true&vendor=Vendor%201', { looked: 5000 }]],
  priceAt: [[() => `market=fr&priceAt=${reducedFrom}`]],
  priceKnownAt: [[() => 'market=fr&priceAt=2090-12-01T00:00:00Z&priceKnownAt=2090-12-01T00:00:00Z']],
  // The recorded terms of a page's reduced variants are put in order together.
  expand: [[() => 'expand=children'], [() => `${prices}&expand=priorPrice`, { sorted: 500 }]],
  status: [[() => 'status=ACTIVE'], [() => 'status=DRAFT']],
  'id[]': [[() => `id[]=${sample.product.id}&id[]=${unknownId}`]],
  // The place of a product among the names orders them.
  'handle[]': [[() => `handle[]=${sample.product.handle}&handle[]=none`]],
  'externalId[]': [[() => `externalId[]=${sample.product.externalId}&externalId[]=none`]],
  'sku[]': [[() => `sku[]=${sample.variant.sku}&sku[]=none`]],
  'barcode[]': [[() => 'barcode[]=none&barcode[]=other']],
  handle: [[() => `handle=${sample.product.handle}`]],
  externalId: [[() => `externalId=${sample.product.externalId}`]],
  sku: [[() => `sku=${sample.variant.sku}`], [() => 'sku=none']],
  barcode: [[() => 'barcode=none']],
  vendor: [[() => 'vendor=Vendor%201']],
  productType: [[() => 'productType=Type%203']],
  // Below the size that needs an index for their order, products are sorted by the query.
  tag: [[() => 'tag=sample'], [() => 'tag=group-3', { sorted: 200 }], [() => 'tag=none']],
  channel: [[() => 'channel=web'], [() => 'channel=outlet'], [() => 'channel=none']],
  // Of a search every match is ranked, and looked at for whether it is to be shown.
  q: [
    [() => `q=${sample.product.title.split(' ')[1]}`],
    [() => 'q=lamp', { sorted: 1300, looked: 1300 }],
    [() => 'q=lanp', { sorted: 1300, looked: 1300 }],
    [() => 'q=zzzzqqqq'],
  ],
  // A beginning of many words is looked for among the newest products, another in the index.
  suggest: [
    [() => 'q=la&suggest=true', { sorted: 1300, looked: 1300 }],
    [
      () => `q=${sample.product.title.split(' ')[1]}&suggest=true&status=ACTIVE&tag=group-3`,
      { looked: 1300 },
    ],
  ],
  category: [[() => `category=${sample.category['@id']}`, { sorted: 200 }]],
  'category[descendants]': [
    [() => `category=${sample.category.parent}&category[descendants]=true`, { sorted: 1100, looked: 1100 }],
  ],
  collection: [[() => `collection=${sale}`, { sorted: 1100, looked: 1100 }]],
  'vendor[]': [[() => 'vendor[]=Vendor%201&vendor[]=Vendor%202', { sorted: 1100, looked: 1100 }]],
  'productType[]': [[() => 'productType[]=Type%203&productType[]=Type%204', { sorted: 1100, looked: 1100 }]],
  'tag[]': [[() => 'tag[]=group-4&tag[]=group-3', { looked: 5000 }]],
  'category[]': [[() => `category[]=${sample.category['@id']}&category[]=${unknownId}`, { sorted: 200 }]],
  // Each product has a variant of each size.
  'option[*][]': [
    [() => 'option[Size][]=Size 1', { looked: amount }],
    [() => `option[Size][]=Size 1&sku=${sample.variant.sku}`, { looked: amount }],
  ],
  'fields[*][]': [[() => 'fields[material][]=Cotton', { sorted: 300, looked: 300 }]],
  // All matches are read, once for each facet that the query filters by and once for the others. Each product has two categories.
  'facets[]': [
    [() => `category=${sample.category['@id']}&${allFacets}`, { sorted: 300, looked: 20_001 }],
    [() => `vendor=Vendor%201&tag=group-3&${allFacets}`, { sorted: 300, looked: 1100 }],
    [() => 'facets[]=option.Size&option[Size][]=Size 1', { sorted: 300, looked: 20_001 }],
    [() => 'facets[]=category&category[descendants]=true', { sorted: 40_000, looked: 20_001 }],
  ],
  'createdAt[after]': [[() => 'createdAt[after]=2026-01-01']],
  'createdAt[before]': [[() => 'createdAt[before]=2026-01-01']],
  'createdAt[from]': [[() => 'createdAt[from]=2026-01-01']],
  'createdAt[until]': [[() => 'createdAt[until]=2026-01-01']],
  'updatedAt[after]': [[() => 'updatedAt[after]=2000-01-01']],
  'updatedAt[before]': [[() => 'updatedAt[before]=2040-01-01']],
  'updatedAt[from]': [[() => 'updatedAt[from]=2026-01-01']],
  'updatedAt[until]': [[() => 'updatedAt[until]=2040-01-01']],
}

test('every parameter of the list is planned', () => {
  const { explain: alwaysInvalid, ...parameters } = productListParameters
  expect(Object.keys(queries).toSorted()).toEqual(Object.keys(parameters).toSorted())
})

test.each(Object.entries(queries))('%s', async (_, each) => {
  for (const [query, bounds] of each) {
    const plans = await explained(databaseUrls().appUrl, await batchOf(`/api/products?${query()}`))
    expect(plans.length).toBeGreaterThan(3)
    expect([query(), plans.flatMap((plan) => faultsOf(plan, bounds))]).toEqual([query(), []])
  }
})

test.each([
  ['the first page', () => '/api/products'],
  ['the first page in outline', () => '/api/products?properties[]=title'],
  ['an item', () => sample.product['@id']],
  ['an item with prices', () => `${sample.product['@id']}?${prices}`],
  ['an item with explained prices', () => `${sample.product['@id']}?${prices}&explain=price`],
  ['an item with prior prices', () => `${sample.product['@id']}?${prices}&expand=priorPrice`],
  ['an item by its handle', () => `/api/products/by-handle/${sample.product.handle}?${prices}`],
  ['an item by a former handle', () => `/api/products/by-handle/former-5000?${prices}`],
  ['an item by a handle of many', () => `/api/products/by-handle/product-of-the-week?${prices}`],
  ['a category by its path', () => `/api/categories/by-path/${sample.path}?breadcrumbs=true`],
  ['an item with breadcrumbs', () => `${sample.product['@id']}?breadcrumbs=true`],
  ['the readiness of an item', () => `${sample.product['@id']}/readiness`],
  ['variants with prior prices', () => `${sample.product['@id']}/variants?${prices}&expand=priorPrice`],
])('%s', async (_, path) => {
  const plans = await explained(databaseUrls().appUrl, await batchOf(path()))
  expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
})

/** The products of the test are active, and sold in the channel of a market. */
test.each([
  ['the first page', () => '/api/products?market=fr'],
  ['a page of a category', () => `/api/products?category=${sample.category['@id']}`, { sorted: 200 }],
  ['an item', () => `${sample.product['@id']}?market=fr`],
  ['an item by its handle', () => `/api/products/by-handle/${sample.product.handle}`],
  ['variants', () => `${sample.product['@id']}/variants?market=fr`],
  ['facets', () => `/api/products?vendor=Vendor%201&tag=group-3&${allFacets}`, { sorted: 300, looked: 1100 }],
] as [string, () => string, Bounds?][])('%s at a storefront host', async (_, path, bounds) => {
  const storefront = await openStorefront(shop)
  const batches = await sentBy(() => send(shop, storefront, path()))
  const plans = await explained(databaseUrls().appUrl, batches.at(-1) ?? [])
  expect(plans.length).toBeGreaterThan(3)
  expect(plans.flatMap((plan) => faultsOf(plan, bounds))).toEqual([])
})

test.each([
  ['handle', () => sample.product.handle],
  ['sku', () => sample.variant.sku],
])('an item by its %s', async (name, value) => {
  const params = { name: 'get_product', arguments: { [name]: value() } }
  const [batch = []] = await sentBy(() =>
    shop.post('/mcp/catalogue', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: { 'content-type': 'application/json' },
    }),
  )
  const plans = await explained(databaseUrls().appUrl, batch)
  expect(plans.length).toBeGreaterThan(3)
  expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
})

test.each([
  ['a range', '', '&price[from]=0.01&price[until]=1000'],
  ['a range next to an option', '', '&price[from]=0.01&price[until]=1000&option[Size][]=Size%201'],
  ['the order by price next to an option', '&order[id]=asc', '&order[price]=asc&option[Size][]=Size%201'],
])('%s, of as many products as there are, leaves the list as it is', async (_, order, filters) => {
  const list = (query: string) => shop.read(`/api/products?market=fr${query}`)
  const [all, filtered] = await Promise.all([list(order), list(filters)])
  const iris = ({ member }: Reply['body']) => member.map((each: Reply['body']) => each['@id'])
  expect(iris(filtered)).toEqual(iris(all))
  expect(filtered.totalItems).toBe(all.totalItems)
})

test('a page, and an item, from the stored parts', async () => {
  for (const path of [`/api/products?${prices}`, `${sample.product['@id']}?${prices}`, '/api/products']) {
    const plans = await explained(databaseUrls().appUrl, await batchOf(path))
    const nodes = plans.flatMap(({ plan }) => nodesOf(plan)).filter((node) => rowsRead(node) > 0)
    const read = nodes.map((node) => node['Relation Name'])
    expect(read).toEqual(expect.arrayContaining(['product_parts', 'category_parts']))
    for (const table of ['product_options', 'product_categories', 'variants', 'sale_offers'])
      expect([path, read.filter((each) => each === table)]).toEqual([path, []])
    expect([path, plans.flatMap((plan) => faultsOf(plan))]).toEqual([path, []])
  }
})

test('a page, and an item, from rows', async () => {
  const reshape = () =>
    connected(databaseUrls().ownerUrl, async (owner) => {
      for (const table of ['product_parts', 'category_parts'])
        await owner.query(`update ${table} set format = -format where tenant_id = $1`, [shop.tenant.id])
    })
  await reshape()
  for (const path of [`/api/products?${prices}`, `${sample.product['@id']}?${prices}`, '/api/products']) {
    const plans = await explained(databaseUrls().appUrl, await batchOf(path))
    const nodes = plans.flatMap(({ plan }) => nodesOf(plan)).filter((node) => rowsRead(node) > 0)
    expect(nodes.map((node) => node['Relation Name'])).toEqual(
      expect.arrayContaining(['product_options', 'product_categories', 'variants']),
    )
    expect([path, plans.flatMap((plan) => faultsOf(plan))]).toEqual([path, []])
  }
  await reshape()
})

/**
 * The filters for changes match about the last hundred rows. For filters that match all rows, counting ten thousand of them costs about the
 * same by the table as by an index, and either is planned.
 */
const since = new Date(Date.now() - 100 * 60_000).toISOString()

/** A week of the next ones, in which a few offers begin or cease to apply. */
const soon = {
  from: new Date(Date.now() + 864e5).toISOString(),
  until: new Date(Date.now() + 8 * 864e5).toISOString(),
}

const periods = ['validFrom', 'validUntil'].flatMap((name): [() => string][] => [
  [() => `${name}[after]=${soon.from}&${name}[until]=${soon.until}`],
  [() => `${name}[from]=${soon.from}&${name}[before]=${soon.until}`],
])

/** The rows that a page of 500 products and a count of 2,000 products read in two markets. */
const ofPage = { looked: 15_000, sorted: 5000 }
const ofCount = { looked: 60_000, sorted: 20_000 }

/** Lists of other resources, each with what filters it. */
const lists: Readonly<Record<string, readonly [query: () => string, bounds?: Bounds][]>> = {
  '/api/sale_offers': [
    [() => ''],
    // A page by number skips those in front of it.
    [() => 'page=300', { looked: 9100 }],
    [() => 'order[updatedAt]=asc'],
    [() => `updatedAt[after]=${since}`],
    [() => 'status=DRAFT'],
    // All of them: ten thousand are counted, by whichever index costs least.
    [() => 'status=ACTIVE', { looked: 10_001 }],
    [() => 'status=ARCHIVED'],
    // Half of the offers are live. They are counted in the order of their variants, next to the archived ones.
    [() => 'state=LIVE', { looked: 2 * counted }],
    [() => 'state=SCHEDULED', { looked: counted }],
    [() => 'state=EXPIRED', { looked: counted }],
    [() => 'state=INACTIVE'],
    ...periods,
    [() => 'country=FR'],
    [() => 'country=JP'],
    [() => 'currency=EUR'],
    [() => 'currency=USD'],
    [() => 'channel=web'],
    [() => 'channel=none'],
    [() => `campaign=${campaign}`],
    [() => `campaign=${campaign}&status=ARCHIVED`],
    [() => `variant=${sample.variant['@id']}`],
    [() => `product=${sample.product['@id']}`],
    [() => 'externalId=none'],
    [() => 'expand=children'],
  ],
  '/api/purchase_offers': [
    [() => ''],
    [() => 'page=300'],
    [() => 'order[updatedAt]=asc'],
    [() => `updatedAt[after]=${since}`],
    [() => 'status=DRAFT'],
    [() => 'state=LIVE'],
    [() => 'state=SCHEDULED'],
    ...periods,
    [() => 'currency=USD'],
    [() => 'supplier=none'],
    [() => `variant=${sample.variant['@id']}`],
    [() => `product=${sample.product['@id']}`],
    [() => 'externalId=none'],
    [() => 'expand=children'],
  ],
  '/api/categories': [
    [() => ''],
    [() => 'page=300', { looked: 9100 }],
    [() => 'order[title]=asc'],
    [() => 'order[updatedAt]=desc'],
    [() => `updatedAt[after]=${since}`],
    [() => 'handle=copy-5000'],
    [() => 'externalId=none'],
    [() => 'order[position]=asc'],
    [() => `parent=${sample.category['@id']}`],
    [() => `parent=${sample.category.parent}`],
    // Each is listed with its children, two dozen of them.
    [() => 'parent=null', { looked: 31 * 25 }],
    [() => 'level=0', { looked: 31 * 25 }],
    [() => 'level=1'],
    [() => 'level=2'],
    [() => 'expand=children'],
  ],
  '/api/collections': [
    [() => ''],
    [() => 'order[title]=asc'],
    [() => `updatedAt[after]=${since}`],
    [() => 'handle=copy-5000'],
    [() => 'externalId=none'],
    // All of them, as above.
    [() => 'type=MANUAL', { looked: counted + 1 }],
    [() => 'type=RULE_BASED'],
    [() => `product=${sample.product['@id']}`],
  ],
  '/api/metaobjects': [
    [() => ''],
    [() => `updatedAt[after]=${since}`],
    [() => 'handle=copy-5000'],
    [() => 'externalId=none'],
    [() => 'type=material'],
    [() => 'type=none'],
    [() => `definition=${definition}`],
    [() => 'status=ACTIVE'],
    [() => 'status=DRAFT'],
  ],
  '/api/campaigns': [[() => ''], [() => 'externalId=none']],
  '/api/markets': [[() => ''], [() => 'key=none']],
  '/api/search_synonyms': [[() => ''], [() => 'locale=de-DE']],
  // All of them, as above.
  '/api/bulk_operations': [[() => ''], [() => 'status=FINISHED', { looked: counted + 1 }]],
  '/api/metaobject_definitions': [
    [() => ''],
    [() => 'order[type]=asc'],
    [() => 'type=material'],
    [() => 'externalId=none'],
  ],
  '/api/option_values': [
    [() => ''],
    [() => `option=${sample.product.options[0]['@id']}`],
    [() => 'externalId=none'],
    [() => 'order[title]=asc'],
    [() => 'order[position]=asc'],
  ],
  // Products have both, and no other resource has French: a locale lacks nothing, or all texts.
  '/api/translations/products': [[() => 'missing=fr-FR'], [() => 'missing=en-US'], [() => 'missing=de-DE']],
  '/api/translations/categories': [[() => 'missing=fr-FR']],
  '/api/translations/option_values': [[() => 'missing=fr-FR']],
  '/api/events': [
    [() => ''],
    [() => 'after=5000'],
    // Of each topic that is meant a page or so is put in order.
    [() => 'topic=product/created', { sorted: 1000 }],
    [() => `resource=${sample.product['@id']}`],
    [() => `resource=${france}`],
    [() => 'occurredAt[after]=2000-01-01'],
  ],
  '/api/price_changes': [
    [() => 'market=fr'],
    [() => 'market=fr&after=2099-01-01T00:00:00Z'],
    [() => 'market=fr&ahead=P7D'],
  ],
  // Each variant has a reduction: one page examines its own, whether they apply or not.
  '/api/price_announcements': [
    [() => prices],
    [() => `${prices}&page=2`],
    [() => 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now'],
    [() => prices.replace('=FR', '=AT')],
    [() => prices.replace('2099', '2999')],
  ],
  '/api/issues': [
    [() => '', ofPage],
    [() => 'type=no_picture', ofPage],
    [() => 'market=fr', ofPage],
    [() => `product=${sample.product['@id']}`],
    [() => 'facets[]=type', ofCount],
  ],
}

/** Parameters of all lists, which are planned for products; a list of another resource has its orders and times for its own indexes. */
const common =
  /^(?:page|itemsPerPage|cursor|(?:id|handle|externalId)\[\]|order\[(?:createdAt|updatedAt|id)\]|(?:created|updated)At\[\w+\]|expand)$/

test('every parameter of these lists is planned', () => {
  const planned = ([path, each]: [string, readonly (readonly [() => string, Bounds?])[]]) =>
    each.flatMap(([query]) => [...new URLSearchParams(query()).keys()].map((name) => `${path} ${name}`))
  const known = new Set(Object.entries(lists).flatMap(planned))
  const operations = resources.flatMap((each) => each.operations)
  const missing = operations.flatMap(({ method, path, answers, query }) =>
    method === 'GET' && answers === 'collection' && Object.hasOwn(lists, path)
      ? Object.keys(query)
          .filter((name) => !common.test(name) && !known.has(`${path} ${name}`))
          .map((name) => `${path} ${name}`)
      : [],
  )
  expect(missing).toEqual([])
})

test.each(
  Object.keys(lists).filter(
    (path) => !/translations|events|price_announcements|price_changes|issues/.test(path),
  ),
)('%s by names', async (path) => {
  const body = await shop.read(`${path}?itemsPerPage=3`)
  const { query = {} } =
    resources.flatMap(({ operations }) => operations).find((each) => each.path === path) ?? {}
  for (const name of ['id', 'handle', 'externalId'].filter((each) => Object.hasOwn(query, `${each}[]`))) {
    const values = [
      ...body.member.map((member: Record<string, unknown>) => member[name] ?? 'none'),
      unknownId,
    ]
    const batch = await batchOf(`${path}?${values.map((value) => `${name}[]=${value}`).join('&')}`)
    const plans = await explained(databaseUrls().appUrl, batch)
    expect([name, plans.flatMap((plan) => faultsOf(plan))]).toEqual([name, []])
  }
})

test.each(Object.entries(lists))('%s', async (path, each) => {
  for (const [query, bounds] of each) {
    const plans = await explained(databaseUrls().appUrl, await batchOf(`${path}?${query()}`))
    expect([query(), plans.flatMap((plan) => faultsOf(plan, bounds))]).toEqual([query(), []])
  }
})

test('a numbered page of announcements reads the terms of its own offers alone', async () => {
  const batch = await batchOf(`/api/price_announcements?${prices}&page=100`)
  const nodes = (await explained(databaseUrls().appUrl, batch)).flatMap(({ plan }) => nodesOf(plan))
  const reads = nodes.filter((node) => node['Function Name'] === 'read_prior_terms')
  expect(reads.map((node) => node['Actual Loops'])).toEqual([page + 1])
})

test('the results of a bulk operation', async () => {
  for (const query of ['', 'page=100', 'failed=true', 'failed=false']) {
    const batch = await batchOf(`${bulkOperation}/results?${query}`)
    const plans = await explained(databaseUrls().appUrl, batch)
    expect([query, plans.flatMap((plan) => faultsOf(plan, { looked: amount / 2 }))]).toEqual([query, []])
  }
})

test('the next lines of a bulk operation, and the tenants that have some', async () => {
  const { database, ...runtime } = runtimeOf(shop.bindings)
  let steps = 0
  const [reserve, ...batches] = await sentBy(() =>
    continueBulkOperations({ ...runtime, database }, shop.tenant.id, () => steps++ === 0),
  )
  const tenants = await sentBy(() =>
    database.open(null).read({ found: tenantsWithBulkOperations(null, 100) }),
  )
  const reads = batches.filter((batch) => batch.some(({ query }) => query.includes('run_reads')))
  // The operation, the piece of its file, and the products of the lines.
  expect(reads.length).toBeGreaterThan(2)
  for (const batch of [reserve ?? [], ...reads, ...tenants]) {
    const plans = await explained(databaseUrls().appUrl, batch)
    expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
  }
})

test('where a tenant sells', async () => {
  const plans = await explained(databaseUrls().appUrl, await batchOf('/api/market_suggestions'))
  // As many looks as there are values, and one for the end of each.
  expect(plans.flatMap((plan) => faultsOf(plan, { sorted: 0, looked: 20 }))).toEqual([])
  const used = new Set(plans.flatMap(({ plan }) => nodesOf(plan).map((node) => node['Index Name'])))
  expect([...used]).toEqual(
    expect.arrayContaining([
      'sale_offers_channel',
      'sale_offers_countries',
      'sale_offers_currency',
      'product_channels_pkey',
    ]),
  )
})

test('deliveries of a subscription, each with the reason for which it waits', async () => {
  const subscriptions = await Promise.all(
    ['/a', '/a', '/b', '/b', '/c'].map((path) =>
      shop.create('/api/webhook_subscriptions', {
        topic: 'product/*',
        callbackUrl: `https://hooks.example.com${path}`,
      }),
    ),
  )
  await connected(databaseUrls().ownerUrl, async (owner) => {
    // Four versions of each product for each subscription.
    await owner.query(
      `insert into webhook_deliveries (tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id,
         resource_version, payload_version, locale, scopes, next_attempt_at, created_at)
       select $1, gen_random_uuid(), s.id, gen_random_uuid(), n, 'product/updated', 'products', md5((n % ($3::int / 4))::text)::uuid,
              1, '2026-10', 'en-US', '{}', now(), now() + n * interval '1 millisecond'
         from unnest($2::uuid[]) s(id), generate_series(1, $3::int) n`,
      [shop.tenant.id, subscriptions.map(({ id }) => id), amount],
    )
    await owner.query('analyze webhook_deliveries')
  })
  const path = `${subscriptions[0]['@id']}/deliveries`
  const body = await shop.read(path)
  expect(new Set(body.member.map((each: { waitsFor: string }) => each.waitsFor))).toEqual(
    new Set(['earlier_delivery']),
  )
  const plans = await explained(databaseUrls().appUrl, await batchOf(path))
  expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
})

test('products that unsaved rules find', async () => {
  const conditions = [
    { field: 'title', operator: 'CONTAINS', value: 'lamp' },
    { field: 'vendor', operator: 'NOT_EQUALS', value: 'nobody' },
    { field: 'tag', operator: 'EQUALS', value: 'sale' },
    { field: 'category', operator: 'EQUALS', value: sample.category['@id'] },
    { field: 'createdAt', operator: 'AFTER', value: '2020-01-01T00:00:00Z' },
  ]
  for (const match of ['ALL', 'ANY']) {
    const batches = await sentBy(() =>
      shop.post('/api/collections/count', { body: { rules: { match, conditions } }, status: 200 }),
    )
    const plans = await explained(databaseUrls().appUrl, batches.at(-1) ?? [])
    // Each product is looked at once, with what its rules ask of it: 10,000 here, and never more than 50,000.
    expect([match, plans.flatMap((plan) => faultsOf(plan, { looked: 3 * amount, sorted: 0 }))]).toEqual([
      match,
      [],
    ])
  }
})

test('the prices of unsaved offers, and of changes', async () => {
  const { offer, variant } = sample
  const body = {
    saleOffers: [{ variant: variant['@id'], currency: 'EUR', amount: '9.00', externalId: 'preview' }],
    changes: [{ saleOffer: offer, amount: '8.00' }],
    contexts: [{ channel: 'web', country: 'FR' }],
  }
  const batches = await sentBy(() => shop.post('/api/price_previews', { body, status: 200 }))
  const plans = await explained(databaseUrls().appUrl, batches.at(-1) ?? [])
  expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
})

test('a copy is compared by an index alone', async () => {
  await connected(databaseUrls().ownerUrl, (owner) => owner.query('vacuum analyze products'))
  const body = { type: 'Product', sums: { '': [0, 0] } }
  const batches = await sentBy(() => shop.post('/api/sync/differences', { body, status: 200 }))
  const plans = await explained(databaseUrls().appUrl, batches.at(-1) ?? [])
  const scans = plans
    .flatMap(({ plan }) => nodesOf(plan))
    .filter((node) => node['Relation Name'] === 'products')
  expect(new Set(scans.map((node) => `${node['Node Type']} ${node['Index Name']}`))).toEqual(
    new Set(['Index Only Scan products_sums']),
  )
})

test('variants of a product', async () => {
  const plans = await explained(databaseUrls().appUrl, await batchOf(`${sample.product['@id']}/variants`))
  expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
})

const offers = [
  { currency: 'EUR', amount: '19.90' },
  { currency: 'EUR', amount: '17.90', channel: 'web', countries: ['FR'] },
]
const written = () => ({
  title: 'Planned lamp',
  tags: ['sample', 'sale'],
  channels: ['web'],
  vendor: 'Vendor 1',
  categories: [sample.category['@id']],
  options: [{ title: 'Size', values: [{ title: 'S' }] }],
  variants: [{ sku: 'PLANNED', optionValues: [{ option: 'Size', value: 'S' }], saleOffers: offers }],
})

type Asked = readonly [method: string, path: string, body?: unknown]

const writes: Readonly<Record<string, () => Asked>> = {
  'a product is made': () => ['POST', '/api/products', written()],
  'twenty products are made': () => [
    'POST',
    '/api/products',
    Array.from({ length: 20 }, () => ({ ...written(), variants: [] })),
  ],
  'a product is patched': () => ['PATCH', sample.product['@id'], { title: 'Planned', vendor: 'Planner' }],
  'a product changes its tags and categories': () => [
    'PATCH',
    sample.product['@id'],
    { tags: ['planned'], categories: [sample.category.parent] },
  ],
  'a product is archived': () => ['DELETE', sample.product['@id']],
  'a variant is made': () => [
    'POST',
    `${sample.product['@id']}/variants`,
    { sku: 'PLANNED', optionValues: [{ option: 'Size', value: 'Planned' }] },
  ],
  'a variant is patched': () => ['PATCH', sample.variant['@id'], { sku: 'PLANNED' }],
  'a price is made': () => [
    'POST',
    '/api/sale_offers',
    { ...offers[0], variant: sample.variant['@id'], externalId: 'planned' },
  ],
  'a price is patched': () => ['PATCH', sample.offer, { amount: '9.90' }],
  'a hundred prices are patched together': () => [
    'PATCH',
    '/api/sale_offers',
    sample.offers.map((iri) => ({ '@id': iri, amount: '9.70' })),
  ],
  'a price is archived': () => ['DELETE', sample.offer],
  'a product is upserted': () => [
    'PATCH',
    `/api/products/by-external-id/${sample.product.externalId}`,
    { ...written(), options: [{ title: 'Size', values: [{ title: 'XL' }] }], variants: [] },
  ],
  'a new product is upserted': () => ['PATCH', '/api/products/by-external-id/planned', written()],
  'a price is upserted': () => ['PATCH', '/api/sale_offers/by-external-id/planned-price', { amount: '9.80' }],
  'a new price is upserted': () => [
    'PATCH',
    '/api/sale_offers/by-external-id/planned',
    { ...offers[0], variant: sample.variant['@id'] },
  ],
  'a category is moved': () => ['PATCH', sample.category['@id'], { parent: null, position: 3 }],
  'changes of a product are undone': () => ['POST', `${sample.product['@id']}/revert`, { to: 1 }],
  'a bulk operation is undone': () => ['POST', `${endedOperation}/revert`],
  'a category is renamed': () => ['PATCH', sample.category['@id'], { title: 'Planned' }],
}

test.each(Object.entries(writes))('%s', async (_, asked) => {
  const [method, path, body] = asked()
  const batches = await withheldFrom(() => shop.request(method, path, body === undefined ? {} : { body }))
  // The reads of the request, and the write.
  expect(batches.length).toBeGreaterThan(1)
  for (const batch of batches) {
    const plans = await explained(databaseUrls().appUrl, batch)
    // A category finds its place among its siblings, of which the copies make two hundred.
    expect(plans.flatMap((plan) => faultsOf(plan, { sorted: 300 }))).toEqual([])
  }
})

/** Every offer begins at a moment of its own, most of them long ago or far ahead, and three hundred are due. */
async function withBoundaries(): Promise<void> {
  await connected(databaseUrls().ownerUrl, async (owner) => {
    await owner.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
    await owner.query(`
      update sale_offer_terms t set known_from = now() - interval '2 days', valid_from = now() + (o.n - 20000) * interval '3 seconds'
        from (select id, row_number() over (order by id) as n from sale_offers where tenant_id = current_tenant()) o
       where t.tenant_id = current_tenant() and t.sale_offer_id = o.id`)
    await owner.query(`
      insert into sale_offer_boundaries (tenant_id, recorded_at) values (current_tenant(), now() - 900 * interval '1 second')
      on conflict (tenant_id) do update set recorded_at = excluded.recorded_at`)
    await owner.query('analyze sale_offer_terms, sale_offer_boundaries')
  })
}

test('boundaries that are due, those to come, and the tenants that have some', async () => {
  await withBoundaries()
  const runtime = runtimeOf(shop.bindings)
  const { tenant } = shop
  const [until, now] = [new Date(Date.now() + 90_000), new Date()]
  const batches = [
    ...(await withheldFrom(() => recordDueBoundaries(runtime, tenant.id, () => true, false))),
    ...(await withheldFrom(() =>
      runtime.database.open(tenant.id).write({ ahead: takeUpcoming(now, until) }),
    )),
    ...(await sentBy(() =>
      runtime.database.open(null).read({ found: tenantsWithBoundaries(until, null, 100) }),
    )),
  ]
  expect(batches.length).toBe(4)
  for (const batch of batches) {
    const plans = await explained(databaseUrls().appUrl, batch)
    expect(plans.length).toBeGreaterThan(1)
    expect(plans.flatMap((plan) => faultsOf(plan, { sorted: 500, looked: 1000 }))).toEqual([])
  }
})

/** How many sets of countries were looked at behind the first, and the most rows that anything else looked at in the offers. */
function readOfCountries(plans: readonly Explained[]) {
  const nodes = plans.flatMap(({ plan }) => nodesOf(plan))
  const walks = nodes.filter((node) => node['Node Type'] === 'Recursive Union')
  const walked = new Set(walks.flatMap(nodesOf))
  const others = nodes.filter((node) => node['Relation Name'] === 'sale_offers' && !walked.has(node))
  return { walks: walks.map(rowsRead), looked: Math.max(...others.map(rowsRead)) }
}

test('offers that name a country, of a few sets of countries and of more than are looked at', async () => {
  const read = async (country: string) => {
    const path = `/api/sale_offers?country=${country}`
    const body = await shop.read(path)
    const named = body.member.filter((each: { countries: string[] }) => each.countries.includes(country))
    expect([body.member.length, named.length]).toEqual(Array(2).fill(country === 'FR' ? page : 0))
    const plans = await explained(databaseUrls().appUrl, await batchOf(path))
    expect([country, plans.flatMap((plan) => faultsOf(plan))]).toEqual([country, []])
    return readOfCountries(plans)
  }
  // Both sets there are, and the end: once for page and total together.
  expect(await read('FR')).toEqual({ walks: [3], looked: counted })
  expect(await read('JP')).toEqual({ walks: [3], looked: 0 })
  await connected(databaseUrls().ownerUrl, async (owner) => {
    // The newest offers that have any, each with a set of its own: no more than are looked at at first, then more.
    const differ = async (sets: number) => {
      await owner.query(
        `update sale_offers o set countries = array['FR', chr(65 + (n / 26 / 26) % 26) || chr(65 + (n / 26) % 26) || chr(65 + n % 26)]
           from (select id, row_number() over (order by created_at desc, id)::int - 1 as n from sale_offers
                  where tenant_id = $1 and countries <> '{}' limit $2) d
          where o.tenant_id = $1 and o.id = d.id`,
        [shop.tenant.id, sets],
      )
      await owner.query('analyze sale_offers')
    }
    await differ(maxCountrySets - 2)
    expect(await read('FR')).toEqual({ walks: [maxCountrySets + 1], looked: counted })
    expect(await read('JP')).toEqual({ walks: [maxCountrySets + 1], looked: 0 })
    await differ(maxCountrySets - 1)
    // One by one: the page by its order, the total by an index alone.
    expect(await read('FR')).toEqual({ walks: [maxCountrySets + 1], looked: counted })
  })
})

/** Earlier terms of each offer of the first page that is reduced: more than `read_prior_terms()` returns as it finds them (migrations/functions/51_prices.sql). */
const earlier = 40

test('prior prices of variants with many recorded terms', async () => {
  const reducedOffers = 2 * page
  await connected(databaseUrls().ownerUrl, async (owner) => {
    const { rowCount } = await owner.query(
      `insert into sale_offer_terms
       select t.tenant_id, t.sale_offer_id, t.variant_id, t.known_from - n * interval '1 day', t.known_from - (n - 1) * interval '1 day',
              gen_random_uuid(), gen_random_uuid(), t.status, t.channel, t.countries, t.currency, t.amount + n, t.compare_at_amount,
              null, null, t.priority, t.min_quantity, t.tax_included
         from (select id from products where tenant_id = $1 order by created_at desc, id desc limit $3) p
         join variants v on v.tenant_id = $1 and v.product_id = p.id
         join sale_offer_terms t on t.tenant_id = $1 and t.variant_id = v.id and t.channel = 'web'
        cross join generate_series(1, $2::int) n`,
      [shop.tenant.id, earlier, page],
    )
    expect(rowCount).toBe(reducedOffers * earlier)
    await owner.query('analyze sale_offer_terms')
  })
  const asked = `${prices}&expand=priorPrice`
  // Of each variant all offers' terms, and as many again as it takes to detect more than a few.
  const bounds = (variants: number) => ({
    sorted: variants * (earlier + 2),
    looked: variants * (earlier + 3),
  })
  for (const [path, variants] of [
    [`/api/products?${asked}`, reducedOffers],
    [`${sample.product['@id']}?${asked}`, 2],
    [`${sample.product['@id']}/variants?${asked}`, 2],
    [`${sample.variant['@id']}?${asked}`, 1],
  ] as const) {
    const plans = await explained(databaseUrls().appUrl, await batchOf(path))
    const whole = plans.filter(({ text }) => text.includes('unnest(others)'))
    const filledTenant = whole.reduce((sum, { plan }) => sum + plan['Actual Rows'], 0)
    expect([path, filledTenant]).toEqual([path, variants])
    expect([path, whole.flatMap((plan) => faultsOf(plan, bounds(variants)))]).toEqual([path, []])
    expect([path, plans.flatMap((plan) => faultsOf(plan, bounds(reducedOffers)))]).toEqual([path, []])
  }
})

test('what a locale lacks, where rows have many sets of locales', async () => {
  const [sets, rows] = [12, 20]
  // English, and one of so many other languages.
  await asOwner(
    `update products p set translations = jsonb_build_object('en-US', '{"title": "A"}'::jsonb, 'a' || chr(97 + d.n % $2::int) || '-AA', '{"title": "A"}'::jsonb)
       from (select id, row_number() over (order by id)::int as n from products where tenant_id = $1 limit $2::int * $3::int) d
      where p.tenant_id = $1 and p.id = d.id`,
    [shop.tenant.id, sets, rows],
  )
  await asOwner('analyze products', [])
  const path = '/api/translations/products?missing=fr-FR'
  const found: string[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const body = await shop.read(next)
    expect(body.totalItems).toBe(sets * rows)
    found.push(...body.member.map((each: { resource: string }) => each.resource))
    const plans = await explained(databaseUrls().appUrl, await batchOf(next))
    expect([next, plans.flatMap((plan) => faultsOf(plan))]).toEqual([next, []])
    next = body.view.next
  }
  expect([found.length, new Set(found).size]).toEqual(Array(2).fill(sets * rows))
})

test('a scan of a whole table, a long sort and a dear plan are found', () => {
  const node = (over: Partial<PlanNode>): Explained => ({
    text: '',
    plan: { 'Node Type': 'Result', 'Actual Rows': 1, 'Actual Loops': 1, 'Total Cost': 1, ...over },
  })
  expect(faultsOf(node({ 'Node Type': 'Seq Scan', 'Relation Name': 'products' }))).toHaveLength(1)
  expect(faultsOf(node({ 'Node Type': 'Sort', 'Actual Rows': 101 }))).toHaveLength(1)
  expect(
    faultsOf(node({ 'Node Type': 'Index Scan', 'Relation Name': 'variants', 'Actual Loops': 621 })),
  ).toHaveLength(1)
  expect(
    faultsOf(node({ 'Node Type': 'Index Only Scan', 'Relation Name': 'products', 'Actual Rows': 10_002 })),
  ).toHaveLength(1)
  expect(faultsOf(node({ 'Total Cost': 100_000 }))).toHaveLength(1)
  expect(
    faultsOf(node({ 'Node Type': 'Index Scan', 'Relation Name': 'variants', 'Actual Rows': 31 })),
  ).toEqual([])
})
