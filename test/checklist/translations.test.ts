/** Each translatable property, read in every way in which a translation can be there or missing, and written. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

/** The default first; German twice, so that a language has an order; French last. */
const locales = ['en-US', 'de-DE', 'de-CH', 'fr-FR'] as const

type Document = Record<string, unknown>

/** A property, the rest of its body, and how a text is written to it and read from it. */
type Row = {
  readonly property: string
  readonly make: (shop: Shop, written: Document, locale: string) => Promise<string>
  readonly write?: (text: string | null) => Document
  readonly read?: (document: Document) => unknown
  /** Its name in `fallbacks`. */
  readonly named?: string
  readonly required?: true
}

const made = async (shop: Shop, path: string, body: unknown, locale: string): Promise<Document> =>
  await shop.create(path, body, { locale })
const iri = (document: Document) => document['@id'] as string

const product = async (shop: Shop, written: Document, locale: string) =>
  iri(await made(shop, '/api/products', { title: 'T', ...written }, locale))
const category = async (shop: Shop, written: Document, locale: string) =>
  iri(await made(shop, '/api/categories', { title: 'T', ...written }, locale))
const collection = async (shop: Shop, written: Document, locale: string) =>
  iri(await made(shop, '/api/collections', { title: 'T', type: 'MANUAL', ...written }, locale))
const option = async (shop: Shop, written: Document, locale: string) => {
  const owner = await product(shop, {}, locale)
  return iri(await made(shop, `${owner}/product_options`, written, locale))
}
const value = async (shop: Shop, written: Document, locale: string) => {
  const owner = await option(shop, { title: 'O' }, locale)
  return iri(await made(shop, '/api/option_values', { option: owner, ...written }, locale))
}
let count = 0
const metaobject = async (shop: Shop, written: Document, locale: string) => {
  const type = '/api/metafield_definition_types/single_line_text_field'
  const fieldDefinitions = [{ key: 'text', type, translatable: true }]
  const body = { type: `kind_${(count += 1)}`, displayNameField: 'text', fieldDefinitions }
  const definition = await made(shop, '/api/metaobject_definitions', body, locale)
  return iri(await made(shop, '/api/metaobjects', { definition: iri(definition), ...written }, locale))
}

const textField = (text: string | null) => ({ fields: { text } })

const rows: Readonly<Record<string, Row>> = {
  'a product’s title': { property: 'title', make: product, required: true },
  'a product’s description': { property: 'description', make: product },
  'a product’s seo': {
    property: 'seo',
    make: product,
    write: (text) => ({ seo: text === null ? null : { title: text, description: null } }),
    read: ({ seo }) => (seo as { title: string } | null)?.title ?? null,
  },
  'an option’s title': { property: 'title', make: option },
  'a value’s title': { property: 'title', make: value, required: true },
  'a category’s title': { property: 'title', make: category, required: true },
  'a category’s description': { property: 'description', make: category },
  'a collection’s title': { property: 'title', make: collection, required: true },
  'a collection’s description': { property: 'description', make: collection },
  'a metaobject’s field': {
    property: 'fields',
    make: metaobject,
    write: textField,
    read: ({ fields }) => (fields as { key: string; value: string }[])[0]?.value ?? null,
    named: 'fields.text',
  },
  'a metaobject’s displayName': { property: 'displayName', make: metaobject, write: textField },
}

