/**
 * How Postgres reads a tenant of 10,000 products: for every filter, order and search of the list, and for items. What grows with the
 * table is found here, and not by somebody who has a large one. Settings are the server's own.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { productListParameters } from '../../src/resources/products/index.ts'
import { connected, databaseUrls, useOwnDatabase } from '../support/database.ts'
import { type FilledTenant, fill } from '../support/fill.ts'
import { type Explained, explained, nodesOf, type PlanNode, rowsRead, tellPlans } from '../support/plans.ts'
import { type SentStatement, sentBy } from '../support/sent.ts'
import { openShop, type Shop } from '../support/shop.ts'

const amount = 10_000
const page = 30
/** The most that a page may have, and about what the products of one belong to. */
const longest = 100
/** What an exact total reads at most, of an index alone. */
const counted = 10_001
/** Above it Postgres compiles a statement, where it can: its default. */
const jitAboveCost = 100_000

let drop: () => Promise<void>
let shop: Shop
/** Tables of more than a page or two, whose sequential scan is more than a look. */
let large: ReadonlySet<string>
/** The collection that every tenth product is in. */
let sale: string
let sample: Awaited<ReturnType<typeof one>>

async function one(at: Shop) {
  const { body } = await at.get('/api/products?itemsPerPage=1', { status: 200 })
  const [product] = body.member
  return { product, variant: product.variants[0], category: product.categories[0] }
}

beforeAll(async () => {
  drop = await useOwnDatabase()
  // The server that npm installed has a superuser of a known name; another is named by one.
  const { username, password } = new URL(
    process.env.TEST_DATABASE_URL ?? 'postgresql://postgres:postgres@local',
  )
  await tellPlans(Object.assign(new URL(databaseUrls().ownerUrl), { username, password }).href)
  shop = await openShop({ id: crypto.randomUUID() })
  const scratch = await openShop({ id: crypto.randomUUID() })
  const shops: Readonly<Record<string, Shop>> = { [shop.host]: shop, [scratch.host]: scratch }
  const told = ({ tenant, host }: Shop): FilledTenant => ({ id: tenant.id, host })
  await connected(databaseUrls().ownerUrl, (owner) =>
    fill({
      owner,
      call: async (host, method, path, body) => (await shops[host]!.request(method, path, { body })).body,
      tenant: told(shop),
      scratch: told(scratch),
      products: amount,
    }),
  )
  await connected(databaseUrls().ownerUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relpages > 2`,
    )
    large = new Set(rows.map(({ name }) => name))
  })
  sample = await one(shop)
  const { body } = await shop.get('/api/collections', { status: 200 })
  sale = body.member.find((each: { title: string }) => each.title === 'On sale')['@id']
}, 240_000)

afterAll(() => drop())

/** The last batch that a request sends. */
async function batchOf(path: string): Promise<readonly SentStatement[]> {
  const batches = await sentBy(() =>
    shop.get(path, { status: 200, headers: { 'Cache-Control': 'no-cache' } }),
  )
  return batches.at(-1) ?? []
}

/** What is wrong with a plan, one text a fault. */
function faultsOf({ plan }: Explained, { sorted = longest, looked = 20 * (page + 1) } = {}): string[] {
  const faults = nodesOf(plan).flatMap((node) => {
    const [type, table = ''] = [node['Node Type'], node['Relation Name']]
    const read = rowsRead(node)
    const told = `${type} of ${node['Index Name'] ?? table}: ${read} rows`
    if (type === 'Seq Scan' && large.has(table)) return [told]
    if (/Sort$/.test(type) && read / Math.max(1, node['Actual Loops']) > sorted) return [told]
    if (table !== '' && read > (type === 'Index Only Scan' ? counted : looked)) return [told]
    return []
  })
  const cost = plan['Total Cost']
  return cost < jitAboveCost ? faults : [...faults, `a cost of ${cost}`]
}

const prices =
  'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'

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
  'resolveContext[at]': [[() => `${prices}&updatedAt[after]=2000-01-01`]],
  'resolveContext[knownAt]': [[() => `${prices}&resolveContext[knownAt]=2090-12-01T00:00:00Z`]],
  explain: [[() => `${prices}&explain=price`]],
  expand: [[() => 'expand=categories']],
  status: [[() => 'status=ACTIVE'], [() => 'status=DRAFT']],
  handle: [[() => `handle=${sample.product.handle}`]],
  externalId: [[() => `externalId=${sample.product.externalId}`]],
  sku: [[() => `sku=${sample.variant.sku}`], [() => 'sku=none']],
  barcode: [[() => 'barcode=none']],
  vendor: [[() => 'vendor=Vendor%201']],
  productType: [[() => 'productType=Type%203']],
  // Fewer products than are worth an index of their order are put in order when they are asked for.
  tag: [[() => 'tag=sample'], [() => 'tag=group-3', { sorted: 200 }], [() => 'tag=none']],
  channel: [[() => 'channel=web'], [() => 'channel=outlet'], [() => 'channel=none']],
  // Of a search every match is ranked, and looked at for whether it is to be shown.
  q: [
    [() => `q=${sample.product.title.split(' ')[1]}`],
    [() => 'q=lamp', { sorted: 1300, looked: 1300 }],
    [() => 'q=lanp', { sorted: 1300, looked: 1300 }],
    [() => 'q=zzzzqqqq'],
  ],
  category: [[() => `category=${sample.category['@id']}`, { sorted: 200 }]],
  'category[descendants]': [
    [() => `category=${sample.category.parent}&category[descendants]=true`, { sorted: 1100, looked: 1100 }],
  ],
  collection: [[() => `collection=${sale}`, { sorted: 1100, looked: 1100 }]],
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
  expect(Object.keys(queries).toSorted()).toEqual(Object.keys(productListParameters).toSorted())
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
])('%s', async (_, path) => {
  const plans = await explained(databaseUrls().appUrl, await batchOf(path()))
  expect(plans.flatMap((plan) => faultsOf(plan))).toEqual([])
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
