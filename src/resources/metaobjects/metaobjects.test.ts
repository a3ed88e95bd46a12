import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../test/support/app.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'
import { resource as categories } from '../categories/operations.ts'
import { resource as events } from '../events/operations.ts'
import { resource as products } from '../products/operations.ts'
import { resource as definitions } from './definitions/operations.ts'
import { resource } from './operations.ts'

type Body = Reply['body']

const type = (slug: string) => `/api/metafield_definition_types/${slug}`
const violations = (reply: Reply) =>
  reply.body.violations.map((violation: Body) => [violation.propertyPath, violation.slug])
const trips = (reply: Reply) =>
  Number(/db;[^,]*desc="(\d+)"/.exec(reply.headers.get('server-timing') ?? '')?.[1])
const unknown = '01900000-0000-7000-8000-000000000000'

const app = createApp({ resources: [products, categories, definitions, resource, events] })
let shop: Shop
let reader: string
let recipe: Body

async function define(kind: string, fieldDefinitions: object[], at: Shop = shop): Promise<Body> {
  const body = { type: kind, displayNameField: 'title', fieldDefinitions }
  return await at.create('/api/metaobject_definitions', body)
}

const recipeFields = [
  { key: 'title', type: type('single_line_text_field'), required: true, translatable: true },
  { key: 'steps', type: type('multi_line_text_field') },
  { key: 'minutes', type: type('number_integer'), validations: [{ name: 'min', value: '1' }] },
  { key: 'main', type: type('metaobject_reference') },
  { key: 'others', type: type('list.metaobject_reference') },
  { key: 'product', type: type('product_reference') },
  { key: 'categories', type: type('list.category_reference') },
]

beforeAll(async () => {
  shop = await openShop({ app })
  reader = await shop.token({ scope: 'metaobjects:read' })
  recipe = await define('recipe', recipeFields)
})

const post = (body: object, options = {}) =>
  shop.post('/api/metaobjects', { body: { definition: recipe['@id'], ...body }, ...options })
const add = async (body: object = {}) => (await post(body, { status: 201 })).body
const patch = (of: Body, body: object, options = {}) => shop.patch(of['@id'], { body, ...options })

describe('a metaobject', () => {
  test('is shown by its events as it was, with the drafts that it refers to for those alone who see drafts', async () => {
    const at = await openShop({ app })
    const kind = await define('note', recipeFields, at)
    const make = async (body: object) =>
      await at.create('/api/metaobjects', { definition: kind['@id'], ...body })
    const draft = await make({ fields: { title: 'Secret' } })
    const publishedEntry = await make({ status: 'ACTIVE', fields: { title: 'Open' } })
    const referenceList = JSON.stringify([draft['@id'], publishedEntry['@id']])
    const created = await make({ fields: { title: 'A', others: referenceList } })
    await at.update(created['@id'], { fields: { title: 'B' } })
    const feed = await at.read('/api/events?topic=metaobject/*')
    const events = feed.member.filter((event: Body) => event.resource === created['@id'])
    expect(events.map((event: Body) => [event.document.displayName, event.document.version])).toEqual([
      ['A', 1],
      ['B', 2],
    ])
    const references = (document: Body) =>
      document.fields[1].metaobject.map((metaobject: Body) => metaobject['@id'])
    expect(references(events[0].document)).toEqual([draft['@id'], publishedEntry['@id']])
    expect(references(created)).toEqual([draft['@id'], publishedEntry['@id']])
    await at.update(created['@id'], { status: 'ACTIVE' })
    const token = await at.token({ scope: 'events:read metaobjects:read' })
    const published = await at.read(`/api/events?resource=${created['@id']}`, { token })
    const [first, , last] = published.member
    expect(first).toMatchObject({ document: null, changes: [] })
    expect(references(last.document)).toEqual([publishedEntry['@id']])
    const defined = await at.read('/api/events?topic=metaobject_definition/created')
    expect(defined.member[0].document).toMatchObject({ '@id': kind['@id'], type: 'note' })
  })

  test('as a draft is in the events of callers who may write only', async () => {
    const at = await openShop({ app })
    const kind = await define('note', recipeFields.slice(0, 2), at)
    const body = { definition: kind['@id'], fields: { title: 'Secret' } }
    const created = await at.create('/api/metaobjects', body)
    const change = (patchBody: object) => at.patch(created['@id'], { body: patchBody, status: 200 })
    await change({ status: 'ACTIVE', fields: { title: 'Open' } })
    await change({ fields: { title: 'Opener' } })
    await change({ status: 'DRAFT', fields: { title: 'Secret again' } })
    await at.delete(created['@id'], { status: 204 })
    const visibleTo = async (scope: string) => {
      const token = await at.token({ scope })
      const feed = await at.read(`/api/events?resource=${created['@id']}`, { token })
      const single = feed.member.map((event: Body) => at.get(event['@id'], { token, status: 200 }))
      const [alone, text] = [await Promise.all(single), JSON.stringify(feed)]
      expect(alone.map(({ body: { '@context': _, ...event } }: Reply) => event)).toEqual(feed.member)
      return {
        text,
        shown: feed.member.map((event: Body) => [
          event.document?.displayName ?? null,
          event.changes.length > 0,
        ]),
      }
    }
    const reader = await visibleTo('events:read metaobjects:read')
    expect(reader.shown).toEqual([
      [null, false],
      ['Open', false],
      ['Opener', true],
      [null, false],
      [null, false],
    ])
    expect(reader.text).not.toContain('Secret')
    expect((await visibleTo('events:read metaobjects:read metaobjects:write')).shown).toEqual([
      ['Secret', true],
      ['Open', true],
      ['Opener', true],
      ['Secret again', true],
      ['Secret again', false],
    ])
  })
})

