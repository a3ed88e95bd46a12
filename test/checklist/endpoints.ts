import { smallestPng } from '../support/pictures.ts'

/** A call that must succeed, in an order in which deletions come last; `{name}` as in the resources. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The required query, without `?`. */
  readonly query?: string
  readonly body?: unknown
  readonly status: number
  /** The response: one resource of a type, or a list of them. */
  readonly type?: string
  readonly list?: true
  readonly onlyIn?: string
}

const list = (path: string, type: string): Endpoint => ({
  method: 'GET',
  path,
  status: 200,
  type,
  list: true,
})
const read = (path: string, type: string): Endpoint => ({ method: 'GET', path, status: 200, type })
const create = (path: string, type: string, body: unknown): Endpoint => ({
  method: 'POST',
  path,
  body,
  status: 201,
  type,
})
const patch = (path: string, type: string, body: unknown): Endpoint => ({
  method: 'PATCH',
  path,
  body,
  status: 200,
  type,
})
const remove = (path: string): Endpoint => ({ method: 'DELETE', path, status: 204 })

/** Of timelines: a time to come in which nothing changes. */
const timeline = {
  query:
    'resolveContext[channel]=web&resolveContext[country]=FR&from=2090-01-01T00:00:00Z&until=2090-07-01T00:00:00Z',
}

const offer = { variant: '{variant}', currency: 'EUR' }

