import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

/** Translations: all locales of a resource in one document, replaced together. */

const unknownId = '01900000-0000-7000-8000-000000000000'

async function make(shop: Shop) {
  const category = await shop.post('/api/categories', { body: { title: 'Clothes' }, status: 201 })
  const options = [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }, { title: 'Size' }]
  const body = { title: 'Shirt', categories: [category.body['@id']], options }
  const product = await shop.create('/api/products', body)
  return { category: category.body, product, option: product.options[0], value: product.options[0].values[0] }
}
type Made = Awaited<ReturnType<typeof make>>

const kinds: [keyof Made, { title: string; collection: string; topics: string[] }][] = [
  ['product', { title: 'Shirt', collection: 'products', topics: ['product/updated'] }],
  [
    'option',
    { title: 'Color', collection: 'product_options', topics: ['product/updated', 'product_option/updated'] },
  ],
  [
    'value',
    { title: 'Red', collection: 'option_values', topics: ['option_value/updated', 'product/updated'] },
  ],
  ['category', { title: 'Clothes', collection: 'categories', topics: ['category/updated'] }],
]

const eventsAfter = async (shop: Shop, sequence: string | number | null) =>
  (await shop.read(`/api/events?after=${sequence}`)).member

describe.each(kinds)('of a %s', (kind, { title, collection, topics }) => {
  async function open() {
    const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE'] })
    const created = (await make(shop))[kind]
    const path = `${created['@id']}/translations`
    const put = (translations: unknown, options: object = {}) =>
      shop.put(path, { body: { translations }, status: 200, ...options })
    return { shop, made: created, path, put }
  }

  test('every locale is read, each with its texts', async () => {
    const { shop, made: created, path } = await open()
    await shop.patch(created['@id'], { body: { title: 'Autre' }, locale: 'fr-FR', status: 200 })
    const reply = await shop.get(path, { locale: 'de-DE', status: 200 })
    expect(reply.body).toEqual({
      '@context': '/api/contexts/Translations',
      '@id': path,
      '@type': 'Translations',
      resource: created['@id'],
      translations: { 'en-US': { title }, 'fr-FR': { title: 'Autre' } },
      version: expect.any(Number),
    })
    const resource = await shop.get(created['@id'], { status: 200 })
    expect(reply.body.version).toBe(resource.body.version)
    expect(reply.headers.get('etag')).toMatch(new RegExp(`^"${resource.body.version}\\.`))
    expect(reply.headers.get('server-timing')).toMatch(/db;[^,]*desc="1"/)
  })

  test('writing replaces every locale, shows in the resource and emits one event', async () => {
    const { shop, made: created, path, put } = await open()
    await shop.patch(created['@id'], { body: { title: 'Autre' }, locale: 'fr-FR', status: 200 })
    const before = await shop.get(path, { status: 200 })
    const response = await put({ 'de-DE': { title: 'Neu' }, 'en-US': { title: 'New' } })
    expect(response.body).toEqual({
      ...before.body,
      translations: { 'en-US': { title: 'New' }, 'de-DE': { title: 'Neu' } },
      version: before.body.version + 1,
    })
    expect(Object.keys(response.body.translations)).toEqual(['en-US', 'de-DE'])
    const readResponse = await shop.get(path, { status: 200 })
    expect(readResponse.body).toEqual(response.body)
    expect(readResponse.headers.get('etag')).toBe(response.headers.get('etag'))
    expect((await shop.get(created['@id'])).body.title).toBe('New')
    expect((await shop.get(created['@id'], { locale: 'de-DE' })).body.title).toBe('Neu')
    const french = (await shop.get(created['@id'], { locale: 'fr-FR' })).body
    expect([french.title, french.fallbacks.title]).toEqual(['New', 'en-US'])
    const events = await eventsAfter(shop, before.headers.get('service-sequence'))
    expect(events.map((event: { topic: string }) => event.topic).sort()).toEqual(topics)
    const event = events.find((event: { resource: string }) => event.resource === created['@id'])
    expect(event.resourceVersion).toBe(response.body.version)
    expect(event.changes).toEqual(
      expect.arrayContaining([
        { path: 'translations.en-US.title', before: title, after: 'New' },
        { path: 'translations.de-DE', before: null, after: { title: 'Neu' } },
        { path: 'translations.fr-FR', before: { title: 'Autre' }, after: null },
      ]),
    )
    expect(event.changes).toHaveLength(3)
  })

  test('a document can be sent back as read: no version changes and no event is made', async () => {
    const { shop, made: created, path } = await open()
    await shop.patch(created['@id'], { body: { title: 'Autre' }, locale: 'fr-FR', status: 200 })
    const before = await shop.get(path, { status: 200 })
    const response = await shop.put(path, { body: before.body, status: 200 })
    expect(response.body).toEqual(before.body)
    expect(response.headers.get('etag')).toBe(before.headers.get('etag'))
    expect(await eventsAfter(shop, before.headers.get('service-sequence'))).toEqual([])
    const other = { ...before.body, '@id': `/api/${collection}/${unknownId}/translations` }
    const refused = await shop.put(path, { body: other, status: 422 })
    expect(refused.body.slug).toBe('validation.identity_mismatch')
  })

  test('a key that is sent twice replaces them once', async () => {
    const { put } = await open()
    const headers = { 'Idempotency-Key': 'translated-once' }
    const first = await put({ 'en-US': { title: 'Once' } }, { headers })
    await put({ 'en-US': { title: 'Since' } })
    const replay = await put({ 'en-US': { title: 'Once' } }, { headers })
    expect([replay.body, replay.headers.get('idempotency-replayed')]).toEqual([first.body, 'true'])
    await put({ 'en-US': { title: 'Other' } }, { headers, status: 422 })
  })

  test('another content type is 415 that names those that are read', async () => {
    const { put } = await open()
    const reply = await put({}, { headers: { 'Content-Type': 'application/merge-patch+json' }, status: 415 })
    expect(reply.headers.get('accept')).toBe('application/ld+json, application/json')
    expect([reply.headers.get('accept-post'), reply.headers.get('accept-patch')]).toEqual([null, null])
  })

  test('a locale that the tenant has not declared is 422 at its place', async () => {
    const { path, shop, put } = await open()
    const before = (await shop.get(path)).body
    const reply = await put(
      { 'en-US': { title: 'New' }, 'ja-JP': { title: 'Shin' }, 'fr-fr': {} },
      { status: 422 },
    )
    expect(reply.body.slug).toBe('locale.not_declared')
    expect(
      reply.body.violations.map((violation: { propertyPath: string }) => violation.propertyPath),
    ).toEqual(['translations.ja-JP', 'translations.fr-fr'])
    expect((await shop.get(path)).body).toEqual(before)
  })

  test('unknown members are ignored and reported', async () => {
    const { shop, path } = await open()
    const body = {
      translations: { 'fr-FR': { title: 'A', handle: 'x', rank: 1 }, 'en-US': { title: 'B' } },
      more: 1,
    }
    const reply = await shop.put(path, { body, status: 200 })
    expect(reply.body.translations).toEqual({ 'en-US': { title: 'B' }, 'fr-FR': { title: 'A' } })
    const ignored = reply.headers.get('service-ignored-properties')
    for (const name of ['translations.fr-FR.handle', 'translations.fr-FR.rank', 'more']) {
      expect(ignored).toContain(name)
    }
    await shop.put(path, { body, headers: { Prefer: 'handling=strict' }, status: 422 })
  })

  test('a title that is in no locale is 422 where one is required', async () => {
    const { put } = await open()
    const required = kind !== 'option'
    for (const none of [{}, { 'fr-FR': { title: null } }]) {
      const reply = await put(none, { status: required ? 422 : 200 })
      if (required) expect(reply.body.violations[0].propertyPath).toBe('translations.en-US.title')
      else expect(reply.body.translations).toEqual({})
    }
    await put({ 'fr-FR': { title: 'Seul' } })
  })
})

