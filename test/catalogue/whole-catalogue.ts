/** A shop in three languages with one of each resource that can be changed, each with everything in it that it may hold. */
import { openShop, type Shop } from '../support/shop.ts'

export type Thing = { readonly '@id': string; readonly [name: string]: unknown }

/** The shop, and the IRIs of its resources. */
export type Catalogue = { readonly shop: Shop; readonly items: readonly string[]; readonly priced: string[] }

/** The IRI of a type of custom fields. */
export const type = (slug: string) => `/api/metafield_definition_types/${slug}`
const media = [{ url: 'https://www.example.com/a.jpg', alt: 'Red', type: 'IMAGE' }]

export async function wholeCatalogue(): Promise<Catalogue> {
  const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE'] })
  const made = async (path: string, body: unknown): Promise<Thing> => await shop.create(path, body)
  const inFrench = async ({ '@id': path }: Thing, body: unknown) => {
    await shop.update(path, body, { locale: 'fr-FR' })
  }

  const top = await made('/api/categories', { title: 'Tops' })
  const category = await made('/api/categories', {
    title: 'Shirts',
    description: '<p>All</p>',
    externalId: 'shirts',
    referenceUnit: { value: 100, unit: 'g' },
    parent: top['@id'],
    fields: { season: 'winter', months: { value: '["1","2"]', type: type('list.number_integer') } },
  })
  await inFrench(category, { title: 'Chemises' })
  const polos = await made('/api/categories', { title: 'Polos', parent: category['@id'] })

  const [summer, winter] = [
    await made('/api/collections', { title: 'Summer', description: 'Hot', externalId: 'summer' }),
    await made('/api/collections', { title: 'Winter' }),
  ]
  await inFrench(summer, { title: 'Été', description: 'Chaud' })
  const conditions = [
    { field: 'category', operator: 'EQUALS', value: category['@id'] },
    { field: 'title', operator: 'CONTAINS', value: 'shirt' },
    { field: 'createdAt', operator: 'AFTER', value: '2020-01-01' },
  ]
  const byRules = await made('/api/collections', { title: 'Rules', rules: { match: 'ANY', conditions } })

  const product = await made('/api/products', {
    title: 'Shirt',
    description: '<p>Soft</p>',
    externalId: 'erp-1',
    status: 'ACTIVE',
    channels: ['web', 'store'],
    vendor: 'Acme',
    productType: 'Shirts',
    tags: ['soft', 'linen'],
    media,
    seo: { title: 'Shirt', description: 'Soft' },
    categories: [category['@id'], polos['@id']],
    collections: [winter['@id'], summer['@id']],
    options: [
      { title: 'Size', externalId: 'size', values: [{ title: 'S', externalId: 's' }, { title: 'M' }] },
      { title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] },
    ],
    variants: ['Red', 'Blue'].map((colour) => ({
      sku: `SHIRT-${colour}`,
      externalId: colour,
      barcode: '4006381333931',
      weight: { value: 1.5, unit: 'kg' },
      measure: { value: 250, unit: 'g' },
      media,
      fields: { fit: 'slim' },
      optionValues: [
        { option: 'Size', value: 'S' },
        { option: 'Colour', value: colour },
      ],
    })),
  })
  const options = product.options as (Thing & { values: Thing[] })[]
  const [variant, other] = product.variants as [Thing, Thing]
  await inFrench(product, { title: 'Chemise', seo: { title: 'Chemise' } })
  await inFrench(options[0]!, { title: 'Taille' })
  await inFrench(options[0]!.values[0]!, { title: 'Petit' })
  const bare = await made('/api/products', { title: 'Bare' })

  const { definition, look, draft } = await metaobjects(made, {
    product,
    variant,
    category,
    collection: summer,
  })
  await inFrench(look, { fields: { name: 'Lin' } })
  const fields = {
    look: { value: look['@id'], type: type('metaobject_reference') },
    looks: { value: JSON.stringify([look['@id'], draft['@id']]), type: type('list.metaobject_reference') },
  }
  for (const { '@id': path } of [product, variant, category]) {
    await shop.update(path, { fields })
  }

  const target = { variant: variant['@id'], currency: 'EUR' }
  const window = { validFrom: '2026-01-01', validUntil: '2036-01-01T00:00:00+02:00' }
  const sale = await made('/api/sale_offers', {
    ...target,
    ...window,
    externalId: 'sale',
    amount: 10,
    compareAtAmount: '12.5',
    channel: 'web',
    countries: ['FR', 'BE'],
    priority: 5,
    minQuantity: 1,
    taxIncluded: false,
  })
  const yen = await made('/api/sale_offers', { ...target, currency: 'JPY', amount: '1990' })
  const purchase = await made('/api/purchase_offers', {
    ...target,
    ...window,
    externalId: 'buy',
    supplier: 'textile-works',
    supplierSku: 'TW-77',
    cost: '5.5',
    minQuantity: 10,
    quantityIncrement: 5,
    leadTimeDays: 14,
    preferred: true,
    status: 'DRAFT',
  })
  await shop.rest()
  const things = [product, bare, ...options, ...options.flatMap(({ values }) => values), variant, other]
  const trees = [top, category, polos, summer, winter, byRules]
  const rest = [sale, yen, purchase, definition, look, draft]
  return {
    shop,
    items: [...things, ...trees, ...rest].map((each) => each['@id']),
    priced: [product['@id'], variant['@id']],
  }
}

