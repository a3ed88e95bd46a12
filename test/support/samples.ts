import type { Operation } from '../../src/core/operation.ts'

/** What is needed to call one operation with success: its path parameters and its body. */
export type Sample = { readonly params: Readonly<Record<string, string>>; readonly body?: unknown }

type Post = (
  path: string,
  options: { body: unknown },
) => Promise<{ status: number; body: Record<string, unknown> }>

type Get = (path: string) => Promise<{ body: { member: Record<string, unknown>[] } }>

/** One resource of each kind in a shop, and how each operation is called on them. */
export async function sampleCalls(shop: { post: Post; get: Get }): Promise<(operation: Operation) => Sample> {
  let count = 0
  const next = () => `${Date.now().toString(36)}-${(count += 1)}`
  const made = async (path: string, body: unknown) => {
    const answer = await shop.post(path, { body })
    if (answer.status !== 201)
      throw new Error(`POST ${path} → ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const id = (document: unknown) => (document as { id: string }).id
  const iri = (document: unknown) => (document as { '@id': string })['@id']
  const category = await made('/api/categories', { title: 'Shoes', fields: { season: 'winter' } })
  const product = await made('/api/products', {
    title: 'Shirt',
    fields: { washing: 'cold' },
    categories: [iri(category)],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }], fields: { fit: 'slim' } }],
  })
  const [variant] = product.variants as unknown[]
  const spareOption = await made(`/api/products/${id(product)}/product_options`, { title: 'Spare' })
  const spareValue = await made('/api/option_values', { option: iri(spareOption), title: 'Spare' })
  // A product whose one option lets its variants be made and archived.
  const plain = await made('/api/products', {
    title: 'Mug',
    options: [{ title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] }],
    variants: [{ optionValues: [{ option: 'Colour', value: 'Red' }] }],
  })
  const [mug] = plain.variants as unknown[]
  // A value beside the one that goes with its option.
  const looseValue = await made('/api/option_values', {
    option: iri((plain.options as unknown[])[0]),
    title: 'Spare',
  })
  const spareCategory = await made('/api/categories', { title: 'Spare' })
  const collection = await made('/api/collections', { title: 'Summer' })
  const spareCollection = await made('/api/collections', { title: 'Spare' })
  await made(`/api/collections/${id(collection)}/products`, { product: iri(product) })
  const loose = await made('/api/products', { title: 'Loose' })
  const offer = await made('/api/sale_offers', { variant: iri(variant), currency: 'EUR', amount: '10.00' })
  const purchase = await made('/api/purchase_offers', {
    variant: iri(variant),
    supplier: 'acme',
    currency: 'EUR',
    cost: '4.00',
  })

  const text = '/api/metafield_definition_types/single_line_text_field'
  const fieldDefinitions = [{ key: 'title', type: text }]
  const recipe = await made('/api/metaobject_definitions', { type: 'recipe', fieldDefinitions })
  const spareDefinition = await made('/api/metaobject_definitions', { type: 'spare' })
  const soup = await made('/api/metaobjects', { definition: iri(recipe), handle: 'soup' })
  const spareMetaobject = await made('/api/metaobjects', { definition: iri(recipe) })

  const [event] = (await shop.get('/api/events?topic=category/created')).body.member

  const subscription = await made('/api/webhook_subscriptions', {
    topic: 'category/created',
    callbackUrl: 'http://127.0.0.1:9/webhooks',
  })
  const spareSubscription = await made('/api/webhook_subscriptions', {
    topic: '*',
    callbackUrl: 'http://127.0.0.1:9/spare',
  })

  const subscriptionPath = `/api/webhook_subscriptions/${id(subscription)}`
  const replayed = await shop.post(`${subscriptionPath}/replay`, { body: { afterSequence: 0 } })
  if (replayed.status !== 202) throw new Error(`POST replay → ${replayed.status}`)
  const [delivery] = (await shop.get(`${subscriptionPath}/deliveries`)).body.member
  const deliveryParams = { id: id(subscription), deliveryId: id(delivery) }

  const texts = () => ({ translations: { 'en-US': { title: next() } } })

  const calls: Record<string, () => Sample> = {
    getProductTranslations: () => ({ params: { id: id(product) } }),
    putProductTranslations: () => ({ params: { id: id(product) }, body: texts() }),
    getProductOptionTranslations: () => ({ params: { id: id(spareOption) } }),
    putProductOptionTranslations: () => ({ params: { id: id(spareOption) }, body: texts() }),
    getOptionValueTranslations: () => ({ params: { id: id(spareValue) } }),
    putOptionValueTranslations: () => ({ params: { id: id(spareValue) }, body: texts() }),
    getCategoryTranslations: () => ({ params: { id: id(category) } }),
    putCategoryTranslations: () => ({ params: { id: id(category) }, body: texts() }),
    listProducts: () => ({ params: {} }),
    createProducts: () => ({ params: {}, body: { title: `Sock ${next()}` } }),
    getProduct: () => ({ params: { id: id(product) } }),
    patchProduct: () => ({ params: { id: id(product) }, body: { vendor: next() } }),
    deleteProduct: () => ({ params: { id: id(product) } }),
    listProductOptions: () => ({ params: { productId: id(product) } }),
    createProductOption: () => ({ params: { productId: id(product) }, body: { title: next() } }),
    getProductOption: () => ({ params: { id: id(spareOption) } }),
    patchProductOption: () => ({ params: { id: id(spareOption) }, body: { title: next() } }),
    deleteProductOption: () => ({ params: { id: id(spareOption) } }),
    listOptionValues: () => ({ params: {} }),
    createOptionValue: () => ({ params: {}, body: { option: iri(spareOption), title: next() } }),
    getOptionValue: () => ({ params: { id: id(spareValue) } }),
    patchOptionValue: () => ({ params: { id: id(spareValue) }, body: { title: next() } }),
    deleteOptionValue: () => ({ params: { id: id(looseValue) } }),
    listVariants: () => ({ params: { productId: id(plain) } }),
    createVariants: () => ({
      params: { productId: id(plain) },
      body: { optionValues: [{ option: 'Colour', value: 'Blue' }] },
    }),
    getVariant: () => ({ params: { productId: id(plain), variantId: id(mug) } }),
    patchVariant: () => ({ params: { productId: id(plain), variantId: id(mug) }, body: { sku: next() } }),
    deleteVariant: () => ({ params: { productId: id(plain), variantId: id(mug) } }),
    getVariantMatrix: () => ({ params: { id: id(plain) } }),
    listCategories: () => ({ params: {} }),
    createCategories: () => ({ params: {}, body: { title: `Hats ${next()}` } }),
    getCategory: () => ({ params: { id: id(category) } }),
    patchCategory: () => ({ params: { id: id(category) }, body: { description: next() } }),
    deleteCategory: () => ({ params: { id: id(spareCategory) } }),
    getProductCollectionTranslations: () => ({ params: { id: id(collection) } }),
    putProductCollectionTranslations: () => ({ params: { id: id(collection) }, body: texts() }),
    listCollections: () => ({ params: {} }),
    createCollection: () => ({ params: {}, body: { title: `Winter ${next()}` } }),
    getCollection: () => ({ params: { id: id(collection) } }),
    patchCollection: () => ({ params: { id: id(collection) }, body: { description: next() } }),
    deleteCollection: () => ({ params: { id: id(spareCollection) } }),
    listCollectionProducts: () => ({ params: { id: id(collection) } }),
    addCollectionProducts: () => ({ params: { id: id(collection) }, body: { product: iri(loose) } }),
    removeCollectionProduct: () => ({ params: { id: id(collection), productId: id(product) } }),
    listSaleOffers: () => ({ params: {} }),
    createSaleOffers: () => ({
      params: {},
      body: { variant: iri(variant), currency: 'EUR', amount: '12.50' },
    }),
    getSaleOffer: () => ({ params: { id: id(offer) } }),
    patchSaleOffer: () => ({ params: { id: id(offer) }, body: { priority: (count += 1) } }),
    deleteSaleOffer: () => ({ params: { id: id(offer) } }),
    listPurchaseOffers: () => ({ params: {} }),
    createPurchaseOffers: () => ({
      params: {},
      body: { variant: iri(variant), supplier: 'acme', currency: 'EUR', cost: '4.50' },
    }),
    getPurchaseOffer: () => ({ params: { id: id(purchase) } }),
    patchPurchaseOffer: () => ({ params: { id: id(purchase) }, body: { leadTimeDays: (count += 1) } }),
    deletePurchaseOffer: () => ({ params: { id: id(purchase) } }),
    listMetafieldDefinitionTypes: () => ({ params: {} }),
    getMetafieldDefinitionType: () => ({ params: { slug: 'list.date' } }),
    listMetaobjectDefinitions: () => ({ params: {} }),
    createMetaobjectDefinition: () => ({ params: {}, body: { type: `kind_${(count += 1)}` } }),
    getMetaobjectDefinition: () => ({ params: { id: id(recipe) } }),
    patchMetaobjectDefinition: () => ({ params: { id: id(recipe) }, body: { name: next() } }),
    deleteMetaobjectDefinition: () => ({ params: { id: id(spareDefinition) } }),
    listMetaobjects: () => ({ params: {} }),
    createMetaobject: () => ({ params: {}, body: { definition: iri(recipe), fields: { title: next() } } }),
    getMetaobject: () => ({ params: { id: id(soup) } }),
    getMetaobjectByHandle: () => ({ params: { type: 'recipe', handle: 'soup' } }),
    patchMetaobject: () => ({ params: { id: id(soup) }, body: { fields: { title: next() } } }),
    deleteMetaobject: () => ({ params: { id: id(spareMetaobject) } }),
    listEvents: () => ({ params: {} }),
    getEvent: () => ({ params: { id: id(event) } }),
    listAuditTrail: () => ({ params: { id: id(product) } }),
    listWebhookTopics: () => ({ params: {} }),
    getWebhookTopic: () => ({ params: { key: 'product.created' } }),
    listWebhookSubscriptions: () => ({ params: {} }),
    createWebhookSubscription: () => ({
      params: {},
      body: { topic: 'product/*', callbackUrl: `http://127.0.0.1:9/${next()}` },
    }),
    getWebhookSubscription: () => ({ params: { id: id(subscription) } }),
    patchWebhookSubscription: () => ({
      params: { id: id(subscription) },
      body: { callbackUrl: `http://127.0.0.1:9/${next()}` },
    }),
    deleteWebhookSubscription: () => ({ params: { id: id(spareSubscription) } }),
    listWebhookDeliveries: () => ({ params: { id: id(subscription) } }),
    getWebhookDelivery: () => ({ params: deliveryParams }),
    retryWebhookDelivery: () => ({ params: deliveryParams }),
    replayWebhookEvents: () => ({ params: { id: id(subscription) }, body: { afterSequence: 0 } }),
    previewWebhook: () => ({ params: { id: id(subscription) }, body: { resource: iri(category) } }),
    testWebhook: () => ({ params: { id: id(subscription) } }),
    rotateWebhookSecret: () => ({ params: { id: id(subscription) } }),
    listErrorCodes: () => ({ params: {} }),
    getErrorCode: () => ({ params: { code: 'PRD-1001' } }),
    listVersions: () => ({ params: {} }),
    getVersion: () => ({ params: { name: '2026-10' } }),
  }
  return (operation) => {
    const call = calls[operation.name]
    if (!call) throw new Error(`no sample for ${operation.name}: add it to test/support/samples.ts`)
    return call()
  }
}
