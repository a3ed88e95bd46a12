/** Lists in the order of the titles that they show, in the order of the language. */
import { expect, inject, test } from 'vitest'
import { orderedLanguages } from '../../src/resources/shared/titles.ts'
import { connected } from '../support/database.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Item = Record<string, unknown> & { '@id': string; title: string }

const locales = ['en-US', 'de-DE', 'sv-SE'] as const
/** Titles in English, and in some rows in other languages; others show English. */
const texts: readonly Partial<Record<(typeof locales)[number], string>>[] = [
  { 'en-US': 'Apple', 'de-DE': 'Zimt', 'sv-SE': 'Ärta' },
  { 'en-US': 'apple', 'de-DE': 'Äpfel', 'sv-SE': 'Zebra' },
  { 'en-US': 'Banana' },
  { 'en-US': 'Cherry', 'de-DE': 'Anis', 'sv-SE': 'Ångest' },
  { 'en-US': 'Date', 'de-DE': 'Azur' },
  { 'en-US': 'Apple' },
]

const titlesOf = ({ body }: Reply) => (body.member as Item[]).map(({ title }) => title)

/** The titles of a list in a locale, read in pages of two. */
async function orderOf(shop: Shop, path: string, locale: string, direction: string): Promise<string[]> {
  const titles: string[] = []
  const query = `${path.includes('?') ? '&' : '?'}order[title]=${direction}&itemsPerPage=2`
  for (let next: string | undefined = `${path}${query}`; next; ) {
    const reply: Reply = await shop.get(next, { locale, status: 200 })
    titles.push(...titlesOf(reply))
    next = reply.body.view?.next
  }
  return titles
}

const shownIn = (locale: string) =>
  texts.map((each) => each[locale as 'en-US'] ?? each['en-US'] ?? '').sort(new Intl.Collator(locale).compare)

const collectionsOfTitles = ['products', 'categories', 'collections', 'product_options', 'option_values']

async function fillShop(shop: Shop): Promise<Readonly<Record<string, string>>> {
  const create = async (path: string, body: object) => (await shop.create(path, body)) as Item
  const owner = await create('/api/products', { title: 'Owner', status: 'DRAFT' })
  const other = await create('/api/products', { title: 'Other', status: 'DRAFT' })
  const option = await create(`${other['@id']}/product_options`, { title: 'Size' })
  const paths: Readonly<Record<string, string>> = {
    products: '/api/products?status=ACTIVE',
    categories: '/api/categories',
    collections: '/api/collections',
    product_options: `${owner['@id']}/product_options`,
    option_values: `/api/option_values?option=${option['@id']}`,
  }
  for (const name of collectionsOfTitles) {
    // Options and values have unique titles.
    const rows = name === 'product_options' || name === 'option_values' ? texts.slice(0, 5) : texts
    for (const { 'en-US': title, ...translations } of rows) {
      const more = name === 'option_values' ? { option: option['@id'] } : {}
      const path = paths[name]?.split('?')[0] ?? ''
      const item = await create(path, {
        title,
        ...(name === 'products' ? { status: 'ACTIVE' } : {}),
        ...more,
      })
      for (const [locale, text] of Object.entries(translations))
        await shop.update(item['@id'], { title: text }, { locale })
    }
  }
  return paths
}

test('each list has the order of the shown titles in each locale, forwards and backwards', async () => {
  const shop = await openShop({ locales: [...locales] })
  const paths = await fillShop(shop)
  for (const name of collectionsOfTitles) {
    for (const locale of [...locales, 'de-CH', 'it-IT']) {
      const shown = shownIn(locale === 'de-CH' ? 'de-DE' : locale === 'it-IT' ? 'en-US' : locale)
      const isUnique = name === 'product_options' || name === 'option_values'
      const expected = isUnique ? withoutOne(shown) : shown
      const found = await orderOf(shop, paths[name] ?? '', locale, 'asc')
      expect([name, locale, found]).toEqual([name, locale, expected])
      const backwards = await orderOf(shop, paths[name] ?? '', locale, 'DESC')
      expect([name, locale, backwards]).toEqual([name, locale, expected.toReversed()])
    }
  }
})

