/** A copy of the catalogue in SQLite with foreign keys, built from the events one by one. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

type Document = Record<string, unknown> & { '@id': string; version: number }

/** The references of each resource: the column and the table that it refers to. */
const references: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  category: { parent: 'category' },
  product: {},
  product_option: { product: 'product' },
  option_value: { option: 'product_option' },
  variant: { product: 'product' },
  sale_offer: { variant: 'variant', product: 'product' },
  purchase_offer: { variant: 'variant', product: 'product' },
}

function openCopy() {
  const copy = new DatabaseSync(':memory:')
  copy.exec('pragma foreign_keys = on')
  for (const [table, columns] of Object.entries(references)) {
    const foreign = Object.entries(columns).map(([name, other]) => `${name} text references ${other} (iri)`)
    copy.exec(`create table ${table} (${['iri text primary key', 'version int', ...foreign].join(', ')})`)
  }
  copy.exec(`create table product_category (
    product text references product (iri), category text references category (iri))`)
  copy.exec(`create table variant_value (
    variant text references variant (iri), value text references option_value (iri))`)
  return {
    /** Applies one event on its own: SQLite checks the foreign keys at once. */
    apply(subject: string, document: Document) {
      const columns = references[subject]
      if (!columns) return
      const names = ['iri', 'version', ...Object.keys(columns)]
      const values = names.map((name) => textOf(name === 'iri' ? document['@id'] : document[name]))
      const marks = names.map(() => '?').join(', ')
      const changes = names.map((name) => `${name} = excluded.${name}`).join(', ')
      copy
        .prepare(
          `insert into ${subject} (${names.join(', ')}) values (${marks}) on conflict do update set ${changes}`,
        )
        .run(...values)
      if (subject === 'product') link('product_category', document, document.categories)
      if (subject === 'variant') link('variant_value', document, document.optionValues)
    },
    rows: () =>
      Object.fromEntries(
        Object.keys(references).map((table) => [
          table,
          copy.prepare(`select iri, version from ${table} order by iri`).all(),
        ]),
      ),
  }

  function link(table: string, owner: Document, linked: unknown) {
    const [from, to] = table.split('_')
    copy.prepare(`delete from ${table} where ${from} = ?`).run(owner['@id'])
    for (const each of linked as Document[])
      copy.prepare(`insert into ${table} (${from}, ${to}) values (?, ?)`).run(owner['@id'], textOf(each))
  }
}

/** The IRI of an embedded resource, or the value itself. */
function textOf(value: unknown): string | number | null {
  if (typeof value === 'object' && value !== null) return (value as Document)['@id']
  return typeof value === 'number' || typeof value === 'string' ? value : null
}

test('a copy with foreign keys applies the events of created resources one by one', async () => {
  const shop = await openShop()
  const create = async (path: string, body: object) =>
    (await shop.create(path, body)) as Document & { variants: Document[] }
  const parent = await create('/api/categories', { title: 'Clothing' })
  const category = await create('/api/categories', { title: 'Shirts', parent: parent['@id'] })
  const price = { currency: 'EUR', amount: '10.00' }
  const option = (title: string) => ({ title, values: [{ title: 'S' }, { title: 'M' }] })
  const valuesOf = (size: string, fit: string) => [
    { option: 'Size', value: size },
    { option: 'Fit', value: fit },
  ]
  const shirt = (title: string) => ({
    title,
    categories: [category['@id']],
    options: [option('Size'), option('Fit')],
    variants: [
      { optionValues: valuesOf('S', 'S'), saleOffers: [price, { ...price, channel: 'web' }] },
      { optionValues: valuesOf('M', 'S'), saleOffers: [price] },
    ],
  })
  const { body: bulk } = await shop.post('/api/products', { body: [shirt('Linen'), shirt('Wool')] })
  expect(bulk).toMatchObject({ member: [{ variantsTotal: 2 }, { variantsTotal: 2 }] })
  const product = await create('/api/products', shirt('Silk'))
  const added = { optionValues: valuesOf('S', 'M'), saleOffers: [price] }
  const variant = await create(`${product['@id']}/variants`, added)
  await create('/api/purchase_offers', {
    variant: variant['@id'],
    supplier: 'acme',
    cost: '4.00',
    currency: 'EUR',
  })
  await shop.update(product['@id'], { title: 'Silk shirt' })
  await shop.delete(product['@id'], { status: 204 })

  const copy = openCopy()
  for (let after = 0; ; ) {
    const body = await shop.read(`/api/events?after=${after}&itemsPerPage=7`)
    const events = body.member as { sequence: number; topic: string; document: Document }[]
    for (const { topic, document } of events) copy.apply(topic.split('/')[0] ?? '', document)
    const last = events.at(-1)
    if (!last) break
    after = last.sequence
  }
  const rows = copy.rows()
  const total = Object.entries(rows).map(([table, { length }]) => `${table} ${length}`)
  expect(total).toEqual([
    'category 2',
    'product 3',
    'product_option 6',
    'option_value 12',
    'variant 7',
    'sale_offer 10',
    'purchase_offer 1',
  ])
  const current = await shop.read(product['@id'])
  expect(rows.product).toContainEqual({ iri: product['@id'], version: current.version })
})

test('the document of a created product or option contains what its commit created after it', async () => {
  const shop = await openShop()
  const body = {
    title: 'Shirt',
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: ['S', 'M'].map((value) => ({ optionValues: [{ option: 'Size', value }] })),
  }
  await shop.create('/api/products', [body, body])
  const feed = await shop.read('/api/events')
  const events = feed.member as { topic: string; document: Record<string, unknown[]> }[]
  expect(events.map(({ topic }) => topic).slice(0, 7)).toEqual([
    'product/created',
    'product_option/created',
    'option_value/created',
    'option_value/created',
    'variant/created',
    'variant/created',
    'product/created',
  ])
  for (const { topic, document } of events) {
    if (topic === 'product/created')
      expect([document.options, document.variants].map((each) => each?.length)).toEqual([1, 2])
    if (topic === 'product_option/created') expect(document.values).toHaveLength(2)
    if (topic === 'variant/created') expect(document.optionValues).toHaveLength(1)
  }
})
