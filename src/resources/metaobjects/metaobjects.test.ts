import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../test/support/app.ts'
import { eventsOf } from '../../../test/support/ledger.ts'
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
const valuesOf = (body: Body) =>
  Object.fromEntries(body.fields.map((field: Body) => [field.key, field.value as string]))
const unknown = '01900000-0000-7000-8000-000000000000'

const app = createApp({ resources: [products, categories, definitions, resource, events] })
let shop: Shop
let reader: string
let recipe: Body

async function define(kind: string, fieldDefinitions: object[], at: Shop = shop): Promise<Body> {
  const body = { type: kind, displayNameField: 'title', fieldDefinitions }
  return (await at.post('/api/metaobject_definitions', { body, status: 201 })).body
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
  test('is created, read by id and by type and handle, each in few trips', async () => {
    const created = await post(
      { fields: [{ key: 'title', value: 'Crème brûlée' }], externalId: 'r-1' },
      { status: 201 },
    )
    const { '@context': context, ...document } = created.body
    expect(document).toMatchObject({
      '@id': `/api/metaobjects/${document.id}`,
      '@type': 'Metaobject',
      definition: recipe['@id'],
      handle: 'creme-brulee',
      status: 'DRAFT',
      displayName: 'Crème brûlée',
      externalId: 'r-1',
      version: 1,
    })
    expect(document.fields).toEqual([
      { key: 'title', value: 'Crème brûlée', type: type('single_line_text_field'), metaobject: [] },
    ])
    expect(document.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    const served = await shop.get('/api/contexts/Metaobject', { token: null, status: 200 })
    expect(context).toEqual(served.body['@context'])
    expect(created.headers.get('location')).toBe(document['@id'])
    const byId = await shop.get(document['@id'], { status: 200 })
    const byHandle = await shop.get('/api/metaobjects/recipe/creme-brulee', { status: 200 })
    expect(byId.body).toEqual(created.body)
    expect(byHandle.body).toEqual(created.body)
    expect([trips(created), trips(byId), trips(byHandle)]).toEqual([2, 1, 1])
    expect(Number(byHandle.headers.get('service-sequence'))).toBeGreaterThan(0)
    const reduced = await shop.get(`${document['@id']}?properties[]=handle`, { status: 200 })
    expect(Object.keys(reduced.body).sort()).toEqual(['@context', '@id', '@type', 'handle'])
  })

  test('records one event for each change, with the differences by field', async () => {
    const at = await openShop({ app })
    const kind = await define('note', recipeFields.slice(0, 2), at)
    const created = (
      await at.post('/api/metaobjects', {
        body: { definition: kind['@id'], fields: { title: 'A', steps: 'x' } },
        status: 201,
      })
    ).body
    await at.patch(created['@id'], { body: { fields: { steps: null, title: 'B' } }, status: 200 })
    await at.patch(created['@id'], { body: { fields: { title: 'B' } }, status: 200 })
    await at.patch(created['@id'], { body: { fields: { title: '' } }, status: 422 })
    await at.delete(created['@id'], { status: 204 })
    await at.delete(created['@id'], { status: 404 })
    const events = (await eventsOf(at)).slice(1)
    expect(events.map(({ topic, version }) => [topic, version])).toEqual([
      ['metaobject/created', 1],
      ['metaobject/updated', 2],
      ['metaobject/deleted', 3],
    ])
    expect(events[1]!.changes).toEqual([
      { path: 'fields.steps', before: 'x', after: null },
      { path: 'fields.title', before: 'A', after: 'B' },
    ])
  })

  test('is shown by its events as it was, with the drafts that it refers to for those alone who see drafts', async () => {
    const at = await openShop({ app })
    const kind = await define('note', recipeFields, at)
    const make = async (body: object) =>
      (await at.post('/api/metaobjects', { body: { definition: kind['@id'], ...body }, status: 201 })).body
    const draft = await make({ fields: { title: 'Secret' } })
    const publishedEntry = await make({ status: 'ACTIVE', fields: { title: 'Open' } })
    const referenceList = JSON.stringify([draft['@id'], publishedEntry['@id']])
    const created = await make({ fields: { title: 'A', others: referenceList } })
    await at.patch(created['@id'], { body: { fields: { title: 'B' } }, status: 200 })
    const feed = await at.get('/api/events?topic=metaobject/*', { status: 200 })
    const events = feed.body.member.filter((event: Body) => event.resource === created['@id'])
    expect(events.map((event: Body) => [event.document.displayName, event.document.version])).toEqual([
      ['A', 1],
      ['B', 2],
    ])
    const references = (document: Body) =>
      document.fields[1].metaobject.map((metaobject: Body) => metaobject['@id'])
    expect(references(events[0].document)).toEqual([draft['@id'], publishedEntry['@id']])
    expect(references(created)).toEqual([draft['@id'], publishedEntry['@id']])
    await at.patch(created['@id'], { body: { status: 'ACTIVE' }, status: 200 })
    const token = await at.token({ scope: 'events:read metaobjects:read' })
    const published = await at.get(`/api/events?resource=${created['@id']}`, { token, status: 200 })
    const [first, , last] = published.body.member
    expect(first).toMatchObject({ document: null, changes: [] })
    expect(references(last.document)).toEqual([publishedEntry['@id']])
    const defined = await at.get('/api/events?topic=metaobject_definition/created', { status: 200 })
    expect(defined.body.member[0].document).toMatchObject({ '@id': kind['@id'], type: 'note' })
  })

  test('as a draft is in the events of callers who may write only', async () => {
    const at = await openShop({ app })
    const kind = await define('note', recipeFields.slice(0, 2), at)
    const body = { definition: kind['@id'], fields: { title: 'Secret' } }
    const created = (await at.post('/api/metaobjects', { body, status: 201 })).body
    const change = (patchBody: object) => at.patch(created['@id'], { body: patchBody, status: 200 })
    await change({ status: 'ACTIVE', fields: { title: 'Open' } })
    await change({ fields: { title: 'Opener' } })
    await change({ status: 'DRAFT', fields: { title: 'Secret again' } })
    await at.delete(created['@id'], { status: 204 })
    const visibleTo = async (scope: string) => {
      const token = await at.token({ scope })
      const { body: feed } = await at.get(`/api/events?resource=${created['@id']}`, { token, status: 200 })
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
  test('a handle is unique in its definition alone, and derived from the display name', async () => {
    const [a, b] = [await add({ fields: { title: 'Soup' } }), await add({ fields: { title: 'Soup' } })]
    expect([a.handle, b.handle]).toEqual(['soup', 'soup-2'])
    const conflict = await post({ handle: 'soup' }, { status: 409 })
    expect([conflict.body.slug, violations(conflict)]).toEqual([
      'metaobject.handle_taken',
      [['handle', 'metaobject.handle_taken']],
    ])
    expect((await patch(b, { handle: 'soup' }, { status: 409 })).body.slug).toBe('metaobject.handle_taken')
    expect(violations(await patch(b, { handle: null }, { status: 422 }))).toEqual([
      ['handle', 'validation.required'],
    ])
    const other = await define('dish', recipeFields)
    await post({ definition: { '@id': other['@id'] }, handle: 'soup' }, { status: 201 })
    expect((await add()).handle).toMatch(/^entry(-\d+)?$/)
    expect((await add({ fields: { title: '日本' } })).handle).toMatch(/^entry(-\d+)?$/)
  })

  test('eight writers of one name get eight handles; of one handle, one gets it', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => add({ fields: { title: 'Race' } })))
    expect(new Set(created.map((entry) => entry.handle)).size).toBe(8)
    const replies = await Promise.all(Array.from({ length: 4 }, () => post({ handle: 'only-one' })))
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409])
  })

  test('an external id is unique', async () => {
    await add({ externalId: 'x' })
    expect((await post({ externalId: 'x' }, { status: 409 })).body.slug).toBe('metaobject.external_id_taken')
  })

  test('the definition stays the same', async () => {
    const created = await add()
    const other = await define('fixed', recipeFields)
    await patch(created, { definition: recipe['@id'] }, { status: 200 })
    expect(violations(await patch(created, { definition: other['@id'] }, { status: 422 }))).toEqual([
      ['definition', 'metaobject.definition_immutable'],
    ])
    const unknownDefinition = await post(
      { definition: `/api/metaobject_definitions/${unknown}` },
      { status: 422 },
    )
    expect(violations(unknownDefinition)).toEqual([['definition', 'validation.unknown_reference']])
  })
})

