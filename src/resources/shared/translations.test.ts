import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

/** Translations: all locales of a resource in one document, replaced together. */

async function make(shop: Shop) {
  const category = await shop.create('/api/categories', { title: 'Clothes' })
  const options = [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }, { title: 'Size' }]
  const body = { title: 'Shirt', categories: [category['@id']], options }
  const product = await shop.create('/api/products', body)
  return { category: category, product, option: product.options[0], value: product.options[0].values[0] }
}
describe.each(['product', 'option', 'value', 'category'] as const)('of a %s', (kind) => {
  async function open() {
    const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE'] })
    const created = (await make(shop))[kind]
    const path = `${created['@id']}/translations`
    const put = (translations: unknown, options: object = {}) =>
      shop.put(path, { body: { translations }, status: 200, ...options })
    return { shop, path, put }
  }

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
    await shop.update(product['@id'], { vendor: 'Acme', tags: ['a'] })
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
