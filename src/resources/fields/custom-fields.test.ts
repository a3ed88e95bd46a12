import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

/** Custom fields of products, variants and categories: the same rules for each, tested through the API. */

type Body = Reply['body']

const type = (slug: string) => `/api/metafield_definition_types/${slug}`
const text = type('single_line_text_field')
const entry = (key: string, value: string, slug = 'single_line_text_field', metaobject: unknown[] = []) => ({
  key,
  value,
  type: type(slug),
  metaobject,
})
const violations = (reply: Reply) =>
  reply.body.violations.map((violation: Body) => [violation.propertyPath, violation.slug])
const trips = (reply: Reply) =>
  Number(/db;[^,]*desc="(\d+)"/.exec(reply.headers.get('server-timing') ?? '')?.[1])
const strict = { Prefer: 'handling=strict' }
const unknown = '01900000-0000-7000-8000-000000000000'

let shop: Shop
let recipe: Body

async function defined(at: Shop): Promise<Body> {
  const fieldDefinitions = [
    { key: 'title', type: text, translatable: true },
    { key: 'other', type: type('metaobject_reference') },
  ]
  const body = { type: 'recipe', displayNameField: 'title', fieldDefinitions }
  return await at.create('/api/metaobject_definitions', body)
}

beforeAll(async () => {
  shop = await openShop()
  recipe = await defined(shop)
})

async function metaobject(fields: object, status = 'ACTIVE'): Promise<Body> {
  const body = { definition: recipe['@id'], status, fields }
  return await shop.create('/api/metaobjects', body)
}

/** How and where to create each owner with fields. */
const owners = {
  product: async (fields: unknown) => ({ path: '/api/products', body: { title: 'Mug', fields } }),
  variant: async (fields: unknown) => {
    const option = { title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }
    const body = { title: 'Shirt', options: [option] }
    const product = await shop.create('/api/products', body)
    return {
      path: `${product['@id']}/variants`,
      body: { optionValues: [{ option: 'Size', value: 'S' }], fields },
    }
  },
  category: async (fields: unknown) => ({ path: '/api/categories', body: { title: 'Mugs', fields } }),
}
const kinds = Object.keys(owners) as (keyof typeof owners)[]

describe.each(kinds)('of a %s', (kind) => {
  const post = async (fields: unknown, options = {}) => {
    const { path, body } = await owners[kind](fields)
    return shop.post(path, { body, ...options })
  }
  const patch = (of: Body, fields: unknown, options = {}) =>
    shop.patch(of['@id'], { body: { fields }, ...options })

  test('shows the published metaobjects that it refers to, one level deep, in the language asked for', async () => {
    const salt = await metaobject({ title: 'Salt' })
    const soup = await metaobject({ title: 'Soup', other: salt['@id'] })
    await shop.update(soup['@id'], { fields: { title: 'Soupe' } }, { locale: 'fr-FR' })
    const draft = await metaobject({ title: 'Secret' }, 'DRAFT')
    const value = JSON.stringify([draft['@id'], soup['@id'], salt['@id']])
    const created = await post(
      { dishes: { value, type: type('list.metaobject_reference') } },
      { status: 201 },
    )
    const embedded = (reply: Reply) => reply.body.fields[0].metaobject
    expect(
      embedded(created).map((metaobject: Body) => [
        metaobject['@id'],
        metaobject['@type'],
        metaobject.displayName,
      ]),
    ).toEqual([
      [soup['@id'], 'Metaobject', 'Soup'],
      [salt['@id'], 'Metaobject', 'Salt'],
    ])
    expect(embedded(created)[0].fields.map((field: Body) => field.metaobject)).toEqual([[], []])
    const response = await shop.get(created.body['@id'], { status: 200 })
    expect(response.body).toEqual(created.body)
    const french = await shop.get(created.body['@id'], { locale: 'fr-FR', status: 200 })
    expect(embedded(french).map((metaobject: Body) => metaobject.displayName)).toEqual(['Soupe', 'Salt'])
    const page = await shop.get(created.headers.get('location')!.replace(/\/[^/]+$/, ''), { status: 200 })
    expect(page.body.member.find((variant: Body) => variant.id === created.body.id).fields).toEqual(
      created.body.fields,
    )
    expect([trips(response), trips(french), trips(page)]).toEqual([1, 1, 1])
    await shop.delete(salt['@id'], { status: 204 })
    const afterDeletion = await shop.get(created.body['@id'], { status: 200 })
    expect(embedded(afterDeletion).map((metaobject: Body) => metaobject.displayName)).toEqual(['Soup'])
    expect(afterDeletion.headers.get('etag')).not.toBe(response.headers.get('etag'))
    expect((await patch(created.body, afterDeletion.body.fields, { status: 200 })).body.version).toBe(1)
  })

  test('refers only to existing rows', async () => {
    const product = await shop.create('/api/products', { title: 'Pan', variants: [{}] })
    const category = await shop.create('/api/categories', { title: 'Pans' })
    const manual = { title: 'Kitchen', type: 'MANUAL' }
    const collection = await shop.create('/api/collections', manual)
    const references = {
      product: { value: product['@id'], type: type('product_reference') },
      variant: { value: product.variants[0]['@id'], type: type('variant_reference') },
      categories: { value: JSON.stringify([category['@id']]), type: type('list.category_reference') },
      collection: { value: collection['@id'], type: type('collection_reference') },
    }
    const created = await post(references, { status: 201 })
    expect(created.body.fields.map((field: Body) => field.metaobject)).toEqual([[], [], [], []])
    const foreign = await (await openShop()).post('/api/products', {
      body: { title: 'Not yours' },
      status: 201,
    })
    const refused = await patch(
      created.body,
      [
        { key: 'product', value: `/api/products/${unknown}`, type: type('product_reference') },
        { key: 'dish', value: `/api/metaobjects/${unknown}`, type: type('metaobject_reference') },
        { key: 'theirs', value: foreign.body['@id'], type: type('product_reference') },
      ],
      { status: 422 },
    )
    expect(violations(refused)).toEqual(
      [0, 1, 2].map((index) => [`fields[${index}].value`, 'validation.unknown_reference']),
    )
  })

  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'x']))

  test('merging never makes more fields than there may be', async () => {
    const { k50: _, ...fifty } = many
    const created = await post(fifty, { status: 201 })
    expect(violations(await patch(created.body, { more: 'x' }, { status: 422 }))).toEqual([
      ['fields', 'validation.too_many_items'],
    ])
    await patch(created.body, { k0: null, more: 'x' }, { status: 200 })
  })
})