describe('fields', () => {
  test('an array replaces them, an object merges them, null removes one or all', async () => {
    const created = await add({ fields: { title: 'A', steps: 'x', minutes: '5' } })
    const merged = await patch(created, { fields: { steps: null, minutes: 6 } }, { status: 200 })
    expect(valuesOf(merged.body)).toEqual({ title: 'A', minutes: '6' })
    const removed = await patch(created, { fields: { minutes: { value: null } } }, { status: 200 })
    expect(valuesOf(removed.body)).toEqual({ title: 'A' })
    const back = await patch(created, { fields: removed.body.fields, status: 'DRAFT' }, { status: 200 })
    expect(back.body).toEqual(removed.body)
    expect(back.headers.get('service-ignored-properties')).toBeNull()
    const replaced = await patch(created, { fields: [{ key: 'steps', value: 'y' }] }, { status: 200 })
    expect([valuesOf(replaced.body), replaced.body.displayName]).toEqual([{ steps: 'y' }, null])
    expect((await patch(created, { fields: null }, { status: 200 })).body.fields).toEqual([])
    expect((await patch(created, { fields: { nothing: null } }, { status: 200 })).body.version).toBe(5)
  })

  test.each<[string, unknown, (readonly [string, string])[]]>([
    ['that is no field', { colour: 'red' }, [['fields.colour', 'validation.unknown_property']]],
    [
      'that objects have anyway',
      { constructor: 'x' },
      [['fields.constructor', 'validation.unknown_property']],
    ],
    ['of the wrong type', { minutes: 'ten' }, [['fields.minutes', 'metaobject.field_invalid']]],
    ['against a rule', [{ key: 'minutes', value: '0' }], [['fields[0].value', 'metaobject.field_invalid']]],
    ['that is no text', { minutes: [5] }, [['fields.minutes', 'validation.type']]],
    ['without a key', [{ value: 'x' }], [['fields[0].key', 'validation.required']]],
    ['without a value', [{ key: 'title' }], [['fields[0].value', 'validation.required']]],
    ['that is null in an array', [{ key: 'title', value: null }], [['fields[0].value', 'validation.type']]],
    [
      'twice',
      [
        { key: 'title', value: 'a' },
        { key: 'title', value: 'b' },
      ],
      [['fields[1].key', 'validation.duplicate_item']],
    ],
    [
      'of another type than its definition has',
      [{ key: 'title', value: 'a', type: type('json') }],
      [['fields[0].type', 'validation.identity_mismatch']],
    ],
    ['in something that is neither', 'title', [['fields', 'validation.type']]],
    [
      'that refers to nothing',
      { product: `/api/products/${unknown}`, main: '/api/products/x' },
      [
        ['fields.product', 'validation.unknown_reference'],
        ['fields.main', 'metaobject.field_invalid'],
      ],
    ],
  ])('a value %s is judged where it stands', async (_, fields, expected) => {
    const reply = await post({ fields })
    expect(reply.status, reply.text.slice(0, 300)).toBe(422)
    expect(violations(reply)).toEqual(expected)
  })

  test('of a translatable definition are written in one locale and read in every other', async () => {
    const created = await add({ fields: { title: 'Bread', minutes: '60' } })
    const french = await patch(created, { fields: { title: 'Pain' } }, { locale: 'fr-FR', status: 200 })
    expect([french.body.displayName, valuesOf(french.body)]).toEqual([
      'Pain',
      { title: 'Pain', minutes: '60' },
    ])
    expect(french.body).not.toHaveProperty('fallbacks')
    expect((await shop.get(created['@id'])).body.displayName).toBe('Bread')
    await patch(created, { fields: [{ key: 'minutes', value: '45' }] }, { locale: 'fr-FR', status: 200 })
    const fellBack = await shop.get(created['@id'], { locale: 'fr-FR', status: 200 })
    expect(fellBack.body).toMatchObject({
      displayName: 'Bread',
      fallbacks: { displayName: 'en-US', 'fields.title': 'en-US' },
    })
    expect(valuesOf(fellBack.body)).toEqual({ title: 'Bread', minutes: '45' })
    const sent = await shop.patch(created['@id'], { body: fellBack.body, locale: 'fr-FR', status: 200 })
    expect(sent.body).toEqual(fellBack.body)
    await patch(created, { fields: { title: null } }, { status: 200 })
    expect((await shop.get(created['@id'])).body).toMatchObject({ displayName: null })
    const undeclared = await patch(created, { fields: { title: 'Brot' } }, { locale: 'de-DE', status: 422 })
    expect(undeclared.body.slug).toBe('locale.not_declared')
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
  test('a draft becomes active when its required fields are valid, and may always go back', async () => {
    const created = await add({ fields: { steps: 'x' } })
    const refused = await patch(created, { status: 'ACTIVE' }, { status: 422 })
    expect(violations(refused)).toEqual([['status', 'metaobject.incomplete']])
    expect(refused.body.violations[0].message).toContain('title')
    expect(violations(await post({ status: 'ACTIVE' }, { status: 422 }))).toEqual([
      ['status', 'metaobject.incomplete'],
    ])
    const active = await patch(created, { status: 'ACTIVE', fields: { title: 'Now' } }, { status: 200 })
    expect(active.body.status).toBe('ACTIVE')
    expect(violations(await patch(created, { fields: { title: null } }, { status: 422 }))).toEqual([
      ['fields', 'metaobject.incomplete'],
    ])
    await patch(created, { fields: { title: 'Maintenant' } }, { locale: 'fr-FR', status: 200 })
    await patch(created, { fields: { title: null } }, { status: 200 })
    expect(
      violations(await patch(created, { fields: { title: null } }, { locale: 'fr-FR', status: 422 })),
    ).toEqual([['fields', 'metaobject.incomplete']])
    const back = await patch(created, { status: null, fields: null }, { status: 200 })
    expect(back.body.status).toBe('DRAFT')
  })

  test('a required reference has to be there when it is published, not afterwards', async () => {
    const kind = await define('pairing', [
      { key: 'title', type: type('single_line_text_field') },
      { key: 'category', type: type('category_reference'), required: true },
    ])
    const category = (await shop.post('/api/categories', { body: { title: 'Gone' }, status: 201 })).body
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
      (
        await at.post('/api/metaobjects', {
          body: { definition: kind['@id'], status, fields: { title: status } },
          status: 201,
        })
      ).body
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
    await at.patch(active['@id'], { body: { status: 'DRAFT' }, status: 200 })
    expect(await counted('', { token })).toEqual([0, 0])
    await at.patch(active['@id'], { body: { status: 'ACTIVE' }, status: 200 })
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
    const public_ = await shop.get(created.body['@id'], { token: reader, status: 200 })
    expect(ids(public_.body, 'others')).toEqual([publishedEntry['@id']])
    const page = await shop.get(`/api/metaobjects?handle=${created.body.handle}`, {
      token: reader,
      status: 200,
    })
    expect(ids(page.body.member[0], 'others')).toEqual([publishedEntry['@id']])
    await shop.delete(publishedEntry['@id'], { status: 204 })
    const afterDeletion = await shop.get(created.body['@id'], { status: 200 })
    expect([ids(afterDeletion.body, 'main'), ids(afterDeletion.body, 'others')]).toEqual([[], [draft['@id']]])
    expect(afterDeletion.headers.get('etag')).not.toBe(response.headers.get('etag'))
    await patch(created.body, { fields: { steps: 'Stir' } }, { status: 200 })
    await patch(created.body, { fields: afterDeletion.body.fields }, { status: 200 })
  })

  test('are shown in the locale asked for, and a metaobject may refer to itself', async () => {
    const target = await add({ status: 'ACTIVE', fields: { title: 'Onion' } })
    await patch(target, { fields: { title: 'Oignon' } }, { locale: 'fr-FR', status: 200 })
    const created = await add({ status: 'ACTIVE', fields: { title: 'Soup', main: target['@id'] } })
    const french = await shop.get(created['@id'], { locale: 'fr-FR', status: 200 })
    expect(french.body.fields[1].metaobject[0].displayName).toBe('Oignon')
    const self = await patch(created, { fields: { main: created['@id'] } }, { status: 200 })
    expect(self.body.fields[1].metaobject[0]).toMatchObject({ '@id': created['@id'], version: 2 })
    expect((await shop.get(created['@id'])).body).toEqual(self.body)
    await patch(target, { fields: { main: created['@id'] } }, { status: 200 })
    const circle = await patch(created, { fields: { main: target['@id'] } }, { status: 200 })
    const [embeddedSelf] = circle.body.fields[1].metaobject
    expect([embeddedSelf['@id'], valuesOf(embeddedSelf).main]).toEqual([target['@id'], created['@id']])
    expect(embeddedSelf.fields.map((field: Body) => field.metaobject)).toEqual([[], []])
  })

  test('to products, variants and categories must be there, and embed nothing', async () => {
    const category = (await shop.post('/api/categories', { body: { title: 'Pans' }, status: 201 })).body
    const body = { title: 'Pan', variants: [{}] }
    const product = (await shop.post('/api/products', { body, status: 201 })).body
    const created = await add({
      fields: { product: product['@id'], categories: JSON.stringify([category['@id']]) },
    })
    expect(created.fields.map((field: Body) => field.metaobject)).toEqual([[], []])
    const kind = await define('pick', [
      { key: 'title', type: type('variant_reference') },
      { key: 'set', type: type('collection_reference') },
    ]).catch(() => null)
    expect(kind).toBeNull()
    const picked = (
      await shop.post('/api/metaobject_definitions', {
        body: { type: 'pick', fieldDefinitions: [{ key: 'variant', type: type('variant_reference') }] },
        status: 201,
      })
    ).body
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
