import { beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp(), locales: ['de-DE', 'fr-FR'] })
})

test('an error is in the requested language, even without a token', async () => {
  const { body, headers } = await shop.get(notePath, { token: null, locale: 'fr-FR', status: 401 })
  expect(body.message).toBe('Veuillez vous connecter pour continuer : un jeton d’accès (Bearer) est requis.')
  expect(headers.get('content-language')).toBe('fr-FR')
})

test('without one it is in the tenant’s default', async () => {
  const { body, headers } = await shop.get('/api/nothing', { status: 404 })
  expect(body.message).toMatch(/existiert nicht|nicht/)
  expect(headers.get('content-language')).toBe('de-DE')
})

test('a language without messages gets the English ones', async () => {
  const { body } = await shop.get('/api/nothing', { locale: 'ja-JP', status: 404 })
  expect(body.message).toBe('The page or record you are looking for does not exist.')
})

test('detail and description stay English', async () => {
  const { body } = await shop.get('/api/nothing', { locale: 'fr-FR', status: 404 })
  expect(body.description).toMatch(/^No operation has this path/)
  expect(body.detail).toBe(body.description)
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
  await shop.patch(notePath, { body: {}, locale: 'fr-FR', status: 200 })
  await shop.delete(notePath, { locale: 'es-ES', status: 204 })
})