test('whole products, inline variants and arrays of each take it, and refuse it where it stands', async () => {
  const soup = await metaobject({ title: 'Soup' })
  const dish = { value: soup['@id'], type: type('metaobject_reference') }
  const product = (fields: unknown) => ({ title: 'Bowl', fields: { dish }, variants: [{ fields }] })
  const created = await shop.post('/api/products', {
    body: [product({ dish }), product(null)],
    headers: strict,
    status: 201,
  })
  expect(trips(created)).toBe(2)
  const [first, second] = created.body.member
  const expectedFields = [entry('dish', soup['@id'], 'metaobject_reference', first.fields[0].metaobject)]
  expect(first.fields[0].metaobject[0]).toMatchObject({ '@id': soup['@id'], displayName: 'Soup' })
  expect([first.fields, first.variants[0].fields, second.variants[0].fields]).toEqual([
    expectedFields,
    expectedFields,
    [],
  ])
  const { '@context': _, ...response } = await shop.read(first['@id'])
  expect(response).toEqual(first)
  const wrong = { size: { value: 'x', type: type('date') } }
  const products = await shop.post('/api/products', { body: [product(null), product(wrong)], status: 422 })
  expect(violations(products)).toEqual([['[1].variants[0].fields.size.value', 'validation.field_value']])
  const categories = await shop.post('/api/categories', {
    body: [{ title: 'A' }, { title: 'B', fields: wrong }],
    status: 422,
  })
  expect(violations(categories)).toEqual([['[1].fields.size.value', 'validation.field_value']])
  const bulk = await shop.create('/api/categories', [{ title: 'A', fields: { dish } }, { title: 'B' }])
  expect(bulk.member.map((product: Body) => product.fields)).toEqual([expectedFields, []])
})

test('a product shows the fields of its categories, and its history those that were', async () => {
  const soup = await metaobject({ title: 'Soup' })
  const dish = { value: soup['@id'], type: type('metaobject_reference') }
  const category = await shop.create('/api/categories', { title: 'Bowls', fields: { dish } })
  const body = { title: 'Bowl', categories: [category['@id']], variants: [{ fields: { dish } }] }
  const created = await shop.create('/api/products', body)
  expect(created.categories[0].fields).toEqual(category.fields)
  await shop.delete(soup['@id'], { status: 204 })
  const now = await shop.read(created['@id'])
  expect([now.categories[0].fields[0].metaobject, now.variants[0].fields[0].metaobject]).toEqual([[], []])
  const [event] = (await shop.read(`/api/events?resource=${created['@id']}`)).member
  expect([event.document.categories[0].fields, event.document.variants[0].fields]).toEqual([
    category.fields,
    category.fields,
  ])
})