describe('handles and names', () => {
  test('eight writers of one name get eight handles; of one handle, one gets it', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => add({ fields: { title: 'Race' } })))
    expect(new Set(created.map((entry) => entry.handle)).size).toBe(8)
    const replies = await Promise.all(Array.from({ length: 4 }, () => post({ handle: 'only-one' })))
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409])
  })
})

test('the values of all fields and locales together have a limit', async () => {
  const keys = ['title', 'b', 'c', 'd', 'e']
  const field = { type: type('single_line_text_field'), translatable: true }
  const kind = await define(
    'long',
    keys.map((key) => ({ ...field, key })),
  )
  const fields = Object.fromEntries(keys.slice(0, 4).map((key) => [key, 'x'.repeat(65_535)]))
  const created = await add({ definition: kind['@id'], fields, handle: 'long' })
  const tooLong = await patch(created, { fields: { title: 'xxxxx' } }, { locale: 'fr-FR', status: 422 })
  expect(violations(tooLong)).toEqual([['fields', 'validation.too_long']])
  await patch(created, { fields: { title: 'xxxx' } }, { locale: 'fr-FR', status: 200 })
})

describe('with a concurrent change of its definition', () => {
  test('none is made for one that is deleted, and none active without what it now demands', async () => {
    for (let round = 0; round < 6; round += 1) {
      const kind = await define(`raced_${round}`, recipeFields.slice(0, 2))
      const body = { definition: kind['@id'], status: 'ACTIVE', fields: { title: 'A' } }
      const fieldDefinitions = [
        { ...recipeFields[0], translatable: true },
        { ...recipeFields[1], required: true },
      ]
      const [narrowing, ...created] = await Promise.all([
        shop.patch(kind['@id'], { body: { fieldDefinitions } }),
        shop.post('/api/metaobjects', { body }),
        shop.post('/api/metaobjects', { body }),
      ])
      const { totalItems } = (await shop.get(`/api/metaobjects?definition=${kind['@id']}`)).body
      expect(created.filter((reply) => reply.status === 201)).toHaveLength(totalItems)
      expect([narrowing.status, totalItems > 0]).toEqual(totalItems > 0 ? [409, true] : [200, false])

      const strict = await define(`strict_${round}`, recipeFields.slice(0, 2))
      const draft = await add({ definition: strict['@id'], fields: { title: 'A' } })
      const [requirement, published] = await Promise.all([
        shop.patch(strict['@id'], { body: { fieldDefinitions } }),
        patch(draft, { status: 'ACTIVE' }),
      ])
      expect([
        [200, 422],
        [409, 200],
      ]).toContainEqual([requirement.status, published.status])

      const other = await define(`gone_${round}`, recipeFields.slice(0, 1))
      const [deleted, late] = await Promise.all([
        shop.delete(other['@id']),
        shop.post('/api/metaobjects', { body: { definition: other['@id'] } }),
      ])
      expect([
        [204, 422],
        [409, 201],
      ]).toContainEqual([deleted.status, late.status])
    }
  })
})

describe('status', () => {
  test('a required reference has to be there when it is published, not afterwards', async () => {
    const kind = await define('pairing', [
      { key: 'title', type: type('single_line_text_field') },
      { key: 'category', type: type('category_reference'), required: true },
    ])
    const category = await shop.create('/api/categories', { title: 'Gone' })
    const at = { definition: kind['@id'], fields: { category: category['@id'] } }
    const [draft, active] = [await add(at), await add({ ...at, status: 'ACTIVE' })]
    await shop.delete(category['@id'], { status: 204 })
    await patch(active, { fields: { title: 'Still here' } }, { status: 200 })
    expect(violations(await patch(draft, { status: 'ACTIVE' }, { status: 422 }))).toEqual([
      ['status', 'metaobject.incomplete'],
    ])
  })

  test('a draft is 404, and in no list and no count, for those who may not write', async () => {
    const at = await openShop({ app })
    const token = await at.token({ scope: 'metaobjects:read' })
    const kind = await define('note', recipeFields.slice(0, 1), at)
    const make = async (status: string) =>
      await at.create('/api/metaobjects', { definition: kind['@id'], status, fields: { title: status } })
    const [draft, active] = [await make('DRAFT'), await make('ACTIVE')]
    const counted = async (query: string, options = {}) => {
      const { body } = await at.get(`/api/metaobjects${query}`, { status: 200, ...options })
      return [body.totalItems, body.member.length]
    }
    for (const path of [draft['@id'], `/api/metaobjects/note/${draft.handle}`]) {
      expect((await at.get(path, { token, status: 404 })).body.slug).toBe('metaobject.not_found')
      await at.get(path, { status: 200 })
    }
    await at.get(active['@id'], { token, status: 200 })
    expect([await counted(''), await counted('', { token })]).toEqual([
      [2, 2],
      [1, 1],
    ])
    expect(await counted('?status=DRAFT', { token })).toEqual([0, 0])
    await at.update(active['@id'], { status: 'DRAFT' })
    expect(await counted('', { token })).toEqual([0, 0])
    await at.update(active['@id'], { status: 'ACTIVE' })
    await at.delete(active['@id'], { status: 204 })
    expect([await counted(''), await counted('', { token })]).toEqual([
      [1, 1],
      [0, 0],
    ])
  })
})