/** Every operation that the service offers behind a token. */
export const endpoints: readonly Endpoint[] = [
  list('/api/products', 'Product'),
  create('/api/products', 'Product', { title: 'New' }),
  read('/api/products/{product.id}', 'Product'),
  patch('/api/products/{product.id}', 'Product', { vendor: 'V' }),
  list('/api/products/{product.id}/product_options', 'ProductOption'),
  create('/api/products/{blank.id}/product_options', 'ProductOption', { title: 'New', position: -1 }),
  read('/api/product_options/{option.id}', 'ProductOption'),
  patch('/api/product_options/{option.id}', 'ProductOption', { title: 'Color' }),
  list('/api/option_values', 'OptionValue'),
  create('/api/option_values', 'OptionValue', { option: '{option}', title: 'Green' }),
  read('/api/option_values/{value.id}', 'OptionValue'),
  patch('/api/option_values/{value.id}', 'OptionValue', { title: 'Crimson' }),
  list('/api/products/{product.id}/variants', 'Variant'),
  create('/api/products/{product.id}/variants', 'Variant', { optionValues: ['{otherValue}'] }),
  read('/api/products/{product.id}/variants/{variant.id}', 'Variant'),
  patch('/api/products/{product.id}/variants/{variant.id}', 'Variant', { barcode: null }),
  list('/api/categories', 'Category'),
  create('/api/categories', 'Category', { title: 'New' }),
  read('/api/categories/{category.id}', 'Category'),
  patch('/api/categories/{category.id}', 'Category', { description: 'D' }),
  list('/api/purchase_offers', 'PurchaseOffer'),
  create('/api/purchase_offers', 'PurchaseOffer', { ...offer, supplier: 'mill', cost: '1.00' }),
  read('/api/purchase_offers/{purchaseOffer.id}', 'PurchaseOffer'),
  patch('/api/purchase_offers/{purchaseOffer.id}', 'PurchaseOffer', { leadTimeDays: 3 }),
  list('/api/sale_offers', 'SaleOffer'),
  create('/api/sale_offers', 'SaleOffer', { ...offer, amount: '1.00' }),
  read('/api/sale_offers/{saleOffer.id}', 'SaleOffer'),
  patch('/api/sale_offers/{saleOffer.id}', 'SaleOffer', { priority: 3 }),
  read('/api/markets', 'Markets'),
  list('/api/collections', 'ProductCollection'),
  create('/api/collections', 'ProductCollection', { title: 'New', type: 'MANUAL' }),
  read('/api/collections/{collection.id}', 'ProductCollection'),
  patch('/api/collections/{collection.id}', 'ProductCollection', { description: 'D' }),
  list('/api/collections/{collection.id}/products', 'Product'),
  create('/api/collections/{collection.id}/products', 'ProductCollection', { product: '{sized}' }),
  list('/api/metaobject_definitions', 'MetaobjectDefinition'),
  create('/api/metaobject_definitions', 'MetaobjectDefinition', { type: '{new_}' }),
  read('/api/metaobject_definitions/{definition.id}', 'MetaobjectDefinition'),
  patch('/api/metaobject_definitions/{definition.id}', 'MetaobjectDefinition', { name: 'Care' }),
  list('/api/metafield_definition_types', 'MetafieldDefinitionType'),
  ...[
    'single_line_text_field',
    'multi_line_text_field',
    'number_integer',
    'number_decimal',
    'boolean',
    'date',
    'date_time',
    'url',
    'color',
    'money',
    'json',
    'product_reference',
    'variant_reference',
    'category_reference',
    'collection_reference',
    'metaobject_reference',
    'list.single_line_text_field',
    'list.number_integer',
    'list.product_reference',
    'list.metaobject_reference',
  ].map((slug) => read(`/api/metafield_definition_types/${slug}`, 'MetafieldDefinitionType')),
  list('/api/metaobjects', 'Metaobject'),
  create('/api/metaobjects', 'Metaobject', { definition: '{definition}' }),
  read('/api/metaobjects/{metaobject.id}', 'Metaobject'),
  read('/api/metaobjects/care/wool', 'Metaobject'),
  patch('/api/metaobjects/{metaobject.id}', 'Metaobject', { status: 'DRAFT' }),
  list('/api/webhook_subscriptions', 'WebhookSubscription'),
  create('/api/webhook_subscriptions', 'WebhookSubscription', {
    topic: 'product/*',
    callbackUrl: 'http://127.0.0.1:9/new',
  }),
  { ...read('/api/webhook_subscriptions/{subscription.id}', 'WebhookSubscription'), onlyIn: 'unstable' },
  patch('/api/webhook_subscriptions/{subscription.id}', 'WebhookSubscription', { topic: '*' }),
  {
    method: 'POST',
    path: '/api/webhook_subscriptions/{subscription.id}/rotate_secret',
    status: 200,
    type: 'WebhookSubscription',
  },
  list('/api/webhook_subscriptions/{subscription.id}/deliveries', 'WebhookDelivery'),
  read('/api/webhook_subscriptions/{subscription.id}/deliveries/{delivery.id}', 'WebhookDelivery'),
  read('/api/webhook_subscriptions/{subscription.id}/deliveries/{delivery.id}/body', 'WebhookDeliveryBody'),
  {
    method: 'POST',
    path: '/api/webhook_subscriptions/{subscription.id}/deliveries/{delivery.id}/retry',
    status: 202,
    type: 'WebhookDelivery',
  },
  {
    method: 'POST',
    path: '/api/webhook_subscriptions/{subscription.id}/replay',
    body: { from: '2026-01-01T00:00:00Z', until: '2090-01-01T00:00:00Z' },
    status: 202,
    type: 'WebhookReplay',
  },
  {
    method: 'POST',
    path: '/api/webhook_subscriptions/{subscription.id}/test',
    status: 200,
    type: 'WebhookTest',
  },
  {
    method: 'POST',
    path: '/api/webhook_subscriptions/{subscription.id}/preview',
    body: { resource: '{product}' },
    status: 200,
    type: 'WebhookPreview',
  },
  {
    method: 'POST',
    path: '/api/collections/count',
    body: { rules: { conditions: [{ field: 'vendor', operator: 'EQUALS', value: 'nobody' }] } },
    status: 200,
    type: 'CollectionCount',
  },
  list('/api/translations/products', 'Translations'),
  list('/api/translations/product_options', 'Translations'),
  list('/api/translations/option_values', 'Translations'),
  list('/api/translations/categories', 'Translations'),
  list('/api/translations/collections', 'Translations'),
  list('/api/webhook_topics', 'WebhookTopic'),
  list('/api/events', 'Event'),
  read('/api/events/{event.id}', 'Event'),
  list('/api/products/{product.id}/audit_trail', 'Event'),
  create('/api/pictures', 'Picture', smallestPng()),
  { ...list('/api/products/{product.id}/price_timeline', 'PriceTimeline'), ...timeline },
  {
    ...read('/api/products/{product.id}/variants/{variant.id}/price_timeline', 'PriceTimeline'),
    ...timeline,
  },
  list('/api/error-codes', 'ErrorCode'),
  read('/api/error-codes/{errorCode.id}', 'ErrorCode'),
  list('/api/versions', 'ApiVersion'),
  remove('/api/webhook_subscriptions/{subscription.id}'),
  remove('/api/collections/{collection.id}/products/{sized.id}'),
  remove('/api/collections/{collection.id}'),
  remove('/api/metaobjects/{metaobject.id}'),
  remove('/api/metaobject_definitions/{spareDefinition.id}'),
  remove('/api/sale_offers/{saleOffer.id}'),
  remove('/api/purchase_offers/{purchaseOffer.id}'),
  remove('/api/products/{product.id}/variants/{variant.id}'),
  remove('/api/option_values/{value.id}'),
  remove('/api/product_options/{spareOption.id}'),
  remove('/api/categories/{spareCategory.id}'),
  remove('/api/products/{product.id}'),
]

/** Paths without a token, and their media types. */
export const publicDocuments: readonly (readonly [path: string, contentType: string])[] = [
  ['/health', 'application/json'],
  ['/ready', 'application/json'],
  ['/api', 'application/ld+json'],
  ['/api/contexts/Product', 'application/ld+json'],
  ['/api/contexts/ProductCollection', 'application/ld+json'],
  ['/api/contexts/Error', 'application/ld+json'],
  ['/api/contexts/Metaobject', 'application/ld+json'],
  ['/api/docs.jsonld', 'application/ld+json'],
  ['/.well-known/oauth-protected-resource', 'application/json'],
  ['/.well-known/oauth-protected-resource/mcp', 'application/json'],
  ['/api/openapi.json', 'json'],
]