/** Without one of two equal titles: the sixth row shows `Apple` in each locale. */
function withoutOne(titles: readonly string[]): string[] {
  return titles.toSpliced(titles.indexOf('Apple'), 1)
}

test('the order follows changed, cleared and deleted titles', async () => {
  const shop = await openShop({ locales: [...locales] })
  const create = async (title: string) => (await shop.create('/api/categories', { title })) as Item
  const [first, second] = [await create('A'), await create('B')]
  const order = () => orderOf(shop, '/api/categories', 'sv-SE', 'asc')
  await shop.update(first['@id'], { title: 'Ö' }, { locale: 'sv-SE' })
  await shop.update(second['@id'], { title: 'Ä' }, { locale: 'sv-SE' })
  expect(await order()).toEqual(['Ä', 'Ö'])
  await shop.update(second['@id'], { title: 'Z' }, { locale: 'en-US' })
  const translations = { 'en-US': { title: 'Z' } }
  await shop.put(`${second['@id']}/translations`, { body: { translations }, status: 200 })
  expect(await order()).toEqual(['Z', 'Ö'])
  await shop.delete(first['@id'], { status: 204 })
  expect(await order()).toEqual(['Z'])
  const left = await connected(inject('ownerUrl'), async (owner) => {
    await owner.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
    return (
      await owner.query('select count(*)::int as rows from titles where tenant_id = $1', [shop.tenant.id])
    ).rows
  })
  expect(left).toEqual([{ rows: 3 }])
})

test('a cursor of another locale or of another version of the collation is 422 and says how to continue', async () => {
  const shop = await openShop({ locales: [...locales] })
  for (const title of ['A', 'B', 'C']) await shop.create('/api/categories', { title })
  const first = await shop.get('/api/categories?order[title]=asc&itemsPerPage=1', { locale: 'de-DE' })
  const next: string = first.body.view.next
  const other = await shop.get(next, { locale: 'sv-SE', status: 422 })
  expect(other.body).toMatchObject({
    slug: 'validation.cursor_order',
    violations: [{ propertyPath: 'cursor' }],
  })
  const url = new URL(next, 'https://shop.test')
  const cursor = Buffer.from(url.searchParams.get('cursor') ?? '', 'base64url').toString()
  const outdated = cursor.replace(/"de-DE [\d.]+"/, '"de-DE 1.0"')
  expect(outdated).not.toBe(cursor)
  url.searchParams.set('cursor', Buffer.from(outdated).toString('base64url'))
  const old = await shop.get(`${url.pathname}${url.search}`, { locale: 'de-DE', status: 422 })
  expect(old.body.slug).toBe('validation.cursor_order')
})

test('the database orders the same languages as the Worker, each by a collation and an index of its own', async () => {
  const languages = [...orderedLanguages, 'und'].toSorted()
  await connected(inject('ownerUrl'), async (owner) => {
    const { rows: indexes } = await owner.query<{ name: string }>(
      `select substr(indexname, 8) as name from pg_indexes where tablename = 'titles' and indexname <> 'titles_pkey' order by 1`,
    )
    expect(indexes.map(({ name }) => name).toSorted()).toEqual(languages)
    const { rows: collations } = await owner.query<{ language: string }>(
      'select language from title_collations',
    )
    expect(collations.map(({ language }) => language).toSorted()).toEqual(languages)
    const { rows: found } = await owner.query<{ language: string }>(
      `select distinct title_language(locale || '-XX') as language from unnest($1::text[]) as locale`,
      [[...orderedLanguages, 'en', 'de', 'fr']],
    )
    expect(found.map(({ language }) => language).toSorted()).toEqual(languages)
  })
})
