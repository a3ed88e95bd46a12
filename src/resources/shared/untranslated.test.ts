import { describe, expect, test } from 'vitest'
import { connected, databaseUrls } from '../../../test/support/database.ts'
import { openShop } from '../../../test/support/shop.ts'

/** Resources that lack a locale: listed and counted by kind. */

const locales: [string, ...string[]] = ['en-US', 'fr-FR', 'de-DE']

type Page = {
  readonly member: { readonly resource: string }[]
  readonly view: { readonly next?: string; readonly last?: string; readonly previous?: string }
}

async function open() {
  const shop = await openShop({ locales })
  const listMissing = async (kind: string, locale: string, parameters = '') =>
    await shop.read(`/api/translations/${kind}?missing=${locale}${parameters}`)
  const titles = async (kind: string, locale: string): Promise<string[]> =>
    (await listMissing(kind, locale)).member
      .map(({ translations }: { translations: Record<string, { title: string }> }) => {
        return Object.values(translations)[0]?.title
      })
      .sort()
  const category = async (body: object, french?: object) => {
    const created = await shop.create('/api/categories', body)
    if (french) await shop.update(created['@id'], french, { locale: 'fr-FR' })
    return created
  }
  return { shop, missing: listMissing, titles, category }
}

describe('what a locale lacks', () => {
  test('follows every change, and a removed text is missing again', async () => {
    const { shop, titles, category } = await open()
    const { '@id': iri } = await category({ title: 'Hats' })
    const texts = (french: object) =>
      shop.put(`${iri}/translations`, {
        body: { translations: { 'en-US': { title: 'Hats' }, 'fr-FR': french } },
        status: 200,
      })
    await texts({ title: 'Chapeaux' })
    expect(await titles('categories', 'fr-FR')).toEqual([])
    await texts({})
    expect(await titles('categories', 'fr-FR')).toEqual(['Hats'])
  })

  test('of options and values leaves out those without texts, and what is archived', async () => {
    const { shop, titles } = await open()
    const options = [{ title: 'Colour', values: [{ title: 'Red' }] }, { values: [] }]
    const { '@id': iri } = await shop.create('/api/products', { title: 'Hat', options })
    expect(await titles('products', 'fr-FR')).toEqual(['Hat'])
    expect(await titles('product_options', 'fr-FR')).toEqual(['Colour'])
    expect(await titles('option_values', 'fr-FR')).toEqual(['Red'])
    await shop.delete(iri, { status: 204 })
    for (const kind of ['products', 'product_options', 'option_values']) {
      expect(await titles(kind, 'fr-FR')).toEqual([])
    }
  })

  test('is paged by key, each once, and counted without being read', async () => {
    const { shop, missing: listMissing } = await open()
    const body = Array.from({ length: 45 }, (_, at) => ({ title: `Plate ${at}` }))
    const created = (await shop.create('/api/products', body)).member
    // Some have a German text, so that the rows without French have two values in the index.
    for (const product of created.slice(0, 5)) {
      await shop.update(product['@id'], { title: 'Teller' }, { locale: 'de-DE' })
    }
    const page = async (path: string): Promise<Page> => await shop.read(path)
    const resources = ({ member }: Page) => member.map(({ resource }) => resource)
    const pages = async (first: string, to: 'next' | 'previous') => {
      const all: string[][] = []
      for (let path: string | undefined = first; path !== undefined; ) {
        const firstPage = await page(path)
        all.push(resources(firstPage))
        path = firstPage.view[to]
      }
      return all
    }
    const first = '/api/translations/products?missing=fr-FR&itemsPerPage=20'
    const forward = await pages(first, 'next')
    expect(forward.flat().toSorted()).toEqual(
      created.map((product: { '@id': string }) => product['@id']).sort(),
    )
    expect(await pages((await page(first)).view.last ?? '', 'previous')).toEqual(forward.toReversed())
    expect(resources(await page(`${first}&page=2`))).toEqual(forward[1])
    expect(await listMissing('products', 'fr-FR', '&itemsPerPage=0')).toMatchObject({
      totalItems: 45,
      member: [],
    })
    expect((await listMissing('products', 'de-DE', '&itemsPerPage=0')).totalItems).toBe(40)
  })

  test('takes the scope of the kind and one statement; without a locale all are listed', async () => {
    const { shop, category } = await open()
    await category({ title: 'Hats' })
    const path = '/api/translations/categories'
    const token = await shop.token({ scope: 'products:read' })
    await shop.get(`${path}?missing=fr-FR`, { token, status: 403 })
    for (const query of ['?missing=', '?missing=French']) {
      const { violations } = (await shop.get(path + query, { status: 422 })).body
      expect(violations[0].propertyPath).toBe('missing')
    }
    const { headers } = await shop.get(`${path}?missing=fr-FR`, { status: 200 })
    expect(headers.get('server-timing')).toMatch(/db;[^,]*desc="1"/)
    expect((await shop.read(path)).totalItems).toBe(1)
    const other = await openShop({ locales })
    expect((await other.read(`${path}?missing=fr-FR`)).totalItems).toBe(0)
  })
})

test.each([
  ['no language', {}, '*'],
  ['one, without texts', { 'en-US': {} }, '*'],
  ['one, whose texts are none', { 'en-US': { title: null } }, '*'],
  ['one', { 'en-US': { title: 'A', description: null } }, ',en-US,'],
  ['one that is nothing', { 'en-US': null }, '*'],
  ['one that is a text', { 'en-US': 'A' }, '*'],
  ['one that is a list', { 'en-US': [{ title: 'A' }] }, '*'],
  ['two, each whole', { 'fr-FR': { title: 'B' }, 'en-US': { title: 'A' } }, ',en-US,fr-FR,'],
  ['two, of which one lacks a text', { 'fr-FR': {}, 'en-US': { title: 'A' } }, ',en-US,'],
  ['two, each of which lacks one', { 'fr-FR': { a: 'B' }, 'en-US': { b: 'A' } }, ','],
])('the locales in which a row has all its texts: of %s', async (_, texts, expected) => {
  const { rows } = await connected(databaseUrls().ownerUrl, (client) =>
    client.query('select translated_in($1) as untranslated', [JSON.stringify(texts)]),
  )
  expect(rows).toEqual([{ untranslated: expected }])
})