describe.each(Object.entries(rows))('%s', (_, row) => {
  const { property, make, required, named = property } = row
  const written = row.write ?? ((text: string | null) => ({ [property]: text }))
  const shown = row.read ?? ((document: Document) => document[property])
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop({ locales: [...locales] })
  })

  /** The text of a locale, its fallback, and the language of the response. */
  async function read(path: string, locale: string) {
    const { body, headers } = await shop.get(path, { locale, status: 200 })
    expect(headers.get('content-language')).toBe(locale)
    return [shown(body), body.fallbacks?.[named]]
  }
  const write = (path: string, locale: string, text: string | null, status = 200) =>
    shop.patch(path, { body: written(text), locale, status })

  test('is read exactly, in the same language, in the default and in any other', async () => {
    const path = await make(shop, written('Hut'), 'de-DE')
    expect(await read(path, 'de-DE')).toEqual(['Hut', undefined])
    expect(await read(path, 'de-CH')).toEqual(['Hut', 'de-DE'])
    expect(await read(path, 'de-AT')).toEqual(['Hut', 'de-DE'])
    expect(await read(path, 'fr-FR')).toEqual(['Hut', 'de-DE'])
    expect(await read(path, 'en-US')).toEqual(['Hut', 'de-DE'])
    await write(path, 'en-US', 'Hat')
    expect(await read(path, 'en-US')).toEqual(['Hat', undefined])
    expect(await read(path, 'en-GB')).toEqual(['Hat', 'en-US'])
    expect(await read(path, 'fr-FR')).toEqual(['Hat', 'en-US'])
    expect(await read(path, 'ja-JP')).toEqual(['Hat', 'en-US'])
    expect(await read(path, 'de-CH')).toEqual(['Hut', 'de-DE'])
    await write(path, 'de-CH', 'Huet')
    expect(await read(path, 'de-CH')).toEqual(['Huet', undefined])
    expect(await read(path, 'de-AT')).toEqual(['Hut', 'de-DE'])
  })

  test('is written in the request’s locale alone, the default where none is named', async () => {
    const path = await make(shop, written('Hat'), 'en-US')
    await write(path, 'fr-FR', 'Chapeau')
    await write(path, 'de-DE', 'Hut')
    expect(await read(path, 'en-US')).toEqual(['Hat', undefined])
    await shop.update(path, written('Cap'))
    expect(await read(path, 'en-US')).toEqual(['Cap', undefined])
    expect(await read(path, 'fr-FR')).toEqual(['Chapeau', undefined])
    expect(await read(path, 'de-DE')).toEqual(['Hut', undefined])
    await write(path, 'es-ES', 'Sombrero', 422)
    expect(await read(path, 'es-ES')).toEqual(['Cap', 'en-US'])
  })

  test('is cleared by null in that locale; the last text of a required property stays', async () => {
    const path = await make(shop, written('Hat'), 'en-US')
    await write(path, 'fr-FR', 'Chapeau')
    await write(path, 'fr-FR', null)
    expect(await read(path, 'fr-FR')).toEqual(['Hat', 'en-US'])
    await write(path, 'fr-FR', 'Chapeau')
    await write(path, 'en-US', null)
    expect(await read(path, 'en-US')).toEqual(['Chapeau', 'fr-FR'])
    const { body } = await write(path, 'fr-FR', null, required ? 422 : 200)
    if (required) expect(body.violations).toMatchObject([{ propertyPath: property }])
    expect(await read(path, 'en-US')).toEqual(required ? ['Chapeau', 'fr-FR'] : [null, undefined])
  })

  test('falls back in lists as it does alone', async () => {
    const path = await make(shop, written('Hut'), 'de-DE')
    const [list] = /^\/api\/[a-z_]+/.exec(path) ?? []
    const parent = property === 'title' && list === '/api/product_options'
    if (parent) return
    const body = await shop.read(`${list}?itemsPerPage=100`, { locale: 'fr-FR' })
    const listed = body.member.find((each: Document) => each['@id'] === path)
    expect([shown(listed), listed.fallbacks?.[named]]).toEqual(['Hut', 'de-DE'])
  })
})

describe('a variant’s title, derived from the titles of its values', () => {
  let shop: Shop
  let variant: string
  let owner: Document
  beforeAll(async () => {
    shop = await openShop({ locales: [...locales] })
    owner = await made(
      shop,
      '/api/products',
      {
        title: 'Shirt',
        options: [
          { title: 'Colour', values: [{ title: 'Red' }] },
          { title: 'Size', values: [{ title: 'Large' }] },
        ],
        variants: [
          {
            optionValues: [
              { option: 'Colour', value: 'Red' },
              { option: 'Size', value: 'Large' },
            ],
          },
        ],
      },
      'en-US',
    )
    variant = iri((owner.variants as Document[])[0] as Document)
  })
  const values = () =>
    (owner.options as { values: Document[] }[]).map((each) => iri(each.values[0] as Document))

  test('is in the language of each value, embedded and alone', async () => {
    const [red, large] = values() as [string, string]
    const read = async (locale: string) => {
      const alone = await shop.read(variant, { locale })
      const [embedded] = (await shop.read(iri(owner), { locale })).variants
      const [listed] = (await shop.read('/api/products', { locale })).member[0].variants
      expect([embedded.title, listed.title]).toEqual([alone.title, alone.title])
      expect([embedded.fallbacks, listed.fallbacks]).toEqual([alone.fallbacks, alone.fallbacks])
      return [alone.title, alone.fallbacks?.title]
    }
    expect(await read('en-US')).toEqual(['Red / Large', undefined])
    expect(await read('fr-FR')).toEqual(['Red / Large', 'en-US'])
    await shop.update(red, { title: 'Rouge' }, { locale: 'fr-FR' })
    expect(await read('fr-FR')).toEqual(['Rouge / Large', 'en-US'])
    await shop.update(large, { title: 'Grand' }, { locale: 'fr-FR' })
    expect(await read('fr-FR')).toEqual(['Rouge / Grand', undefined])
    await shop.update(red, { title: 'Rot' }, { locale: 'de-DE' })
    await shop.update(large, { title: 'Gross' }, { locale: 'de-DE' })
    expect(await read('de-CH')).toEqual(['Rot / Gross', 'de-DE'])
    expect(await read('en-US')).toEqual(['Red / Large', undefined])
  })

  test('goes with no version of its own', async () => {
    const before = (await shop.get(variant)).body.version
    await shop.update(values()[0] as string, { title: 'Rosso' }, { locale: 'de-CH' })
    expect((await shop.get(variant)).body.version).toBe(before)
  })
})
