import { beforeAll, describe, expect, test } from 'vitest'
import { eventsOf } from '../support/ledger.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

/** In every text of the twin, and in none of the shop's. */
const canary = 'canary-5d1f'
const unknown = '01890000-0000-7000-8000-000000000000'

type Iris = Readonly<
  Record<'product' | 'option' | 'value' | 'variant' | 'category' | 'child' | 'collection' | 'offer', string>
>
let [shop, twin]: [Shop, Shop] = [undefined as never, undefined as never]
let [own, foreign]: [Iris, Iris] = [undefined as never, undefined as never]

beforeAll(async () => {
  ;[shop, twin] = await Promise.all([openShop(), openShop()])
  foreign = await fill(twin, canary)
  own = await fill(shop, 'mine')
})

/** The same handles, SKUs and external ids in every shop; the texts are its own. */
async function fill(at: Shop, text: string): Promise<Iris> {
  await at.create('/api/markets', { key: 'fr', channel: text, country: 'FR', currency: 'EUR', name: text })
  await at.rest()
  const campaign = await at.create('/api/campaigns', { name: text, description: text, externalId: 'w' })
  await at.create('/api/search_synonyms', { locale: 'en-US', sets: [['shirt', `${text}-blouse`]] })
  const category = await at.create('/api/categories', {
    title: `${text} category`,
    handle: 'clothes',
    externalId: 'c',
    description: text,
  })
  const child = await at.create('/api/categories', {
    title: `${text} child`,
    handle: 'shirts',
    parent: category['@id'],
  })
  const body = await at.create(
    '/api/products',
    {
      title: `${text} product`,
      handle: 'shirt',
      externalId: 'p',
      description: text,
      vendor: text,
      tags: ['tag', text],
      channels: ['web', text],
      categories: [category['@id']],
      options: [{ title: `${text} size`, values: [{ title: `${text} S` }, { title: `${text} M` }] }],
      variants: [
        {
          sku: 'SKU-1',
          externalId: 'v',
          barcode: '4006381333931',
          optionValues: [{ option: `${text} size`, value: `${text} S` }],
        },
      ],
    },
    { headers: { 'Idempotency-Key': 'same-key' } },
  )
  const [option] = body.options
  const variant = body.variants[0]['@id']
  const offer = await at.create('/api/sale_offers', {
    variant,
    currency: 'EUR',
    amount: text === canary ? '10' : '12',
    externalId: 'o',
    channel: text,
    campaign: campaign['@id'],
  })
  const collection = await at.create('/api/collections', {
    title: `${text} collection`,
    handle: 'summer',
    externalId: 's',
    description: text,
  })
  await at.create(`${collection['@id']}/products`, { product: body['@id'] })
  return {
    product: body['@id'],
    option: option['@id'],
    value: option.values[1]['@id'],
    variant,
    category: category['@id'],
    child: child['@id'],
    collection: collection['@id'],
    offer: offer['@id'],
  }
}

const lists = [
  '/api/products',
  '/api/option_values',
  '/api/categories',
  '/api/collections',
  '/api/sale_offers',
  '/api/campaigns',
  '/api/markets',
  '/api/search_synonyms',
]
const queries = [
  '',
  '?updatedAt[after]=2000-01-01',
  '?order[id]=asc&itemsPerPage=1',
  '?handle=shirt',
  '?handle=clothes',
  '?externalId=p',
  '?externalId=c',
  '?sku=SKU-1',
  '?barcode=4006381333931',
  '?tag=tag',
  '?q=shirt',
  '?q=product',
  '?q=prodct',
  `?q=${canary}`,
  '?channel=web',
  `?vendor=${canary}`,
  `?tag=${canary}`,
  `?channel=${canary}`,
  '?market=fr&price[from]=0&facets[]=price&facets[]=reduced',
  '?market=fr&order[price]=asc',
  '?market=fr&hasPrice=true',
  '?q=s&suggest=true',
  '?q=can&suggest=true',
  '?facets[]=vendor&facets[]=tags&facets[]=category&facets[]=collection',
  '?expand=children',
  '?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-01-01T00:00:00Z',
]

const contentOf = ({ text, headers }: Reply) =>
  `${text}\n${[...headers].map((each) => each.join(': ')).join('\n')}`

test('the twin sees its own canary, so that looking for it can find something', async () => {
  for (const path of lists) expect(contentOf(await twin.get(path, { status: 200 })), path).toContain(canary)
})

