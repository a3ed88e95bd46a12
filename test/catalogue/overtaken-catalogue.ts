/** Resources that could not be created any more: their references were archived, deleted, moved or extended since. */
import { openShop } from '../support/shop.ts'
import { type Catalogue, type Thing, type } from './whole-catalogue.ts'

/** A shop with them. */
export async function overtakenCatalogue(): Promise<Omit<Catalogue, 'priced'>> {
  const shop = await openShop()
  const made = async (path: string, body: unknown): Promise<Thing> => await shop.create(path, body)
  const gone = await made('/api/categories', { title: 'Gone' })
  const left = await made('/api/collections', { title: 'Left' })
  const bare = await made('/api/metaobject_definitions', {
    type: 'pointer',
    fieldDefinitions: [
      { key: 'to', type: type('metaobject_reference') },
      { key: 'category', type: type('category_reference') },
      { key: 'collection', type: type('collection_reference') },
    ],
  })
  const target = await made('/api/metaobjects', { definition: bare['@id'] })
  const pointer = await made('/api/metaobjects', {
    definition: bare['@id'],
    status: 'ACTIVE',
    fields: { to: target['@id'], category: gone['@id'], collection: left['@id'] },
  })
  const conditions = [{ field: 'category', operator: 'EQUALS', value: gone['@id'] }]
  const rules = await made('/api/collections', { title: 'Of removed categories', rules: { conditions } })
  const product = await made('/api/products', {
    title: 'Coat',
    fields: { to: { value: target['@id'], type: type('metaobject_reference') } },
    options: [
      { title: 'Size', values: [{ title: 'S' }, { title: 'M' }] },
      { title: 'Colour', values: [{ title: 'Red' }] },
    ],
    variants: ['S', 'M'].map((size) => ({
      optionValues: [
        { option: 'Size', value: size },
        { option: 'Colour', value: 'Red' },
      ],
    })),
  })
  const [live, archived] = product.variants as [Thing, Thing]
  const [size] = product.options as (Thing & { values: Thing[] })[]
  const offerOf = ({ '@id': variant }: Thing) => ({ variant, currency: 'EUR', amount: '1' })
  const offers = [
    await made('/api/sale_offers', offerOf(live)),
    await made('/api/sale_offers', offerOf(archived)),
  ]
  const [taken] = offers
  const purchase = await made('/api/purchase_offers', { ...offerOf(live), supplier: 'a', cost: '1' })
  const down = await made('/api/products', {
    title: 'Down',
    handle: 'down',
    externalId: 'down',
    status: 'ACTIVE',
    channels: ['web'],
    collections: [left['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }] }],
    variants: [{ sku: 'DOWN', optionValues: [{ option: 'Size', value: 'S' }] }],
  })

  for (const each of [archived, size!.values[1]!, taken!, purchase, down, target, gone]) {
    await shop.delete(each['@id'], { status: 204 })
  }
  await shop.update(size!['@id'], { position: -1 })
  await made(`${product['@id']}/product_options`, { title: 'Length' })
  await made('/api/products', {
    title: 'Up',
    handle: 'down',
    externalId: 'down',
    variants: [{ sku: 'DOWN' }],
  })
  const [option] = down.options as (Thing & { values: Thing[] })[]
  const below = [option!, option!.values[0]!, (down.variants as Thing[])[0]!]
  await shop.rest()
  const all = [pointer, rules, product, live, archived, ...offers, purchase, down, ...below]
  return { shop, items: all.map((each) => each['@id']) }
}
