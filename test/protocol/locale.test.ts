import { beforeAll, describe, expect, test, vi } from 'vitest'
import { englishMessages } from '../../src/core/problem.ts'
import { builtMessages } from '../../src/http/messages.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp(), locales: ['de-DE', 'fr-FR'] })
})

test('an error is in the requested language, even without a token', async () => {
  const { body, headers } = await shop.get(notePath, { token: null, locale: 'fr-FR', status: 401 })
  expect(body.message).toBe('Veuillez vous connecter pour continuer : un jeton d’accès (Bearer) est requis.')
  expect(headers.get('content-language')).toBe('fr-FR')
})

test('without one it is in the tenant’s default', async () => {
  const { body, headers } = await shop.get('/api/nothing', { status: 404 })
  expect(body.message).toMatch(/existiert nicht|nicht/)
  expect(headers.get('content-language')).toBe('de-DE')
})

test.each(['ko-KR', 'zh-TW'])('a language without messages (%s) gets the English ones', async (locale) => {
  const { body, headers } = await shop.get('/api/nothing', { locale, status: 404 })
  expect(body.message).toBe('The page or record you are looking for does not exist.')
  expect(headers.get('content-language')).toBe('en')
})

test.each([
  ['it-IT', 'La pagina o l’elemento che cerca non esiste.'],
  ['ja-JP', 'お探しのページまたは項目は存在しません。'],
  ['zh-CN', '您查找的页面或条目不存在。'],
])('a message in %s', async (locale, message) => {
  const { body, headers } = await shop.get('/api/nothing', { locale, status: 404 })
  expect(body.message).toBe(message)
  expect(headers.get('content-language')).toBe(locale)
})

test.each([
  ['it', 'it'],
  ['ko, it-CH;q=0.9, en;q=0.1', 'it-CH'],
  ['en-GB, it;q=0.5', 'en-GB'],
  ['*', 'de-DE'],
  ['-, _;q=x, fr_FR, toolongtag-1', 'de-DE'],
])(
  'without Service-Locale, Accept-Language (%s) selects the language of the message',
  async (tags, language) => {
    const { headers } = await shop.get('/api/nothing', { headers: { 'Accept-Language': tags }, status: 404 })
    expect(headers.get('content-language')).toBe(language)
    const both = { headers: { 'Accept-Language': tags }, locale: 'fr-FR', status: 404 }
    expect((await shop.get('/api/nothing', both)).headers.get('content-language')).toBe('fr-FR')
  },
)

describe('the files of messages', () => {
  const messages = builtMessages()
  const answering = (fetch: () => Promise<Response>) => ({ ...shop.bindings, ASSETS: { fetch } })

  test.each([
    ['that are missing', async () => new Response(null, { status: 404 })],
    ['that cannot be read', async () => Promise.reject(new Error('down'))],
    ['with another content', async () => Response.json(['no messages'])],
  ])('%s leave the messages English', async (_, fetch) => {
    expect(await messages('it-IT', answering(fetch))).toBe(englishMessages)
  })

  test('are read once', async () => {
    const fetch = vi.fn(async () => Response.json({ 'http.not_found': 'Niente.' }))
    expect(await messages('it-IT', answering(fetch))).toEqual({ 'http.not_found': 'Niente.' })
    expect(await messages('it-CH', answering(fetch))).toEqual({ 'http.not_found': 'Niente.' })
    expect(fetch).toHaveBeenCalledExactlyOnceWith('https://assets.invalid/messages/it.json')
  })
})

test('detail and description stay English', async () => {
  const { body } = await shop.get('/api/nothing', { locale: 'fr-FR', status: 404 })
  expect(body.description).toMatch(/^No operation has this path/)
  expect(body.detail).toBe(`GET /api/nothing: ${body.description}`)
})

test('a malformed locale is refused in the default language', async () => {
  const { body } = await shop.get(notePath, { locale: 'fr', status: 400 })
  expect(body).toMatchObject({ slug: 'locale.malformed', message: expect.stringContaining('„fr“') })
})

test('a write in an undeclared locale is refused and lists the declared ones', async () => {
  const { body } = await shop.patch(notePath, { body: {}, locale: 'es-ES', status: 422 })
  expect(body.slug).toBe('locale.not_declared')
  expect(body.violations).toMatchObject([
    { propertyPath: '', message: expect.stringContaining('de-DE, fr-FR') },
  ])
  await shop.update(notePath, {}, { locale: 'fr-FR' })
  await shop.delete(notePath, { locale: 'es-ES', status: 204 })
})