test('no list of a shop contains a byte of its twin, with any parameters', async () => {
  const ids = Object.values(foreign).map((iri) => iri.split('/').at(-1)!)
  const paths = [
    ...lists.flatMap((path) => queries.map((query) => path + query)),
    ...(['option', 'product', 'variant', 'category', 'collection', 'parent'] as const).flatMap((name) => {
      const iri = name === 'parent' ? foreign.category : foreign[name]
      return lists.map((path) => `${path}?${name}=${encodeURIComponent(iri)}`)
    }),
    `/api/products?category[descendants]=true&category=${encodeURIComponent(foreign.category)}`,
    `${own.product}/product_options`,
    `${own.product}/variants`,
    `${own.collection}/products`,
    '/api/price_changes?market=fr',
    '/api/price_changes?market=fr&ahead=P30D',
  ]
  for (const path of paths) {
    const reply = await shop.get(path)
    // The caller's own input returns in links; everything else is the shop's own.
    const answer = contentOf(reply).replaceAll(path.split('?')[1] ?? '\0', '')
    const heard = JSON.stringify({ member: reply.body.member, total: reply.body.totalItems })
    expect(path.includes(canary) ? heard : answer, path).not.toContain(canary)
    for (const id of ids) expect(heard, path).not.toContain(id)
  }
})

test('totals and Service-Sequence count the own alone', async () => {
  for (const path of lists) {
    const [mine, theirs] = await Promise.all([shop.get(path), twin.get(path)])
    expect(mine.body.totalItems, path).toBe(theirs.body.totalItems)
  }
  const { headers } = await shop.get('/api/products', { status: 200 })
  expect(Number(headers.get('service-sequence'))).toBe((await eventsOf(shop)).length)
})

test('filters, facets, ranges, suggestions and changes count the own prices and products alone', async () => {
  const facets = '&facets[]=price&facets[]=reduced&facets[]=vendor'
  const counted = async (at: Shop) => {
    const {
      totalItems,
      facets: values,
      member,
    } = await at.read(`/api/products?market=fr&hasPrice=true${facets}`)
    const { suggestions } = await at.read('/api/products?q=pro&suggest=true')
    const { member: changes } = await at.read('/api/price_changes?market=fr')
    const ofTwin = await at.read('/api/products?market=fr&price[until]=11')
    return {
      totalItems,
      facets: values.map(({ values }: Reply['body']) => values.map(({ count }: Reply['body']) => count)),
      ranges: member.map(({ priceRange }: Reply['body']) => priceRange.from),
      suggestions: suggestions.map(({ count }: Reply['body']) => count),
      changes: changes.map(({ variant, after }: Reply['body']) => `${variant} ${after}`),
      cheap: ofTwin.totalItems,
    }
  }
  expect(await counted(shop)).toMatchObject({
    totalItems: 1,
    ranges: ['12.00'],
    changes: [`${own.variant} 12.00`],
    cheap: 0,
  })
  expect(await counted(twin)).toMatchObject({
    totalItems: 1,
    ranges: ['10.00'],
    changes: [`${foreign.variant} 10.00`],
    cheap: 1,
  })
  const [{ facets: mine, suggestions }, theirs] = [await counted(shop), await counted(twin)]
  expect([mine, suggestions]).toEqual([theirs.facets, theirs.suggestions])
  expect(suggestions.length).toBeGreaterThan(0)
})

test("every method on the twin's resources responds exactly as for unknown ids", async () => {
  const methods = [['GET'], ['PATCH', {}], ['PATCH', { title: 'x' }], ['DELETE']] as const
  const before = await eventsOf(twin)
  const paths: string[] = [...Object.values(foreign), foreign.variant.replace(foreign.product, own.product)]
  for (const path of paths) {
    const nobody = path.replace(/[^/]+$/, unknown)
    for (const [method, body] of methods) {
      const asked = body ? { body } : {}
      const [real, none] = [
        await shop.request(method, path, asked),
        await shop.request(method, nobody, asked),
      ]
      expect(real.status, `${method} ${path}`).toBe(404)
      expect(comparable(real), `${method} ${path}`).toEqual(comparable(none))
      expect(contentOf(real)).not.toContain(canary)
    }
  }
  for (const list of ['product_options', 'variants']) {
    const [path, nobody] = [`${foreign.product}/${list}`, `/api/products/${unknown}/${list}`]
    expect(comparable(await shop.get(path))).toEqual(comparable(await shop.get(nobody)))
    const body = { title: 'x', optionValues: [] }
    expect(comparable(await shop.post(path, { body }))).toEqual(comparable(await shop.post(nobody, { body })))
  }
  expect(await eventsOf(twin)).toEqual(before)
})

