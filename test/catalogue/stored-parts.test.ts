/** The stored parts of products and categories: what documents are built from, refreshed by each write. */
import { beforeAll, describe, expect, test } from 'vitest'
import { connected, databaseUrls } from '../support/database.ts'
import { sentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { outdatedParts, refreshParts } from '../support/stored-parts.ts'

type Body = Reply['body']

let shop: Shop
let product: Body
let category: Body
let above: Body
beforeAll(async () => {
  shop = await openShop({ bindings: { ANSWER_MEMORY: '0' } })
  above = await post('/api/categories', { title: 'Above' })
  category = await post('/api/categories', { title: 'Light', parent: above['@id'] })
  product = await post('/api/products', {
    title: 'Lamp',
    categories: [category['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }, { title: 'L' }] }],
    variants: ['S', 'M'].map((value) => ({
      optionValues: [{ option: 'Size', value }],
      saleOffers: [{ currency: 'EUR', amount: '5.00' }],
    })),
  })
})

const post = async (path: string, body: unknown): Promise<Body> => await shop.create(path, body)

const asOwner = (query: string, values: unknown[]) =>
  connected(databaseUrls().ownerUrl, (client) => client.query(query, values))

const question =
  'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'

/** Changes a text in a column of stored parts, runs, and changes it back. */
async function changed<Result>(
  [column, from, to]: readonly [string, string, string],
  run: () => Promise<Result>,
): Promise<Result> {
  const replace = (one: string, other: string) =>
    asOwner(
      `update product_parts set ${column} = replace(${column}::text, $3, $4)::json where tenant_id = $1 and product_id = $2`,
      [shop.tenant.id, product.id, one, other],
    )
  await replace(from, to)
  try {
    return await run()
  } finally {
    await replace(to, from)
  }
}

const found = async (path: string, asked: object = {}): Promise<Body> => {
  const { body } = await shop.get(path, { status: 200, ...asked })
  return body.member?.find(({ id }: Body) => id === product.id) ?? body
}

describe('a read', () => {
  test.each([
    ['an item', () => product['@id'], {}],
    ['a list', () => '/api/products', {}],
    ['a search', () => '/api/products?q=lamp', {}],
    ['a selection', () => '/api/products?properties[]=title&properties[]=id', {}],
    ['an older version', () => product['@id'], { version: '2026-04' }],
    ['another language', () => product['@id'], { locale: 'fr-FR' }, 'translations'],
  ])('builds %s from the stored parts', async (_, path, asked, column = 'parts') => {
    const title = await changed([column, '"Lamp"', '"Text"'], async () => (await found(path(), asked)).title)
    expect(title).toBe('Text')
  })

  test.each([
    ['with an explained price', () => `${question}&explain=price`, '5.00'],
    [
      'with the price that was known',
      () => `${question}&resolveContext[knownAt]=${new Date().toISOString()}`,
      '5.00',
    ],
    ['with the present price', () => question, '6.00'],
    ['with prior prices', () => `${question}&expand=priorPrice`, '6.00'],
  ])('%s takes offers from rows or from the stored parts', async (_, query, amount) => {
    const { variants } = await changed(['offers', '"5.00"', '"6.00"'], () =>
      found(`${product['@id']}?${query()}`),
    )
    expect(variants[0].resolvedPrice.amount).toBe(amount)
  })

  test('writes nothing', async () => {
    const sent = await sentBy(async () => {
      await shop.get(`/api/products?${question}`, { status: 200 })
      await shop.get(product['@id'], { locale: 'fr-FR', status: 200 })
      await shop.rest()
    })
    expect(sent).toHaveLength(2)
  })

  test.each([
    [
      'are missing',
      'delete from product_parts where tenant_id = $1',
      'delete from category_parts where tenant_id = $1',
    ],
    [
      'have another shape',
      `update product_parts set format = 0, parts = '{}' where tenant_id = $1`,
      `update category_parts set format = 0, parts = '{}' where tenant_id = $1`,
    ],
  ])('answers the same from rows if stored parts %s', async (_, ...removals) => {
    const paths = [
      product['@id'],
      `${product['@id']}?${question}`,
      `/api/products?${question}`,
      '/api/products?properties[]=title',
      '/api/products?expand=children',
    ]
    const answers = () =>
      Promise.all(paths.map(async (path) => (await shop.get(path, { locale: 'fr-FR' })).text))
    const before = await answers()
    for (const removal of removals) await asOwner(removal, [shop.tenant.id])
    expect(await answers()).toEqual(before)
    await refreshParts(shop)
    expect(await outdatedParts(shop)).toEqual([])
    expect(await answers()).toEqual(before)
  })
})

describe('a property that was added later', () => {
  const later = `{externalId,description,seo,vendor,channels,tags,media,fields,barcode,weight,name,rules,taxIncluded,priority,preferred}`

  test('has its default in every document of a row from before', async () => {
    const fieldDefinitions = [{ key: 'note', type: '/api/metafield_definition_types/multi_line_text_field' }]
    const definition = await post('/api/metaobject_definitions', { type: 'page', fieldDefinitions })
    await post('/api/metaobjects', { definition: definition['@id'] })
    await post('/api/collections', { title: 'All' })
    const [{ '@id': variant }] = product.variants
    await post('/api/purchase_offers', { variant, currency: 'EUR', cost: '2.00', supplier: 'Acme' })
    const lists = ['products', 'option_values', 'categories', 'collections', 'metaobjects']
    const tables = [...lists, 'sale_offers', 'purchase_offers', 'metaobject_definitions']
    const paths = [
      ...tables.map((name) => `/api/${name}`),
      '/api/categories?properties[]=fields',
      '/api/products?properties[]=tags',
      '/api/products?expand=children',
      product.options[0]['@id'],
      category['@id'],
      variant,
    ]
    const responses = () =>
      Promise.all(paths.map(async (path) => (await shop.get(path, { status: 200 })).text))
    const before = await responses()
    for (const table of ['product_options', 'variants', ...tables])
      await asOwner(
        `update ${table} set document = (
           select '{' || string_agg(to_json(name)::text || ':' || value, ',' order by place) || '}'
             from json_each(document::json) with ordinality as member(name, value, place) where name <> all($2))
          where tenant_id = $1`,
        [shop.tenant.id, later],
      )
    await refreshParts(shop)
    expect(await responses()).toEqual(before)
  })
})

describe('a write', () => {
  const variant = () => product.variants[0]['@id']
  const option = () => product.options[0]['@id']
  const offer = async () => (await shop.read(`/api/sale_offers?product=${product['@id']}`)).member[0]['@id']
  let low: Body
  let chosen: Body
  const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a product', () => shop.patch(product['@id'], { body: { vendor: 'Acme' }, status: 200 })],
    [
      'its translations',
      () =>
        shop.put(`${product['@id']}/translations`, {
          body: { translations: { 'en-US': { title: 'Lamp' }, 'fr-FR': { title: 'Lampe' } } },
          status: 200,
        }),
    ],
    ['an option', () => shop.patch(option(), { body: { title: 'Width' }, status: 200 })],
    [
      'a value',
      () =>
        shop.patch(product.options[0].values[0]['@id'], {
          body: { title: 'Small', position: 2 },
          status: 200,
        }),
    ],
    ['a new value', () => post('/api/option_values', { option: option(), title: 'XL' })],
    ['a value that is deleted', () => shop.delete(product.options[0].values[2]['@id'], { status: 204 })],
    ['a variant', () => shop.patch(variant(), { body: { sku: 'L-1', position: 1 }, status: 200 })],
    ['an offer', async () => shop.patch(await offer(), { body: { amount: '7.00' }, status: 200 })],
    [
      'new offers',
      () =>
        post('/api/sale_offers', [
          { variant: variant(), currency: 'EUR', amount: '9.00', taxIncluded: false, channel: 'a:b' },
        ]),
    ],
    [
      'an archived offer',
      async () => shop.patch(await offer(), { body: { status: 'ARCHIVED' }, status: 200 }),
    ],
    [
      'an archived variant',
      () => shop.patch(product.variants[1]['@id'], { body: { status: 'ARCHIVED' }, status: 200 }),
    ],
    ['a category', () => shop.patch(category['@id'], { body: { title: 'Lights' }, status: 200 })],
    [
      'a new category below',
      async () => {
        low = await post('/api/categories', { title: 'Low', parent: category['@id'] })
        await post('/api/categories', { title: 'Lower', parent: low['@id'] })
      },
    ],
    [
      'a category that moves with those below it',
      () => shop.patch(low['@id'], { body: { parent: above['@id'], position: 0 }, status: 200 }),
    ],
    [
      'children of a category',
      () => shop.patch(above['@id'], { body: { children: [low['@id']] }, status: 200 }),
    ],
    [
      'a collection that a product is chosen for',
      async () => {
        chosen = await post('/api/collections', { title: 'Chosen' })
        await shop.post(`${chosen['@id']}/products`, { body: { products: [product['@id']] } })
      },
    ],
    [
      'a collection with rules',
      async () => {
        const rules = { match: 'ALL', conditions: [{ field: 'vendor', operator: 'EQUALS', value: 'Acme' }] }
        const { '@id': iri } = await post('/api/collections', { title: 'Acme', rules })
        await shop.rest()
        await shop.delete(iri, { status: 204 })
        await shop.rest()
      },
    ],
    [
      'an archived product',
      async () => {
        await shop.delete(product['@id'], { status: 204 })
        await shop.delete(category['@id'], { status: 204 })
      },
    ],
    ['a restored product', () => shop.patch(product['@id'], { body: { status: 'ACTIVE' }, status: 200 })],
  ]
  test.each(changes)('refreshes the stored parts of %s', async (_, change) => {
    await change()
    await shop.rest()
    expect(await outdatedParts(shop)).toEqual([])
  })

  test('of another resource leaves the row of a product alone', async () => {
    const version = async () =>
      (await asOwner('select xmin from product_parts where product_id = $1', [product.id])).rows
    const before = await version()
    await shop.update(above['@id'], { title: 'High' })
    await post('/api/products', { title: 'Rug' })
    expect(await version()).toEqual(before)
  })
})

describe('stored parts', () => {
  const stored = async (id: string): Promise<Body> => {
    const { rows } = await asOwner(
      'select parts is not null as parts, offers is not null as offers, is_whole as "isWhole" from product_parts where product_id = $1',
      [id],
    )
    return rows[0]
  }

  test.each([
    [100, true],
    [101, false],
  ])('have %i offers: %s', async (amount, offers) => {
    const saleOffers = Array.from({ length: amount }, () => ({ currency: 'EUR', amount: '9.00' }))
    const rope = await post('/api/products', { title: 'Rope', variants: [{ saleOffers }] })
    expect(await stored(rope.id)).toMatchObject({ offers })
    const { variants } = await shop.read(`${rope['@id']}?${question}`)
    expect(variants[0].resolvedPrice.amount).toBe('9.00')
    expect(await outdatedParts(shop)).toEqual([])
  })

  test.each([
    [50, true],
    [51, false],
  ])('have %i variants, which are all: %s', async (amount, isWhole) => {
    const values = Array.from({ length: amount }, (_, index) => ({ title: `${index}` }))
    const variants = values.map(({ title }) => ({
      optionValues: [{ option: 'Size', value: title }],
      saleOffers: [{ currency: 'EUR', amount: `${title}.00` }],
    }))
    const shirt = await post('/api/products', {
      title: 'Shirt',
      options: [{ title: 'Size', values }],
      variants,
    })
    expect(await stored(shirt.id)).toMatchObject({ parts: true, isWhole })
    const body = await shop.read(`${shirt['@id']}?${question}`)
    expect(body.variants.map((each: Body) => each.resolvedPrice.amount)).toEqual(
      values.map(({ title }) => `${title}.00`),
    )
    const list = (await shop.read(`/api/products?${question}`)).member
    const { variants: few, variantsTotal } = list.find(({ id }: Body) => id === shirt.id)
    expect([few.length, variantsTotal]).toEqual([50, amount])
  })

  test('are left out of a product with more than 200 kB, which is read from rows', async () => {
    const description = 'é'.repeat(60_000)
    const rug = await post('/api/products', { title: 'Large', description, fields: { note: description } })
    expect(await stored(rug.id)).toMatchObject({ parts: false })
    expect((await shop.read(rug['@id'])).description).toBe(description)
  })
})