describe('a product', () => {
  test('keeps what is not translated, and every translated property', async () => {
    const shop = await openShop()
    const { product } = await make(shop)
    await shop.patch(product['@id'], { body: { vendor: 'Acme', tags: ['a'] }, status: 200 })
    const french = { title: 'Chemise', description: 'Douce', seo: { title: 'Achetez', description: null } }
    const path = `${product['@id']}/translations`
    const body = { translations: { 'en-US': { title: 'Shirt' }, 'fr-FR': french } }
    const { translations } = (await shop.put(path, { body, status: 200 })).body
    expect(translations['fr-FR']).toEqual({ ...french, seo: { title: 'Achetez' } })
    const localized = (await shop.get(product['@id'], { locale: 'fr-FR' })).body
    expect(localized).toMatchObject({ title: 'Chemise', description: 'Douce', vendor: 'Acme', tags: ['a'] })
    expect(localized.handle).toBe(product.handle)
    expect(localized.categories).toHaveLength(1)
    const { version } = (await shop.put(path, { body, status: 200 })).body
    expect(version).toBe(localized.version)
  })

  test('that is archived is 409, and so are its options and values', async () => {
    const shop = await openShop()
    const { product, option, value } = await make(shop)
    await shop.delete(product['@id'], { status: 204 })
    for (const resource of [product, option, value]) {
      await shop.get(`${resource['@id']}/translations`, { status: 200 })
      const body = { translations: { 'en-US': { title: 'New' } } }
      const reply = await shop.put(`${resource['@id']}/translations`, { body, status: 409 })
      expect(reply.body.slug).toBe('product.archived')
    }
  })

  test('has the version of its options’ translations in its own', async () => {
    const shop = await openShop()
    const { product, option } = await make(shop)
    const body = { translations: { 'en-US': { title: 'Colour' } } }
    await shop.put(`${option['@id']}/translations`, { body, status: 200 })
    expect((await shop.get(product['@id'])).body.version).toBe(product.version + 1)
  })
})

test('a title that a sibling has in the default locale is 409 at its place', async () => {
  const shop = await openShop()
  const { option, value } = await make(shop)
  const conflictsOf = async (iri: string, title: string) =>
    (await shop.put(`${iri}/translations`, { body: { translations: { 'en-US': { title } } }, status: 409 }))
      .body
  expect(await conflictsOf(option['@id'], 'Size')).toMatchObject({
    slug: 'product_option.title_taken',
    violations: [{ propertyPath: 'translations.en-US.title' }],
  })
  expect(await conflictsOf(value['@id'], 'Blue')).toMatchObject({
    slug: 'option_value.title_taken',
    violations: [{ propertyPath: 'translations.en-US.title' }],
  })
})

test('concurrent writes all succeed, and the last one is stored whole', async () => {
  const shop = await openShop()
  const { product } = await make(shop)
  const path = `${product['@id']}/translations`
  const write = (title: string) =>
    shop.put(path, { body: { translations: { 'en-US': { title }, 'fr-FR': { title } } }, status: 200 })
  await Promise.all(['A', 'B', 'C'].map(write))
  const { translations, version } = (await shop.get(path)).body
  expect(version).toBe(product.version + 3)
  expect(translations['fr-FR']).toEqual(translations['en-US'])
})