/** Status, slugs and paths of an answer, and its text without ids. */
function comparable({ status, body, headers }: Reply) {
  const masked = JSON.stringify(body).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
  const names = [...headers.keys()].toSorted()
  return { status, body: masked, names }
}

type Relation = readonly [
  name: string,
  method: string,
  path: (own: Iris) => string,
  body: (iri: string) => unknown,
  kind: keyof Iris,
]
const relations: readonly Relation[] = [
  [
    'categories of a new product',
    'POST',
    () => '/api/products',
    (iri) => ({ title: 'x', categories: [iri] }),
    'category',
  ],
  [
    'categories of a product',
    'PATCH',
    ({ product }) => product,
    (iri) => ({ categories: [iri] }),
    'category',
  ],
  [
    'categories as objects',
    'PATCH',
    ({ product }) => product,
    (iri) => ({ categories: [{ '@id': iri }] }),
    'category',
  ],
  [
    'parent of a new category',
    'POST',
    () => '/api/categories',
    (parent) => ({ title: 'x', parent }),
    'category',
  ],
  ['parent of a category', 'PATCH', ({ child }) => child, (parent) => ({ parent }), 'category'],
  [
    'children of a new category',
    'POST',
    () => '/api/categories',
    (iri) => ({ title: 'x', children: [iri] }),
    'child',
  ],
  ['children of a category', 'PATCH', ({ category }) => category, (iri) => ({ children: [iri] }), 'child'],
  [
    'product of a collection',
    'POST',
    ({ collection }) => `${collection}/products`,
    (product) => ({ product }),
    'product',
  ],
  [
    'category in the rules of a new collection',
    'POST',
    () => '/api/collections',
    (value) => ({
      title: 'x',
      rules: { conditions: [{ field: 'category', operator: 'EQUALS', value }] },
    }),
    'category',
  ],
  [
    'option of a new value',
    'POST',
    () => '/api/option_values',
    (option) => ({ title: 'x', option }),
    'option',
  ],
  [
    'values of a new variant',
    'POST',
    ({ product }) => `${product}/variants`,
    (iri) => ({ optionValues: [iri] }),
    'value',
  ],
  ['values of a variant', 'PATCH', ({ variant }) => variant, (iri) => ({ optionValues: [iri] }), 'value'],
  [
    'variant of a new offer',
    'POST',
    () => '/api/sale_offers',
    (variant) => ({ variant, currency: 'EUR', amount: '1' }),
    'variant',
  ],
]

describe('an IRI of the twin in a written relation has the response of an unknown one', () => {
  test.each(relations)('%s', async (_, method, path, body, kind) => {
    const before = [await eventsOf(shop), await eventsOf(twin)]
    const ask = (iri: string) => shop.request(method, path(own), { body: body(iri) })
    const mask = (iri: string) => iri.replaceAll(/[0-9a-f-]{36}/g, unknown)
    const [real, none] = [await ask(foreign[kind]), await ask(mask(foreign[kind]))]
    expect(real.status, real.text).toBe(422)
    expect(comparable(real)).toEqual(comparable(none))
    expect(contentOf(real)).not.toContain(canary)
    expect([await eventsOf(shop), await eventsOf(twin)]).toEqual(before)
  })
})

test('an Idempotency-Key that the twin has used is new', async () => {
  const made = await shop.post('/api/products', {
    body: { title: 'ours' },
    headers: { 'Idempotency-Key': 'twin-only' },
    status: 201,
  })
  const theirs = await twin.post('/api/products', {
    body: { title: 'theirs' },
    headers: { 'Idempotency-Key': 'twin-only' },
    status: 201,
  })
  expect(theirs.headers.get('idempotency-replayed')).toBeNull()
  expect(theirs.body.title).toBe('theirs')
  expect(contentOf(made)).not.toContain(canary)
  await shop.delete(made.body['@id'], { status: 204 })
})

test('a token of the twin answers as any bad token', async () => {
  const foreignToken = await shop.get('/api/products', { token: await twin.token(), status: 401 })
  const bad = await shop.get('/api/products', { token: 'a.b.c', status: 401 })
  // Only a local service, as in this test, returns the failed check.
  const withoutHint = (reply: Reply) => comparable({ ...reply, body: { ...reply.body, hint: null } })
  expect(withoutHint(foreignToken)).toEqual(withoutHint(bad))
})