type Referred = Readonly<Record<'product' | 'variant' | 'category' | 'collection', Thing>>

/** A definition with a field of every type and one rule, a published metaobject with a value in each, and a draft without any. */
async function metaobjects(made: (path: string, body: unknown) => Promise<Thing>, referred: Referred) {
  const bare = { type: 'bare', fieldDefinitions: [{ key: 'note', type: type('multi_line_text_field') }] }
  const other = await made('/api/metaobject_definitions', bare)
  const draft = await made('/api/metaobjects', { definition: other['@id'], handle: 'draft' })
  const values: Readonly<Record<string, string>> = {
    multi_line_text_field: 'a\nb',
    number_integer: '42',
    number_decimal: '19.5',
    boolean: 'true',
    date: '2026-10-01',
    date_time: '2026-10-01T12:00:00+02:00',
    url: 'https://www.example.com/',
    color: '#33cc99',
    money: '{"amount":"19.90","currency":"EUR"}',
    json: '{"a": [1, null]}',
    product_reference: referred.product['@id'],
    variant_reference: referred.variant['@id'],
    category_reference: referred.category['@id'],
    collection_reference: referred.collection['@id'],
    metaobject_reference: draft['@id'],
    'list.single_line_text_field': '["a","b"]',
    'list.date_time': '["2026-10-01T12:00:00Z"]',
    'list.metaobject_reference': JSON.stringify([draft['@id']]),
  }
  const keyOf = (slug: string) => slug.replace('.', '_')
  const name = {
    key: 'name',
    name: 'Name',
    type: type('single_line_text_field'),
    required: true,
    translatable: true,
    validations: [{ name: 'max', value: '80' }],
  }
  const definition = await made('/api/metaobject_definitions', {
    type: 'look',
    name: 'Look',
    externalId: 'look',
    displayNameField: 'name',
    fieldDefinitions: [
      name,
      ...Object.keys(values).map((slug) => ({ key: keyOf(slug), type: type(slug) })),
      { key: 'empty', type: type('url') },
    ],
  })
  const look = await made('/api/metaobjects', {
    definition: definition['@id'],
    status: 'ACTIVE',
    externalId: 'linen',
    fields: {
      name: 'Linen',
      ...Object.fromEntries(Object.entries(values).map(([slug, value]) => [keyOf(slug), value])),
    },
  })
  return { definition, look, draft }
}
