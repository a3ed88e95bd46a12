import { openShop, type Shop, type ShopOptions } from '../support/shop.ts'

type Made = { '@id': string; id: string; [name: string]: unknown }

/** A shop with one resource of every kind, by name, and a function that replaces these names in texts. */
export type World = {
  readonly shop: Shop
  /** The IRI of a thing. */
  readonly iri: (name: string) => string
  /** The same text or JSON with `{name}`, `{name.id}` and `{new}` filled in. */
  readonly fill: <Value>(value: Value) => Value
}

/** Opens a shop and makes one thing of every kind in it. */
export async function openWorld(options: ShopOptions = {}): Promise<World> {
  const shop = await openShop(options)
  const things: Record<string, string> = {}
  const make = async (name: string, path: string, body: unknown): Promise<Made> => {
    const made = await shop.create(path, body)
    things[name] = made['@id']
    return made
  }

  const parent = await make('parent', '/api/categories', { title: 'Clothes' })
  const category = await make('category', '/api/categories', {
    title: 'Shoes',
    handle: 'shoes',
    parent: parent['@id'],
    externalId: 'X-category',
    fields: { season: 'Winter' },
  })
  await make('leaf', '/api/categories', { title: 'Boots', parent: category['@id'] })
  await make('spareCategory', '/api/categories', { title: 'Spare' })

  const product = await make('product', '/api/products', {
    title: 'Shirt',
    handle: 'shirt',
    status: 'ACTIVE',
    externalId: 'X-product',
    vendor: 'Acme',
    productType: 'Shirts',
    tags: ['soft'],
    fields: { fabric: 'Wool' },
    channels: ['web'],
    categories: [category['@id']],
    options: [{ title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] }],
    variants: [
      {
        sku: 'SKU-1',
        barcode: '4006381333931',
        externalId: 'X-variant',
        fields: { fit: 'Slim' },
        optionValues: [{ option: 'Colour', value: 'Red' }],
      },
    ],
  })
  const [option] = product.options as [Made & { values: Made[] }]
  const [variant] = product.variants as [Made]
  things.option = option['@id']
  things.value = option.values[0]?.['@id'] ?? ''
  things.otherValue = option.values[1]?.['@id'] ?? ''
  things.variant = variant['@id']
  await shop.update(things.option, { externalId: 'X-option' })
  await shop.update(things.value, { externalId: 'X-value' })

  const blank = await make('blank', '/api/products', { title: 'Blank' })
  await make('spareOption', `${blank['@id']}/product_options`, { title: 'Spare' })
  const sized = await make('sized', '/api/products', {
    title: 'Sock',
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'L' }] }],
  })
  const [size] = sized.options as [{ values: Made[] }]
  things.small = size.values[0]?.['@id'] ?? ''
  things.large = size.values[1]?.['@id'] ?? ''

  // The Worker of before the last migration has no campaigns.
  if (!options.app) {
    await make('campaign', '/api/campaigns', { name: 'Winter', externalId: 'X-campaign' })
    await make('spareCampaign', '/api/campaigns', { name: 'Spare' })
  }
  await make('saleOffer', '/api/sale_offers', {
    variant: things.variant,
    ...(!options.app && { campaign: things.campaign }),
    channel: 'web',
    countries: ['FR'],
    currency: 'EUR',
    amount: '10.00',
    externalId: 'X-saleOffer',
  })
  await make('purchaseOffer', '/api/purchase_offers', {
    variant: things.variant,
    supplier: 'mill',
    currency: 'EUR',
    cost: '4.00',
    externalId: 'X-purchaseOffer',
  })

  // The Worker of before the last migration has no search synonyms.
  await make('market', '/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  if (!options.app)
    await make('searchSynonyms', '/api/search_synonyms', { locale: 'en-US', sets: [['sofa', 'couch']] })

  const text = '/api/metafield_definition_types/single_line_text_field'
  const definition = await make('definition', '/api/metaobject_definitions', {
    type: 'care',
    displayNameField: 'title',
    externalId: 'X-definition',
    fieldDefinitions: [{ key: 'title', type: text, translatable: true }],
  })
  await make('spareDefinition', '/api/metaobject_definitions', { type: 'spare' })
  await make('metaobject', '/api/metaobjects', {
    definition: definition['@id'],
    handle: 'wool',
    status: 'ACTIVE',
    externalId: 'X-metaobject',
    fields: [{ key: 'title', value: 'Wash cold' }],
  })

  const collection = await make('collection', '/api/collections', {
    title: 'Best',
    handle: 'best',
    type: 'MANUAL',
    externalId: 'X-collection',
  })
  await shop.create(`${collection['@id']}/products`, { product: product['@id'] })

  const subscription = await make('subscription', '/api/webhook_subscriptions', {
    topic: 'product/updated',
    callbackUrl: 'http://127.0.0.1:9/hook',
  })

  const body = { afterSequence: 0 }
  await shop.post(`${subscription['@id']}/replay`, { body, status: 202 })
  const deliveries = await shop.read(`${subscription['@id']}/deliveries`)
  things.delivery = deliveries.member[0]['@id']

  const events = await shop.read('/api/events?topic=product/created')
  things.event = events.member[0]['@id']
  things.ownSequence = String(events.member[0].sequence)
  const codes = await shop.read('/api/error-codes?slug=product.not_found')
  things.errorCode = codes.member[0]['@id']

  const iri = (name: string) => {
    const thing = things[name]
    if (!thing) throw new Error(`nothing in the shop is called ${name}`)
    return thing
  }
  let count = 0
  const text_ = (template: string) =>
    template.replace(/\{([A-Za-z_.]+)\}/g, (_, name: string) => {
      if (name === 'new') return `n-${(count += 1)}`
      if (name === 'new_') return `n_${(count += 1)}`
      return name.endsWith('.id') ? (iri(name.slice(0, -3)).split('/').at(-1) ?? '') : iri(name)
    })
  const fill = <Value>(value: Value): Value => {
    if (typeof value === 'string') return text_(value) as Value
    if (value instanceof Blob) return value
    if (Array.isArray(value)) return value.map(fill) as Value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each)])) as Value
  }
  return { shop, iri, fill }
}
