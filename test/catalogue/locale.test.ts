/** Locales: texts in the caller's language, writes to it, and fallbacks for missing texts. */
import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const english = { title: 'Shirt', description: 'Soft', seo: { title: 'Buy it', description: null } }
const make = async (shop: Shop, body: object = english, locale?: string) =>
  (await shop.post('/api/products', { body, ...(locale && { locale }), status: 201 })).body

describe('reading', () => {
  test('a locale may have a UN M49 region', async () => {
    const { get, patch, post } = await openShop({ locales: ['en-US', 'es-419'] })
    const { body } = await post('/api/categories', { body: { title: 'Hats' }, status: 201 })
    await patch(body['@id'], { locale: 'es-419', body: { title: 'Sombreros' }, status: 200 })
    const reply = await get(body['@id'], { locale: 'es-419', status: 200 })
    expect([reply.body.title, reply.headers.get('content-language')]).toEqual(['Sombreros', 'es-419'])
    await get(body['@id'], { locale: 'es-41', status: 400 })
  })

  test('a derived title that fell back names its locale, also where the default one is missing', async () => {
    const shop = await openShop()
    const made = await make(shop, {
      title: 'Shirt',
      options: [{ title: 'Color', values: [{ title: 'Red' }] }],
      variants: [{ optionValues: [{ option: 'Color', value: 'Red' }] }],
    })
    expect(made.variants[0]).not.toHaveProperty('fallbacks')
    const path = made.variants[0]['@id']
    const fellBack = { title: 'Red', fallbacks: { title: 'en-US' } }
    const french = await shop.read(path, { locale: 'fr-FR' })
    expect(french).toMatchObject({ ...fellBack, optionValues: [fellBack] })
    const listed = await shop.read(made['@id'], { locale: 'fr-FR' })
    expect(listed.variants[0]).toMatchObject(fellBack)
    const body = { option: made.options[0]['@id'], title: 'Bleu' }
    const value = await shop.create('/api/option_values', body, { locale: 'fr-FR' })
    await shop.update(path, { optionValues: [value['@id']] })
    const english_ = await shop.read(path)
    expect(english_).toMatchObject({ title: 'Bleu', fallbacks: { title: 'fr-FR' } })
    expect((await shop.get(path, { locale: 'fr-FR' })).body).not.toHaveProperty('fallbacks')
  })
})

describe('writing', () => {
  test('the value that another locale falls back to is still a change when written', async () => {
    const shop = await openShop()
    const made = await make(shop)
    const same = await shop.update(made['@id'], { title: 'Shirt' }, { locale: 'fr-FR' })
    expect(same.version).toBe(2)
    expect(same.fallbacks?.title).toBeUndefined()
    const again = await shop.update(made['@id'], { title: 'Shirt' }, { locale: 'fr-FR' })
    expect(again.version).toBe(2)
  })

  test('titles of options and values are unique in each locale of their own', async () => {
    const shop = await openShop()
    const made = await make(shop, {
      title: 'Shirt',
      options: [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }, { title: 'Size' }],
    })
    const [color, size] = made.options
    const [red, blue] = color.values
    await shop.update(color['@id'], { title: 'Couleur' }, { locale: 'fr-FR' })
    await shop.update(size['@id'], { title: 'Taille' }, { locale: 'fr-FR' })
    await shop.update(red['@id'], { title: 'Rouge' }, { locale: 'fr-FR' })
    await shop.update(blue['@id'], { title: 'Bleu' }, { locale: 'fr-FR' })
    expect((await shop.get(color['@id'], { locale: 'fr-FR' })).body.title).toBe('Couleur')
    expect((await shop.get(blue['@id'], { locale: 'fr-FR' })).body.title).toBe('Bleu')
    expect((await shop.get(blue['@id'])).body.title).toBe('Blue')
  })
})
