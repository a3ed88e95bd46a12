import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

/** Translations: all locales of a resource in one document, replaced as one. */

const unknownId = '01900000-0000-7000-8000-000000000000'

async function make(shop: Shop) {
  const category = await shop.post('/api/categories', { body: { title: 'Clothes' }, status: 201 })
  const options = [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }, { title: 'Size' }]
  const body = { title: 'Shirt', categories: [category.body['@id']], options }
  const product = (await shop.post('/api/products', { body, status: 201 })).body
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
  (await shop.get(`/api/events?after=${sequence}`, { status: 200 })).body.member

describe.each(kinds)('of a %s', (kind, { title, collection, topics }) => {
  async function open() {
    const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE'] })
    const made = (await make(shop))[kind]
    const path = `${made['@id']}/translations`
    const put = (translations: unknown, asked: object = {}) =>
      shop.put(path, { body: { translations }, status: 200, ...asked })
    return { shop, made, path, put }
  }

  test('every locale is read, each with what it has', async () => {
    const { shop, made, path } = await open()
    await shop.patch(made['@id'], { body: { title: 'Autre' }, locale: 'fr-FR', status: 200 })
    const reply = await shop.get(path, { locale: 'de-DE', status: 200 })
    expect(reply.body).toEqual({
      '@context': '/api/contexts/Translations',
      '@id': path,
      '@type': 'Translations',
      resource: made['@id'],
      translations: { 'en-US': { title }, 'fr-FR': { title: 'Autre' } },
      version: expect.any(Number),
    })
    const resource = await shop.get(made['@id'], { status: 200 })
    expect(reply.body.version).toBe(resource.body.version)
    expect(reply.headers.get('etag')).toMatch(new RegExp(`^"${resource.body.version}\\.`))
    expect(reply.headers.get('server-timing')).toMatch(/db;[^,]*desc="1"/)
  })

  test('writing replaces every locale, shows in the resource and emits one event', async () => {
    const { shop, made, path, put } = await open()
    await shop.patch(made['@id'], { body: { title: 'Autre' }, locale: 'fr-FR', status: 200 })
    const before = await shop.get(path, { status: 200 })
    const written = await put({ 'de-DE': { title: 'Neu' }, 'en-US': { title: 'New' } })
    expect(written.body).toEqual({
      ...before.body,
      translations: { 'en-US': { title: 'New' }, 'de-DE': { title: 'Neu' } },
      version: before.body.version + 1,
    })
    expect(Object.keys(written.body.translations)).toEqual(['en-US', 'de-DE'])
    const read = await shop.get(path, { status: 200 })
    expect(read.body).toEqual(written.body)
    expect(read.headers.get('etag')).toBe(written.headers.get('etag'))
    expect((await shop.get(made['@id'])).body.title).toBe('New')
    expect((await shop.get(made['@id'], { locale: 'de-DE' })).body.title).toBe('Neu')
    const french = (await shop.get(made['@id'], { locale: 'fr-FR' })).body
    expect([french.title, french.fallbacks.title]).toEqual(['New', 'en-US'])
    const events = await eventsAfter(shop, before.headers.get('service-sequence'))
    expect(events.map((each: { topic: string }) => each.topic).sort()).toEqual(topics)
    const own = events.find((each: { resource: string }) => each.resource === made['@id'])
    expect(own.resourceVersion).toBe(written.body.version)
    expect(own.changes).toEqual(
      expect.arrayContaining([
        { path: 'translations.en-US.title', before: title, after: 'New' },
        { path: 'translations.de-DE', before: null, after: { title: 'Neu' } },
        { path: 'translations.fr-FR', before: { title: 'Autre' }, after: null },
      ]),
    )
    expect(own.changes).toHaveLength(3)
  })

  test('what was read can be sent back: nothing is bumped and nothing emitted', async () => {
    const { shop, made, path } = await open()
    await shop.patch(made['@id'], { body: { title: 'Autre' }, locale: 'fr-FR', status: 200 })
    const before = await shop.get(path, { status: 200 })
    const written = await shop.put(path, { body: before.body, status: 200 })
    expect(written.body).toEqual(before.body)
    expect(written.headers.get('etag')).toBe(before.headers.get('etag'))
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
    const again = await put({ 'en-US': { title: 'Once' } }, { headers })
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true'])
    await put({ 'en-US': { title: 'Other' } }, { headers, status: 422 })
  })

  test('another content type is 415 that names those that are read', async () => {
    const { put } = await open()
    const reply = await put({}, { headers: { 'Content-Type': 'application/merge-patch+json' }, status: 415 })
    expect(reply.headers.get('accept')).toBe('application/ld+json, application/json')
    expect([reply.headers.get('accept-post'), reply.headers.get('accept-patch')]).toEqual([null, null])
  })

  test('If-Match is honoured', async () => {
    const { shop, path, put } = await open()
    const headers = { 'If-Match': (await shop.get(path)).headers.get('etag') }
    await put({ 'en-US': { title: 'New' } }, { headers })
    const late = await put({ 'en-US': { title: 'Late' } }, { headers, status: 412 })
    expect(late.body.slug).toBe('concurrency.version_mismatch')
    expect((await shop.get(path)).body.translations).toEqual({ 'en-US': { title: 'New' } })
  })

  test('a locale that the tenant has not declared is 422 at its place', async () => {
    const { path, shop, put } = await open()
    const before = (await shop.get(path)).body
    const reply = await put(
      { 'en-US': { title: 'New' }, 'ja-JP': { title: 'Shin' }, 'fr-fr': {} },
      { status: 422 },
    )
    expect(reply.body.slug).toBe('locale.not_declared')
    expect(reply.body.violations.map((each: { propertyPath: string }) => each.propertyPath)).toEqual([
      'translations.ja-JP',
      'translations.fr-fr',
    ])
    expect((await shop.get(path)).body).toEqual(before)
  })

  test('unknown members are passed over and told', async () => {
    const { shop, path } = await open()
    const body = {
      translations: { 'fr-FR': { title: 'A', handle: 'x', rank: 1 }, 'en-US': { title: 'B' } },
      more: 1,
    }
    const reply = await shop.put(path, { body, status: 200 })
    expect(reply.body.translations).toEqual({ 'en-US': { title: 'B' }, 'fr-FR': { title: 'A' } })
    const told = reply.headers.get('service-ignored-properties')
    for (const name of ['translations.fr-FR.handle', 'translations.fr-FR.rank', 'more']) {
      expect(told).toContain(name)
    }
    await shop.put(path, { body, headers: { Prefer: 'handling=strict' }, status: 422 })
  })

  test.each([
    ['no translations', {}, 'translations'],
    ['translations that are null', { translations: null }, 'translations'],
    ['translations that are a list', { translations: [] }, 'translations'],
    ['a locale that is a text', { translations: { 'en-US': 'x' } }, 'translations.en-US'],
    ['a title that is a number', { translations: { 'en-US': { title: 7 } } }, 'translations.en-US.title'],
    ['a blank title', { translations: { 'fr-FR': { title: ' ' } } }, 'translations.fr-FR.title'],
  ])('%s: 422', async (_, body, propertyPath) => {
    const { shop, path } = await open()
    const reply = await shop.put(path, { body, status: 422 })
    expect(reply.body.violations[0].propertyPath).toBe(propertyPath)
  })

  test('an unknown id is 404, and so is that of another tenant', async () => {
    const { path } = await open()
    const other = await openShop()
    for (const each of [path, `/api/${collection}/${unknownId}/translations`]) {
      await other.get(each, { status: 404 })
      await other.put(each, { body: { translations: { 'en-US': { title: 'x' } } }, status: 404 })
    }
  })

  test('a locale without texts is none', async () => {
    const { put } = await open()
    const reply = await put({ 'de-DE': {}, 'fr-FR': null, 'en-US': { title: 'New' } })
    expect(reply.body.translations).toEqual({ 'en-US': { title: 'New' } })
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
    const shown = (await shop.get(product['@id'], { locale: 'fr-FR' })).body
    expect(shown).toMatchObject({ title: 'Chemise', description: 'Douce', vendor: 'Acme', tags: ['a'] })
    expect(shown.handle).toBe(product.handle)
    expect(shown.categories).toHaveLength(1)
    const { version } = (await shop.put(path, { body, status: 200 })).body
    expect(version).toBe(shown.version)
  })

  test('that is archived is 409, and so are its options and values', async () => {
    const shop = await openShop()
    const { product, option, value } = await make(shop)
    await shop.delete(product['@id'], { status: 204 })
    for (const each of [product, option, value]) {
      await shop.get(`${each['@id']}/translations`, { status: 200 })
      const body = { translations: { 'en-US': { title: 'New' } } }
      const reply = await shop.put(`${each['@id']}/translations`, { body, status: 409 })
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
  const taken = async (iri: string, title: string) =>
    (await shop.put(`${iri}/translations`, { body: { translations: { 'en-US': { title } } }, status: 409 }))
      .body
  expect(await taken(option['@id'], 'Size')).toMatchObject({
    slug: 'product_option.title_taken',
    violations: [{ propertyPath: 'translations.en-US.title' }],
  })
  expect(await taken(value['@id'], 'Blue')).toMatchObject({
    slug: 'option_value.title_taken',
    violations: [{ propertyPath: 'translations.en-US.title' }],
  })
})

test('writers that race all succeed, and the last one is what is kept whole', async () => {
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

test('its context is served without a token', async () => {
  const shop = await openShop()
  const { body } = await shop.get('/api/contexts/Translations', { token: null, status: 200 })
  expect(body['@context']).toHaveProperty('translations')
})
