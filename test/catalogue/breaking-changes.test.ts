/** What a version may change, on real resources through every door: names, values, places, defaults, forms; one after another. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { readBody } from '../../src/core/body.ts'
import { shapesOf } from '../../src/core/reach.ts'
import { unwritten } from '../../src/core/unwritten.ts'
import { upgrade } from '../../src/core/versioned.ts'
import { resources } from '../../src/resources/index.ts'
import { dialects } from '../../src/versions/index.ts'
import { operations, published } from '../documents/published.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { openWorld } from '../support/webhooks.ts'

vi.mock('../../src/versions/list.ts', async () => {
  const { sampleVersions } = await import('../support/sample-versions.ts')
  return { versions: sampleVersions, currentVersion: '2026-10' }
})

const today = {
  title: 'Shirt',
  vendor: 'Acme',
  status: 'ARCHIVED',
  tags: ['a', 'b'],
  seo: { title: 'T', description: 'D' },
}
const inJuly = {
  title: 'Shirt',
  maker: 'Acme',
  status: 'RETIRED',
  tags: 'a,b',
  seoTitle: 'T',
  seo: { description: 'D' },
  archived: true,
  origin: 'api',
}
const { maker, origin, ...others } = inJuly
const inApril = { ...others, brand: maker, source: origin, status: 'GONE' }
const media = (type: string) => [{ url: 'https://www.example.com/a.jpg', alt: null, type }]

const written = [
  ['2026-10', { ...today, media: media('IMAGE') }],
  ['2026-07', { ...inJuly, media: media('PICTURE') }],
  ['2026-04', { ...inApril, media: media('PICTURE') }],
] as const

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const create = async (body: object, version = '2026-10') =>
  (await shop.post('/api/products', { body, version, status: 201 })).body

describe.each(written)('in %s', (version, document) => {
  test('a product is written and shown as the version has it, and every other sees the same', async () => {
    const made = await create(document, version)
    expect(made).toMatchObject(document)
    for (const [other, expected] of written) {
      const { body } = await shop.get(made['@id'], { version: other, status: 200 })
      expect(body).toMatchObject(expected)
      const foreign = new Set(written.flatMap(([, each]) => Object.keys(each)))
      for (const name of Object.keys(expected)) foreign.delete(name)
      expect(Object.keys(body).filter((name) => foreign.has(name))).toEqual([])
    }
  })

  test('a document sent back as it was read changes nothing and is ignored nowhere', async () => {
    const headers = { prefer: 'handling=strict' }
    for (const each of [{ ...document, status: undefined }, { title: 'Bare' }]) {
      const made = await create(each, version)
      const { body } = await shop.patch(made['@id'], { body: made, version, headers, status: 200 })
      expect(body).toEqual(made)
    }
  })

  test('answers are as the version’s OpenAPI document says', async () => {
    const { faults } = await published(shop, version)
    const ask = (name: string) => operations.find((each) => each.name === name)!
    const made = await shop.post('/api/products', { body: document, version, status: 201 })
    const path = made.body['@id']
    const options = [{ title: 'Size', values: [{ title: 'S' }] }]
    await create(
      { ...document, options, variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }] },
      version,
    )
    await shop.post('/api/categories', { body: { title: 'C' }, version, status: 201 })
    const read = (from: string) => shop.get(from, { version, status: 200 })
    expect(faults(ask('createProducts'), made)).toEqual([])
    expect(faults(ask('getProduct'), await read(path))).toEqual([])
    expect(faults(ask('listProducts'), await read('/api/products'))).toEqual([])
    expect(faults(ask('listCategories'), await read('/api/categories'))).toEqual([])
    expect(faults(ask('listEvents'), await read('/api/events'))).toEqual([])
    expect(faults(ask('listWebhookSubscriptions'), await read('/api/webhook_subscriptions'))).toEqual([])
  })

  test('bodies as the version’s OpenAPI document shows them are taken', async () => {
    const { document: documented } = await published(shop, version)
    const { ProductCreate, CategoryCreate, VariantCreate } = documented.components.examples
    const dialect = dialects.get(version)!
    const shapes = shapesOf(resources)
    for (const [type, { value }] of Object.entries({
      Product: ProductCreate,
      Category: CategoryCreate,
      Variant: VariantCreate,
    })) {
      const shape = shapes.get(type)!
      const { body, violations } = upgrade(value, shape, shapes, dialect, 'create')
      expect([...violations, ...readBody(body, shape, 'create').violations]).toEqual([])
      expect(unwritten(body, shape, shapes, 'create')).toEqual([])
    }
  })

  test('properties[] has the names of the version', async () => {
    const made = await create(document, version)
    const names = Object.keys(document)
    const query = names.map((name) => `properties[]=${name}`).join('&')
    const { body } = await shop.get(`${made['@id']}?${query}`, { version, status: 200 })
    const { '@context': _, '@id': __, '@type': ___, ...selected } = body
    expect(selected).toEqual(document)
    const listed = await shop.get(`/api/products?status=${document.status}&${query}`, {
      version,
      status: 200,
    })
    const member = listed.body.member.find((each: { '@id': string }) => each['@id'] === made['@id'])
    expect(member).toEqual({ ...document, '@id': made['@id'], '@type': 'Product' })
  })
})

describe('prices that come with a product', () => {
  const withPrice = (more: object) => ({
    title: 'Shirt',
    variants: [{ saleOffers: [{ currency: 'EUR', amount: '1', ...more }] }],
  })
  const post = (more: object, version: string, status: number) =>
    shop.post('/api/products', { body: withPrice(more), version, status })
  const told = ({ body }: { body: { violations: { propertyPath: string; slug: string }[] } }) =>
    body.violations.map((each) => `${each.propertyPath} ${each.slug}`)

  test('are written as the version has them', async () => {
    const { body } = await post({ rank: 5, status: 'PLANNED' }, '2026-07', 201)
    const { member } = (await shop.get(`/api/sale_offers?product=${body['@id']}`, { status: 200 })).body
    expect(member).toMatchObject([{ priority: 5, status: 'DRAFT' }])
  })

  test('are refused in its names, and by the names of another', async () => {
    expect(told(await post({ rank: 1001 }, '2026-07', 422))).toEqual([
      'variants[0].saleOffers[0].rank validation.too_big',
    ])
    expect(told(await post({ priority: 5 }, '2026-07', 422))).toEqual([
      'variants[0].saleOffers[0].priority version.renamed_property',
    ])
    expect(told(await post({ rank: 5 }, '2026-10', 422))).toEqual([
      'variants[0].saleOffers[0].rank version.renamed_property',
    ])
  })

  test('are documented as the version has them', async () => {
    for (const [version, known, unknown] of [
      ['2026-07', 'rank', 'priority'],
      ['2026-10', 'priority', 'rank'],
    ] as const) {
      const { document } = await published(shop, version)
      const { saleOffers } = document.components.schemas.ProductCreate.properties.variants.items.properties
      expect(saleOffers.items.properties).toHaveProperty(known)
      expect(saleOffers.items.properties).not.toHaveProperty(unknown)
    }
  })
})

test('a patch clears what it names, and what is apart today as a whole', async () => {
  const made = await create({ ...today, status: 'DRAFT' })
  const patch = (body: object) => shop.patch(made['@id'], { body, version: '2026-07', status: 200 })
  await patch({ seo: null })
  expect((await shop.get(made['@id'])).body.seo).toEqual({ title: 'T' })
  await patch({ seo: { description: 'E' }, seoTitle: null, tags: null, maker: null })
  expect((await shop.get(made['@id'])).body).toMatchObject({
    seo: { description: 'E' },
    tags: [],
    vendor: null,
  })
})

test('what a create leaves open means what it meant in the version', async () => {
  const status = async (version: string) => (await create({ title: 'Open' }, version)).status
  expect(await Promise.all(['2026-10', '2026-07', '2026-04'].map(status))).toEqual([
    'DRAFT',
    'ACTIVE',
    'ACTIVE',
  ])
  const options = [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }]
  const first = { sku: `A${Math.random()}`, optionValues: [{ option: 'Size', value: 'S' }] }
  const second = { sku: `B${Math.random()}`, optionValues: [{ option: 'Size', value: 'M' }] }
  const titles = async (version: string) => {
    const product = await create({ title: 'V', options }, version)
    const path = `${product['@id']}/variants`
    for (const body of [first, second]) {
      const sku = `${body.sku}${version}`
      await shop.post(path, { body: { ...body, sku }, version, status: 201 })
    }
    const { body } = await shop.get(path, { version })
    return body.member.map((each: { title: string }) => each.title)
  }
  expect(await titles('2026-10')).toEqual(['S', 'M'])
  expect(await titles('2026-07')).toEqual(['M', 'S'])
})

describe('what another version has is refused', () => {
  test.each([
    ['2026-07', { vendor: 'x' }, 'vendor', 'maker'],
    ['2026-07', { brand: 'x' }, 'brand', 'maker'],
    ['2026-04', { vendor: 'x' }, 'vendor', 'brand'],
    ['2026-04', { maker: 'x' }, 'maker', 'brand'],
    ['2026-10', { brand: 'x' }, 'brand', 'vendor'],
    ['2026-10', { maker: 'x' }, 'maker', 'vendor'],
    ['2026-10', { seoTitle: 'x' }, 'seoTitle', 'seo.title'],
    ['2026-07', { seo: { title: 'x' } }, 'seo.title', 'seoTitle'],
  ])('in %s %j', async (version, body, path, right) => {
    const reply = await shop.post('/api/products', { body: { title: 'X', ...body }, version, status: 422 })
    expect(reply.body.slug).toBe('version.renamed_property')
    expect(reply.body.violations).toMatchObject([
      { propertyPath: path, message: expect.stringContaining(right) },
    ])
  })

  test.each([
    ['2026-10', { status: 'RETIRED' }, 'status', 'DRAFT, ACTIVE, ARCHIVED'],
    ['2026-07', { status: 'ARCHIVED' }, 'status', 'DRAFT, ACTIVE, RETIRED'],
    ['2026-07', { status: 'GONE' }, 'status', 'DRAFT, ACTIVE, RETIRED'],
    ['2026-04', { status: 'RETIRED' }, 'status', 'DRAFT, ACTIVE, GONE'],
    ['2026-04', { status: 'ARCHIVED' }, 'status', 'DRAFT, ACTIVE, GONE'],
    ['2026-04', { status: 'nonsense' }, 'status', 'DRAFT, ACTIVE, GONE'],
    ['2026-04', { media: media('IMAGE') }, 'media[0].type', 'PICTURE, VIDEO, MODEL_3D, DOCUMENT'],
    ['2026-04', { media: media('nonsense') }, 'media[0].type', 'PICTURE, VIDEO, MODEL_3D, DOCUMENT'],
  ])('in %s %j, with the choices of the version', async (version, body, path, choices) => {
    const reply = await shop.post('/api/products', { body: { title: 'X', ...body }, version, status: 422 })
    expect(reply.body.slug).toBe('validation.choice')
    expect(reply.body.violations).toMatchObject([
      { propertyPath: path, message: expect.stringMatching(new RegExp(` ${choices}\\.$`)) },
    ])
    expect(reply.body.message).toContain(choices)
  })

  test.each([
    ['2026-07', { tags: ['a'] }, 'tags', 'validation.type'],
    ['2026-10', { tags: 'a' }, 'tags', 'validation.type'],
    ['2026-07', { tags: 'a,,b' }, 'tags', 'validation.blank'],
    ['2026-07', { seoTitle: 7 }, 'seoTitle', 'validation.type'],
    ['2026-04', { brand: 7 }, 'brand', 'validation.type'],
  ])('in %s %j is told where its caller wrote it', async (version, body, path, slug) => {
    const reply = await shop.post('/api/products', { body: { title: 'X', ...body }, version, status: 422 })
    expect(reply.body.violations).toMatchObject([{ propertyPath: path, slug }])
  })
})

test('members that mean nothing are named as they were written', async () => {
  const body = { title: 'N', seo: { bogus: 1 }, variantsTotal: 7, brandd: 'x' }
  const { headers } = await shop.post('/api/products', { body, version: '2026-04', status: 201 })
  expect(headers.get('service-ignored-properties')?.split(', ').sort()).toEqual([
    'brandd',
    'seo.bogus',
    'variantsTotal',
  ])
  const strict = { prefer: 'handling=strict' }
  const reply = await shop.post('/api/products', {
    body: { title: 'N', brandd: 'x' },
    version: '2026-04',
    headers: strict,
    status: 422,
  })
  expect(reply.body.violations[0].message).toContain('→ brand')
})

describe('what there is no more', () => {
  const ignored = ({ headers }: { headers: Headers }) => headers.get('service-ignored-properties')
  const strict = { prefer: 'handling=strict' }

  test.each([
    ['POST', 201],
    ['PATCH', 200],
  ])('is taken by %s as it was, or read-only, and changes nothing', async (method, status) => {
    const at = method === 'POST' ? '/api/products' : (await create({ title: 'P' }))['@id']
    const send = (body: object, version: string, expected = status) =>
      shop.request(method, at, { body: { title: 'P', ...body }, version, headers: strict, status: expected })
    const made = await send({ source: 'web', archived: true }, '2026-04')
    expect(made.body).toMatchObject({ source: 'api', archived: false })
    expect(ignored(made)).toBe('archived')
    const cleared = await send({ source: null, archived: null }, '2026-04')
    expect(cleared.body).toMatchObject({ source: 'api', archived: false })
    expect(ignored(cleared)).toBe(method === 'POST' ? null : 'archived')
    const refused = await send({ source: 'x'.repeat(21) }, '2026-04', 422)
    expect(refused.body.violations).toMatchObject([{ propertyPath: 'source', slug: 'validation.too_long' }])
    const wrong = await send({ archived: 7, origin: 7 }, '2026-07', 422)
    expect(wrong.body.violations).toMatchObject([{ propertyPath: 'origin', slug: 'validation.type' }])
  })

  test('newer versions do not know, under none of its names', async () => {
    const body = { title: 'N', archived: true, origin: 'web', source: 'web' }
    const made = await shop.post('/api/products', { body, version: '2026-10', status: 201 })
    expect(ignored(made)?.split(', ').sort()).toEqual(['archived', 'origin', 'source'])
    expect(Object.keys(made.body).filter((name) => /^(archived|origin|source)$/.test(name))).toEqual([])
    const refused = await shop.post('/api/products', { body, headers: strict, status: 422 })
    expect(refused.body.violations.map((each: { slug: string }) => each.slug)).toEqual(
      Array.from({ length: 3 }, () => 'validation.unknown_property'),
    )
    const misnamed = await shop.post('/api/products', {
      body: { title: 'N', origin: 'web' },
      version: '2026-04',
      status: 422,
    })
    expect(misnamed.body.violations).toMatchObject([
      { propertyPath: 'origin', message: expect.stringContaining('source') },
    ])
  })

  test('is told of a resource within another where it follows from that one', async () => {
    const options = [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }]
    const variant = (value: string, weight: object | null) => ({
      optionValues: [{ option: 'Size', value }],
      weight,
    })
    const variants = [variant('S', { value: 2, unit: 'kg' }), variant('M', null)]
    const own = await openShop()
    const body = { title: 'W', options, variants }
    const product = (await own.post('/api/products', { body, status: 201 })).body
    const read = await own.get(product['@id'], { version: '2026-07', status: 200 })
    expect(read.body.variants.map((each: { grams: number }) => each.grams)).toEqual([2000, null])
    const [first] = product.variants
    const patch = (body: object) =>
      own.patch(first['@id'], { body, version: '2026-07', headers: strict, status: 200 })
    expect(ignored(await patch({ grams: 2000 }))).toBeNull()
    expect(ignored(await patch({ grams: 5 }))).toBe('grams')
    await patch({ weight: { value: 3 } })
    await patch({ weight: null })
    await patch({ weight: { value: 4, unit: 'KG' } })
    const query = 'properties[]=grams&itemsPerPage=1'
    const listed = await own.get(`${product['@id']}/variants?${query}`, { version: '2026-07', status: 200 })
    expect(listed.body.member).toEqual([{ '@id': first['@id'], '@type': 'Variant', grams: 4000 }])
    const feed = await own.get('/api/events?itemsPerPage=100', { version: '2026-07', status: 200 })
    const paths = feed.body.member
      .filter((each: { topic: string }) => each.topic === 'variant/updated')
      .flatMap((each: { changes: { path: string }[] }) => each.changes.map(({ path }) => path))
    // Of the weight a part changed, from which nothing follows.
    expect(paths).toEqual(['weight.value', 'weight', 'grams', 'weight', 'grams'])
  })

  test('beside what a body refers to is told where it says something else', async () => {
    const category = (await shop.post('/api/categories', { body: { title: 'Old' }, status: 201 })).body
    const sent = (depth: number) => ({
      title: 'R',
      categories: [{ '@id': category['@id'], depth }],
    })
    const post = (body: object) => shop.post('/api/products', { body, version: '2026-07', status: 201 })
    expect(ignored(await post(sent(1)))).toBeNull()
    expect(ignored(await post(sent(2)))).toBe('categories[0].depth')
  })
})

test('what is found wrong after stored values were read is told as the version has it', async () => {
  const product = await create({ title: 'W' })
  const variants = `${product['@id']}/variants`
  const made =
    (await shop.get(variants)).body.member[0] ?? (await shop.post(variants, { body: {}, status: 201 })).body
  const patch = (unit: string, status: number) =>
    shop.patch(made['@id'], { body: { weight: { value: 1, unit } }, version: '2026-07', status })
  const refused = await patch('nonsense', 422)
  const told = expect.stringContaining('g, KG, oz, lb')
  expect(refused.body).toMatchObject({ slug: 'validation.choice', message: told })
  expect(refused.body.violations).toMatchObject([{ propertyPath: 'weight.unit', message: told }])
  expect((await patch('kg', 422)).body.violations).toMatchObject([
    { propertyPath: 'weight.unit', message: told },
  ])
  expect((await patch('KG', 200)).body.weight).toEqual({ value: 1, unit: 'KG' })
})

test('what a body refers to is not made, so nothing is meant of it', async () => {
  const asked = { version: '2026-07', status: 201 }
  const category = (await shop.post('/api/categories', { body: { title: 'C' }, ...asked })).body
  expect(category.description).toBe('None.')
  const bare = (await shop.post('/api/categories', { body: { title: 'D' }, status: 201 })).body
  const body = { title: 'R', categories: [{ '@id': bare['@id'] }] }
  const { headers } = await shop.post('/api/products', { body, ...asked })
  expect(headers.get('service-ignored-properties')).toBeNull()
})

describe('filters and orders', () => {
  test('have the names and the values of the version', async () => {
    const own = await openShop()
    const post = (body: object) => own.post('/api/products', { body, status: 201 })
    await post({ title: 'A', vendor: 'Acme', status: 'ARCHIVED' })
    await post({ title: 'B', vendor: 'Other' })
    const titles = async (query: string, version: string) => {
      const { body, headers } = await own.get(`/api/products?${query}`, { version, status: 200 })
      return [
        body.member.map((each: { title: string }) => each.title),
        headers.get('service-ignored-parameters'),
      ]
    }
    expect(await titles('vendor=Other', '2026-10')).toEqual([['B'], null])
    expect(await titles('maker=Other', '2026-07')).toEqual([['B'], null])
    expect(await titles('brand=Other', '2026-04')).toEqual([['B'], null])
    expect(await titles('vendor=Nobody', '2026-04')).toEqual([['B'], 'vendor'])
    expect(await titles('brand=Nobody', '2026-10')).toEqual([['B'], 'brand'])
    expect(await titles('status=GONE', '2026-04')).toEqual([['A'], null])
    expect(await titles('status=RETIRED', '2026-07')).toEqual([['A'], null])
    for (const [version, choices] of [
      ['2026-04', 'DRAFT, ACTIVE, GONE'],
      ['2026-10', 'DRAFT, ACTIVE, ARCHIVED'],
    ]) {
      const refused = await own.get('/api/products?status=RETIRED', { version, status: 422 })
      expect(refused.body.violations).toMatchObject([
        { propertyPath: 'status', message: expect.stringContaining(choices!) },
      ])
    }
    const { body } = await own.get('/api/products?brand=Other&itemsPerPage=1', { version: '2026-04' })
    expect(body.search.template).toContain(',brand,')
    expect(body.search.template).not.toContain('vendor')
    expect(body.view.first).toContain('brand=Other')
  })

  test('orders have the names of the version, the first that is asked for weighing most', async () => {
    const own = await openShop()
    for (const title of ['B', 'A']) await own.post('/api/categories', { body: { title }, status: 201 })
    const titles = async (query: string, version: string) => {
      const { body, headers } = await own.get(`/api/categories?${query}`, { version, status: 200 })
      return [
        body.member.map((each: { title: string }) => each.title).join(''),
        headers.get('service-ignored-parameters'),
      ]
    }
    expect(await titles('order[place]=desc&order[title]=asc', '2026-04')).toEqual(['AB', null])
    expect(await titles('order[position]=asc', '2026-04')).toEqual(['AB', 'order[position]'])
    expect(await titles('order[title]=asc&order[place]=asc', '2026-04')).toEqual(['AB', null])
    expect(await titles('order[title]=desc&order[place]=desc', '2026-04')).toEqual(['BA', null])
    expect(await titles('order[place]=desc&order[title]=desc', '2026-04')).toEqual(['AB', null])
    expect(await titles('mother=null&order[place]=asc', '2026-04')).toEqual(['BA', null])
  })
})

test('the audit trail tells differences as the version has them', async () => {
  const made = await create({ title: 'T', vendor: 'V', seo: { title: 'S' }, tags: ['a'] })
  await shop.patch(made['@id'], {
    body: { status: 'ARCHIVED', vendor: 'W', seo: null, tags: ['a', 'b'] },
    status: 200,
  })
  const { body } = await shop.get(`${made['@id']}/audit_trail`, { version: '2026-04', status: 200 })
  const last = body.member.toSorted(
    (a: { sequence: number }, b: { sequence: number }) => b.sequence - a.sequence,
  )[0]
  expect(last.changes).toEqual(
    expect.arrayContaining([
      { path: 'status', before: 'DRAFT', after: 'GONE' },
      { path: 'brand', before: 'V', after: 'W' },
      { path: 'seoTitle', before: 'S', after: null },
      { path: 'tags', before: 'a', after: 'a,b' },
      { path: 'archived', before: false, after: true },
    ]),
  )
  expect(last.changes.map(({ path }: { path: string }) => path)).not.toContain('source')
  const now = (await shop.get(`${made['@id']}/audit_trail`, { status: 200 })).body
  expect(JSON.stringify(now)).not.toContain('"archived"')
})

test('fallbacks name the properties of the version', async () => {
  const made = await create({ title: 'T', seo: { title: 'S' } })
  const { body } = await shop.get(made['@id'], { version: '2026-07', locale: 'fr-FR' })
  expect(body.fallbacks).toEqual({ title: 'en-US', seo: 'en-US', seoTitle: 'en-US' })
})

describe('the translations of a resource', () => {
  const french = { title: 'Chemise', seoTitle: 'C', seo: { description: 'En coton' } }

  test('are read and written as the version has their properties', async () => {
    const made = await create({ title: 'Shirt', seo: { title: 'S' } })
    const path = `${made['@id']}/translations`
    const written = { 'en-US': { title: 'Shirt', seoTitle: 'S' }, 'fr-FR': french }
    const headers = { prefer: 'handling=strict', 'content-type': 'application/ld+json' }
    const asked = { body: { translations: written }, version: '2026-07', headers }
    const put = (await shop.put(path, { ...asked, status: 200 })).body
    expect(put.translations['fr-FR']).toEqual(french)
    const read = (await shop.get(path, { version: '2026-04', status: 200 })).body
    expect(read.translations).toEqual(put.translations)
    const now = (await shop.get(path, { status: 200 })).body
    expect(now.translations['fr-FR']).toEqual({
      title: 'Chemise',
      seo: { title: 'C', description: 'En coton' },
    })
    // What was read is what is taken.
    const again = { body: read, version: '2026-04', headers }
    expect((await shop.put(path, { ...again, status: 200 })).body).toEqual(read)
  })

  test('are refused in the names of the version, and by those of another', async () => {
    const made = await create({ title: 'Shirt' })
    const path = `${made['@id']}/translations`
    const refused = async (texts: object, version: string) => {
      const body = { translations: { 'en-US': { title: 'Shirt' }, 'fr-FR': texts } }
      const headers = { 'content-type': 'application/ld+json' }
      const { body: problem } = await shop.put(path, { body, version, headers, status: 422 })
      return problem.violations.map(({ propertyPath, slug }: Record<string, string>) => [propertyPath, slug])
    }
    const renamed = 'version.renamed_property'
    expect(await refused({ seoTitle: 1 }, '2026-07')).toEqual([
      ['translations.fr-FR.seoTitle', 'validation.type'],
    ])
    expect(await refused({ seo: { title: 'C' } }, '2026-07')).toEqual([
      ['translations.fr-FR.seo.title', renamed],
    ])
    expect(await refused({ seoTitle: 'C' }, '2026-10')).toEqual([['translations.fr-FR.seoTitle', renamed]])
  })

  test('are documented as the version has their properties', async () => {
    const textsIn = async (version: string) => {
      const { body } = await shop.get(`/api/openapi.json?version=${version}`, { token: null, status: 200 })
      const { translations } = body.components.schemas.PutProductTranslationsBody.properties
      const [texts = translations.additionalProperties] = translations.additionalProperties.anyOf ?? []
      return Object.keys(texts.properties)
    }
    expect(await textsIn('2026-04')).toEqual(['title', 'description', 'seo', 'seoTitle'])
    expect(await textsIn('2026-10')).toEqual(['title', 'description', 'seo'])
  })
})

test('webhooks have the version that is pinned, and includeFields its names', async () => {
  const world = await openWorld()
  const pinned = { topic: 'product/created', payloadVersion: '2026-04' }
  await world.subscribe({ ...pinned, callbackUrl: 'https://whole.shop.dev/' })
  await world.subscribe({
    ...pinned,
    callbackUrl: 'https://part.shop.dev/',
    includeFields: ['vendor', 'seo.title', 'tags', 'status', 'archived', 'origin'],
  })
  await world.shop.post('/api/products', { body: today, status: 201 })
  await world.drain()
  const of = (name: string) => world.receipts.find((each) => each.url.includes(name))!.body
  expect(of('whole')).toMatchObject(inApril)
  const { '@context': _, '@id': __, '@type': ___, id, ...part } = of('part')
  expect(part).toEqual({
    brand: 'Acme',
    seoTitle: 'T',
    tags: 'a,b',
    status: 'GONE',
    archived: true,
    source: 'api',
  })
})

test('includeFields are written, refused and shown in the names of the pin, and kept in today’s', async () => {
  const body = {
    topic: 'product/*',
    version: '2026-04',
    callbackUrl: 'https://127.0.0.1/',
    includeFields: ['brand', 'seoTitle', 'seo', 'variants.sku', 'categories.place', 'source'],
  }
  const made = (await shop.post('/api/webhook_subscriptions', { body, status: 201 })).body
  expect(made.includeFields).toEqual(body.includeFields)
  const moved = await shop.patch(made['@id'], { body: { version: '2026-10' }, status: 200 })
  expect(moved.body.includeFields).toEqual([
    'vendor',
    'seo.title',
    'seo',
    'variants.sku',
    'categories.position',
    'origin',
  ])
  const back = await shop.patch(made['@id'], { body: { version: '2026-04' }, status: 200 })
  expect(back.body.includeFields).toEqual(body.includeFields)
  const refused = await shop.post('/api/webhook_subscriptions', {
    body: { ...body, includeFields: ['seo.title', 'maker'] },
    status: 422,
  })
  expect(refused.body.violations.map((each: { message: string }) => each.message)).toEqual([
    expect.stringContaining('seoTitle'),
    expect.stringContaining('brand'),
  ])
})

describe('what describes the service', () => {
  test('OpenAPI has the properties, values and parameters of the version', async () => {
    const { body } = await shop.get('/api/openapi.json?version=2026-04', { token: null, status: 200 })
    const { Product, ProductCreate } = body.components.schemas
    for (const { properties } of [Product, ProductCreate]) {
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(['brand', 'seoTitle', 'tags']))
      expect(Object.keys(properties)).not.toContain('vendor')
      expect(properties.status.enum.slice(0, 3)).toEqual(['DRAFT', 'ACTIVE', 'GONE'])
      expect(properties.media.items.properties.type.enum[0]).toBe('PICTURE')
      expect(Object.keys(properties.seo.properties)).toEqual(['description'])
      expect(properties.tags).toMatchObject({
        type: expect.arrayContaining(['string']),
        examples: ['organic,summer'],
      })
    }
    const parameters = new Map(
      body.paths['/api/products'].get.parameters.map((each: { name: string }) => [each.name, each]),
    )
    expect([...parameters.keys()]).toContain('brand')
    expect([...parameters.keys()]).not.toContain('vendor')
    expect(parameters.get('status')).toMatchObject({ schema: { enum: ['DRAFT', 'ACTIVE', 'GONE'] } })
    const { body: now } = await shop.get('/api/openapi.json?version=2026-10', { token: null, status: 200 })
    expect(now.components.schemas.Product.properties.status.enum).toEqual(['DRAFT', 'ACTIVE', 'ARCHIVED'])
    expect(Object.keys(now.components.schemas.Product.properties.seo.properties)).toEqual([
      'title',
      'description',
    ])
    expect(Product.properties.archived).toMatchObject({
      anyOf: [{ type: 'boolean' }, { type: 'null' }],
      description: 'Whether it is archived.',
      examples: [false],
    })
    expect(Product.properties.source).toMatchObject({ type: ['string', 'null'], examples: ['api'] })
    expect(ProductCreate.properties.source).toMatchObject({ maxLength: 20 })
    expect(Object.keys(ProductCreate.properties)).not.toContain('archived')
    const gone = ['archived', 'origin', 'source']
    for (const { properties } of [now.components.schemas.Product, now.components.schemas.ProductCreate])
      expect(Object.keys(properties).filter((each) => gone.includes(each))).toEqual([])
  })

  test('Hydra and the contexts have the properties of the version; without a version, of all', async () => {
    const names = async (version: string) => {
      const { body } = await shop.get(`/api/docs.jsonld?version=${version}`, { token: null, status: 200 })
      const { supportedProperty } = body.supportedClass.find(
        (each: { title: string }) => each.title === 'Product',
      )
      return supportedProperty.map((each: { title: string }) => each.title)
    }
    expect(await names('2026-04')).toEqual(
      expect.arrayContaining(['brand', 'seoTitle', 'archived', 'source']),
    )
    expect(await names('2026-10')).not.toContain('archived')
    expect(await names('2026-04')).not.toContain('vendor')
    expect(await names('2026-10')).not.toContain('seoTitle')
    const terms = async (query: string) =>
      Object.keys((await shop.get(`/api/contexts/Product${query}`, { token: null })).body['@context'])
    expect(await terms('?version=2026-04')).toEqual(expect.arrayContaining(['brand', 'archived', 'source']))
    expect(await terms('?version=2026-10')).not.toContain('archived')
    expect(await terms('?version=2026-04')).not.toContain('vendor')
    expect(await terms('')).toEqual(
      expect.arrayContaining(['brand', 'maker', 'vendor', 'seoTitle', 'seo', 'archived', 'origin', 'source']),
    )
  })

  test('the list of versions keeps its renames and tells the rest in words', async () => {
    const { body } = await shop.get('/api/versions/2026-10', { status: 200 })
    expect(body.changes[0]).toEqual({
      type: 'Product',
      renames: { vendor: 'maker' },
      description:
        'Read products as they are today. `seo.title` was `seoTitle`. The `status` `ARCHIVED` was `RETIRED`. The `media.type` `IMAGE` was `PICTURE`. There is no `archived` any more. There is no `origin` any more. Without `status` a create meant `"ACTIVE"` before.',
    })
    expect(body.changes[1]).toMatchObject({ type: 'Variant', renames: {} })
  })

  test('the tool takes and shows the names of the version', async () => {
    const own = await openShop()
    await own.post('/api/categories', { body: { title: 'Root' }, status: 201 })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const call = async (method: string, params: object) =>
      (
        await own.post('/mcp', {
          body: { jsonrpc: '2.0', id: 1, method, params },
          headers,
          version: '2026-04',
          status: 200,
        })
      ).body.result
    const [tool] = (await call('tools/list', {})).tools
    expect(Object.keys(tool.inputSchema.properties)).toContain('mother')
    expect(Object.keys(tool.inputSchema.properties)).not.toContain('parent')
    expect(Object.keys(tool.outputSchema.properties.items.items.properties)).toEqual(
      expect.arrayContaining(['mother', 'place', 'childrens']),
    )
    const answer = await call('tools/call', { name: tool.name, arguments: { mother: 'null' } })
    expect(answer.structuredContent.items).toMatchObject([{ title: 'Root', mother: null, place: 0 }])
  })
})

test('scopes are demanded, and documented, under whatever name a version has', async () => {
  const token = await shop.token({ scope: 'webhook_subscriptions:write' })
  const body = { subject: 'product/*', callbackUrl: 'https://127.0.0.1/' }
  const post = { body, token, version: '2026-04', status: 403 }
  const refused = await shop.post('/api/webhook_subscriptions', post)
  expect(refused.headers.get('www-authenticate')).toContain('products:read')
  const { body: document } = await shop.get('/api/openapi.json?version=2026-04', { token: null })
  expect(document.paths['/api/webhook_subscriptions'].post.description).toContain('With `subject`')
})