describe('references', () => {
  test('show the metaobjects one level deep, in their order, without drafts for readers', async () => {
    const deepest = await add({ status: 'ACTIVE', fields: { title: 'Salt' } })
    const publishedEntry = await add({ status: 'ACTIVE', fields: { title: 'Stock', main: deepest['@id'] } })
    const draft = await add({ fields: { title: 'Secret' } })
    const referenceList = JSON.stringify([draft['@id'], publishedEntry['@id']])
    const created = await post(
      { status: 'ACTIVE', fields: { title: 'Risotto', main: publishedEntry['@id'], others: referenceList } },
      { status: 201 },
    )
    const ids = (body: Body, key: string) =>
      body.fields
        .find((field: Body) => field.key === key)
        .metaobject.map((metaobject: Body) => metaobject['@id'])
    expect(ids(created.body, 'main')).toEqual([publishedEntry['@id']])
    expect(ids(created.body, 'others')).toEqual([draft['@id'], publishedEntry['@id']])
    const response = await shop.get(created.body['@id'], { status: 200 })
    expect(response.body).toEqual(created.body)
    expect(trips(response)).toBe(1)
    const [embedded] = response.body.fields.find((field: Body) => field.key === 'main').metaobject
    expect(embedded).toMatchObject({ '@type': 'Metaobject', displayName: 'Stock', version: 1 })
    expect(embedded.fields).toContainEqual({
      key: 'main',
      value: deepest['@id'],
      type: type('metaobject_reference'),
      metaobject: [],
    })
    const public_ = await shop.read(created.body['@id'], { token: reader })
    expect(ids(public_, 'others')).toEqual([publishedEntry['@id']])
    const page = await shop.read(`/api/metaobjects?handle=${created.body.handle}`, { token: reader })
    expect(ids(page.member[0], 'others')).toEqual([publishedEntry['@id']])
    await shop.delete(publishedEntry['@id'], { status: 204 })
    const afterDeletion = await shop.get(created.body['@id'], { status: 200 })
    expect([ids(afterDeletion.body, 'main'), ids(afterDeletion.body, 'others')]).toEqual([[], [draft['@id']]])
    expect(afterDeletion.headers.get('etag')).not.toBe(response.headers.get('etag'))
    await patch(created.body, { fields: { steps: 'Stir' } }, { status: 200 })
    await patch(created.body, { fields: afterDeletion.body.fields }, { status: 200 })
  })

  test('to products, variants and categories must be there, and embed nothing', async () => {
    const category = await shop.create('/api/categories', { title: 'Pans' })
    const body = { title: 'Pan', variants: [{}] }
    const product = await shop.create('/api/products', body)
    const created = await add({
      fields: { product: product['@id'], categories: JSON.stringify([category['@id']]) },
    })
    expect(created.fields.map((field: Body) => field.metaobject)).toEqual([[], []])
    const kind = await define('pick', [
      { key: 'title', type: type('variant_reference') },
      { key: 'set', type: type('collection_reference') },
    ]).catch(() => null)
    expect(kind).toBeNull()
    const picked = await shop.create('/api/metaobject_definitions', {
      type: 'pick',
      fieldDefinitions: [{ key: 'variant', type: type('variant_reference') }],
    })
    const variant = product.variants[0]['@id']
    await add({ definition: picked['@id'], fields: { variant } })
    const foreign = variant.replace(product.id, unknown)
    const refused = await post({ definition: picked['@id'], fields: { variant: foreign } }, { status: 422 })
    expect(violations(refused)).toEqual([['fields.variant', 'validation.unknown_reference']])
  })

  test('are held to the definition that a rule names', async () => {
    const rule = { name: 'metaobject_definition', value: recipe['@id'] }
    const kind = await define('menu', [
      { key: 'title', type: type('single_line_text_field') },
      { key: 'dish', type: type('metaobject_reference'), validations: [rule] },
    ])
    const menu = await add({ definition: kind['@id'] })
    const dish = await add()
    await patch(menu, { fields: { dish: dish['@id'] } }, { status: 200 })
    expect(violations(await patch(menu, { fields: { dish: menu['@id'] } }, { status: 422 }))).toEqual([
      ['fields.dish', 'validation.unknown_reference'],
    ])
  })
})
