/** Requests that change nothing, by topic. They contain ids of the rows in `catalogue/`. */
import { rowsOf } from './catalogue.ts'

/** A request that is sent for several callers, locales and versions. */
export type Read = {
  /** `GET` unless a space separates another method from the path. */
  readonly request: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `all` callers, locales and versions; `some` of them, the default; `one` of each. */
  readonly for?: 'all' | 'some' | 'one'
}

function idOf(table: string, column: string, value: unknown): string {
  const row = rowsOf(table).find((candidate) => candidate[column] === value)
  if (!row) throw new Error(`test/replay/catalogue/${table}.jsonl has no row with ${column} = ${value}`)
  return String(row.id)
}

const productOf = (handle: string) => `/api/products/${idOf('products', 'handle', handle)}`
const [shirt, tee, pitcher, paint, whole, sample] = [
  productOf('shirt'),
  productOf('organic-cotton-t-shirt'),
  productOf('ceramic-pitcher'),
  productOf('paint'),
  productOf('shirt-2'),
  productOf('shirt-3'),
]
const unknown = '01900000-0000-7000-8000-000000000000'
const variantOf = (sku: string) => {
  const row = rowsOf('variants').find((candidate) => candidate.sku === sku)
  return `/api/products/${row?.product_id}/variants/${row?.id}`
}
const wholeVariant = variantOf('SHIRT-Red')
const pricedVariant = variantOf('PITCHER-WHITE')
const option = `/api/product_options/${idOf('product_options', 'external_id', 'size')}`
const value = `/api/option_values/${idOf('option_values', 'external_id', 's')}`
const categoryOf = (handle: string) => `/api/categories/${idOf('categories', 'handle', handle)}`
const collectionOf = (handle: string) => `/api/collections/${idOf('collections', 'handle', handle)}`
const definition = `/api/metaobject_definitions/${idOf('metaobject_definitions', 'type', 'look')}`
const saleOffer = `/api/sale_offers/${idOf('sale_offers', 'external_id', 'sale')}`
const purchaseOffer = `/api/purchase_offers/${idOf('purchase_offers', 'external_id', 'buy')}`
const subscriptionOf = (topic: string) =>
  `/api/webhook_subscriptions/${idOf('webhook_subscriptions', 'topic', topic)}`
const eventOf = (sequence: number) => `/api/events/${idOf('events', 'sequence', sequence)}`
const lastPart = (path: string) => path.split('/').at(-1)

const fr = 'resolveContext[channel]=web&resolveContext[country]=FR'
const at = 'resolveContext[at]=2027-01-20T12:00:00Z'
const sale = 'resolveContext[at]=2027-02-05T00:00:00Z'
const priced = `${fr}&${at}`

/** The query parameters that every list takes, right and wrong. */
const listed = (path: string, order = 'createdAt'): Read[] => [
  { request: path, for: 'all' },
  ...[
    'itemsPerPage=2',
    'itemsPerPage=2&page=2',
    'itemsPerPage=0',
    'itemsPerPage=2&page=9999',
    'page=0',
    'itemsPerPage=1000',
    'itemsPerPage=x&page=-1',
    `order[${order}]=asc&itemsPerPage=3`,
    `order[${order}]=desc&itemsPerPage=3`,
    'order[id]=asc&itemsPerPage=1',
    'order[colour]=asc',
    `order[${order}]=up`,
    'updatedAt[after]=2027-01-01T00:00:00Z&itemsPerPage=3',
    'createdAt[before]=2026-12-02T12:00:00Z&createdAt[from]=2026-12-01T08:00:00.000005Z&itemsPerPage=3',
    'updatedAt[until]=2026-13-01',
    'properties[]=id&properties[]=createdAt&itemsPerPage=2',
    'properties[]=nothing&itemsPerPage=1',
    'cursor=bm9uZQ&itemsPerPage=1',
    'colour=red&itemsPerPage=1',
    'expand=everything&itemsPerPage=1',
  ].map((query): Read => ({ request: `${path}?${query}` })),
  { request: `${path}?colour=red`, headers: { prefer: 'handling=strict' } },
  { request: `${path}?itemsPerPage=1`, headers: { 'cache-control': 'max-age=60' } },
]

const item = (path: string): Read[] => [
  { request: path, for: 'all' },
  { request: `${path}?properties[]=id` },
  { request: `${path}?properties[]=createdAt&properties[]=version&properties[]=nothing` },
  { request: `${path}?colour=red` },
  { request: path.replace(/[^/]+$/, unknown) },
  { request: path.replace(/[^/]+$/, 'not-an-id'), for: 'one' },
  { request: path.toUpperCase().replace('/API/', '/api/'), for: 'one' },
  { request: `HEAD ${path}`, for: 'one' },
  { request: `OPTIONS ${path}`, for: 'one' },
  { request: `PUT ${path}`, body: {}, for: 'one' },
]

const queries = (path: string, ...all: readonly string[]): Read[] =>
  all.map((query) => ({ request: `${path}?${query}` }))

const tool = (method: string, params?: object): unknown => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params && { params }),
})
const toolCall = (args: object) => tool('tools/call', { name: 'list_categories', arguments: args })
const posted = (body: unknown, size: Read['for'] = 'some'): Read => ({
  request: 'POST /mcp',
  body,
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  for: size,
})

export const reads: Readonly<Record<string, readonly Read[]>> = {
  products: [
    ...listed('/api/products', 'title'),
    ...queries(
      '/api/products',
      `${priced}&itemsPerPage=4`,
      `${priced}&expand=priorPrice&q=pitcher`,
      `${priced}&explain=price&q=pitcher`,
      `${priced}&properties[]=title&properties[variants][]=sku&properties[variants][]=resolvedPrice`,
      'properties[]=title&properties[variants][]=sku&itemsPerPage=3',
      'properties[options][values][]=title&itemsPerPage=2',
      'properties[categories][]=title&itemsPerPage=2',
      'expand=categories&itemsPerPage=3',
      'expand=collections&itemsPerPage=3',
      'expand=categories.children&itemsPerPage=2',
      `${fr}&itemsPerPage=1`,
      'resolveContext[country]=ZZ&itemsPerPage=1',
      'status=ARCHIVED',
      'status=DRAFT&itemsPerPage=2',
      'status=GONE',
      'handle=paint&properties[]=handle',
      'externalId=erp-1&properties[]=externalId',
      'sku=PITCHER-BLUE&properties[]=title',
      'barcode=4006381333931&properties[]=title',
      'vendor=Acme&properties[]=title',
      'productType=Shirts&properties[]=title',
      'tag=Kitchen&properties[]=title',
      'channel=pos&properties[]=title',
      'q=shirt&properties[]=title',
      'q=shrt&properties[]=title',
      'q=tee-rust-s&properties[]=title',
      'q=%20&properties[]=title&itemsPerPage=1',
      `category=${categoryOf('shoes')}&properties[]=title`,
      `category=${categoryOf('kitchen')}&category[descendants]=true&properties[]=title`,
      `collection=${collectionOf('summer')}&properties[]=title`,
      `category=/api/categories/${unknown}&properties[]=title`,
      'category=shoes',
      'q=shirt&tag=soft&status=ACTIVE&order[title]=desc&properties[]=title',
    ),
    ...[tee, pitcher, paint, whole].flatMap((path) => item(path)),
    ...queries(
      whole,
      priced,
      `${priced}&expand=priorPrice`,
      `${priced}&explain=price`,
      'expand=categories',
      'expand=collections',
      'expand=categories,collections',
      'expand[]=categories',
      'expand=categories.children.children',
      'properties[fields][]=key',
      'properties[media][]=url&properties[seo][]=title',
    ),
    ...queries(pitcher, priced, `${priced}&explain=price`, `${priced}&expand=priorPrice`, `${fr}&${sale}`),
    ...queries(
      pitcher,
      `${priced}&resolveContext[knownAt]=2026-12-25T00:00:00Z`,
      `${fr}&${at}&resolveContext[knownAt]=2099-01-01`,
    ),
    ...queries(paint, priced, 'properties[variants][]=sku', `${priced}&explain=price`),
    { request: productOf('discontinued'), for: 'all' },
    { request: productOf('partly-archived'), for: 'all' },
    { request: productOf('grusse-b-umlaut-b-quotes'), for: 'all' },
    { request: shirt, for: 'all' },
    { request: `${tee}/audit_trail`, for: 'all' },
    { request: `${tee}/audit_trail?itemsPerPage=3&before=200` },
    { request: `${tee}/audit_trail?before=x` },
  ],
  'product-options': [
    ...listed(`${whole}/product_options`, 'position'),
    ...item(option),
    ...queries(`${whole}/product_options`, 'externalId=size'),
    { request: `/api/products/${unknown}/product_options` },
  ],
  'option-values': [
    ...listed('/api/option_values', 'position'),
    ...item(value),
    ...queries('/api/option_values', `option=${option}`, 'option=size', 'externalId=s'),
  ],
  variants: [
    ...listed(`${whole}/variants`, 'position'),
    ...item(wholeVariant),
    ...item(pricedVariant),
    ...queries(
      `${paint}/variants`,
      'itemsPerPage=60&properties[]=sku',
      'position[from]=50',
      'status=ARCHIVED',
      `${priced}&itemsPerPage=3`,
    ),
    ...queries(
      `${whole}/variants`,
      priced,
      `${priced}&explain=price`,
      'sku=SHIRT-Red',
      'barcode=4006381333931',
      'externalId=Red',
    ),
    ...queries(
      pricedVariant,
      priced,
      `${priced}&explain=price`,
      `${priced}&expand=priorPrice`,
      `${fr}&${sale}`,
      fr,
    ),
    ...queries(pricedVariant, `${priced}&resolveContext[knownAt]=2026-12-25T00:00:00Z`),
    ...['US', 'JP', 'KW', 'DE'].flatMap((country) =>
      queries(
        variantOf('PITCHER-BLUE'),
        `resolveContext[channel]=web&resolveContext[country]=${country}&${at}`,
      ),
    ),
  ],
  prices: [
    ...[pitcher, tee].flatMap((path) => [
      { request: `${path}/price_timeline?${fr}`, for: 'all' } as const,
      ...queries(
        `${path}/price_timeline`,
        `${fr}&from=2026-12-01&until=2027-03-01`,
        `${fr}&itemsPerPage=1`,
        '',
      ),
    ]),
    { request: `${pricedVariant}/price_timeline?${fr}&from=2026-12-01&until=2027-03-01`, for: 'all' },
    ...queries(`${pricedVariant}/price_timeline`, `${fr}&from=2027-03-01&until=2026-12-01`, 'from=x'),
    { request: '/api/market_suggestions', for: 'all' },
  ],
  categories: [
    ...listed('/api/categories', 'title'),
    ...queries(
      '/api/categories',
      'expand=children&itemsPerPage=3',
      'expand=childrens&itemsPerPage=3',
      'expand=children.children&itemsPerPage=3',
      'expand=children.children.children.children&itemsPerPage=1',
      'level=0&properties[]=title',
      'parent=null&properties[]=title',
      `parent=${categoryOf('wide')}&itemsPerPage=2`,
      'handle=boots',
      'externalId=X-category',
      'order[position]=asc&level=1&properties[]=handle',
      'properties[children][]=title&expand=children&itemsPerPage=2',
      'properties[childrens][]=title&expand=childrens&itemsPerPage=2',
    ),
    ...['clothing', 'shirts', 'depth-4', 'wide'].flatMap((handle) => item(categoryOf(handle))),
    ...queries(
      categoryOf('clothing'),
      'expand=children',
      'expand=children.children',
      'expand=childrens',
      'expand[]=children',
    ),
    ...queries(categoryOf('wide'), 'expand=children&properties[children][]=title'),
    ...queries(categoryOf('depth-1'), 'expand=children.children.children'),
  ],
  collections: [
    ...listed('/api/collections', 'title'),
    ...queries(
      '/api/collections',
      'type=MANUAL',
      'type=AUTOMATED',
      'handle=best',
      'externalId=summer',
      `product=${whole}`,
    ),
    ...['summer', 'rules'].flatMap((handle) => item(collectionOf(handle))),
    { request: `${collectionOf('rules')}/products`, for: 'all' },
    ...queries(
      `${collectionOf('rules')}/products`,
      'itemsPerPage=2',
      'q=shirt&properties[]=title',
      `${priced}&itemsPerPage=2`,
      'order[title]=asc&properties[]=title&itemsPerPage=3',
      'status=ARCHIVED',
    ),
    { request: `/api/collections/${unknown}/products` },
    {
      request: 'POST /api/collections/count',
      body: { rules: { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'Kitchen' }] } },
      for: 'all',
    },
    {
      request: 'POST /api/collections/count',
      body: { rules: { match: 'SOME', conditions: [{ field: 'colour', operator: 'EQUALS', value: 1 }] } },
      for: 'one',
    },
  ],
  'sale-offers': [
    ...listed('/api/sale_offers'),
    ...item(saleOffer),
    ...queries(
      '/api/sale_offers',
      `variant=${pricedVariant}`,
      `product=${pitcher}&itemsPerPage=3`,
      'currency=KWD',
      'status=DRAFT',
      'status=ARCHIVED&itemsPerPage=2',
      'state=SCHEDULED',
      'state=RUNNING&itemsPerPage=2',
      'state=ENDED&itemsPerPage=2',
      'externalId=sale',
      'channel=web&country=FR&itemsPerPage=3',
      'country=JP',
      'expand=variant&itemsPerPage=2',
      'expand=product&itemsPerPage=2',
    ),
    ...queries(saleOffer, 'expand=variant', 'expand=product'),
  ],
  'purchase-offers': [
    ...listed('/api/purchase_offers'),
    ...item(purchaseOffer),
    ...queries(
      '/api/purchase_offers',
      'supplier=mill',
      'status=DRAFT',
      'currency=EUR',
      `product=${whole}`,
      'state=RUNNING',
      'expand=variant',
    ),
    ...queries(purchaseOffer, 'expand=variant', 'expand=product'),
  ],
  content: [
    { request: '/api/metafield_definition_types', for: 'all' },
    { request: '/api/metafield_definition_types/list.date', for: 'all' },
    { request: '/api/metafield_definition_types/nothing' },
    ...listed('/api/metaobject_definitions', 'type'),
    ...item(definition),
    ...queries('/api/metaobject_definitions', 'type=look', 'externalId=look'),
    ...listed('/api/metaobjects'),
    ...['linen', 'draft', 'wool'].flatMap((handle) =>
      item(`/api/metaobjects/${idOf('metaobjects', 'handle', handle)}`),
    ),
    { request: '/api/metaobjects/look/linen', for: 'all' },
    { request: '/api/metaobjects/bare/draft', for: 'all' },
    { request: '/api/metaobjects/look/nothing', for: 'all' },
    ...queries(
      '/api/metaobjects',
      'type=look',
      `definition=${definition}`,
      'status=ACTIVE',
      'handle=wool',
      'externalId=linen',
      'type=none',
    ),
  ],
  translations: [
    ...[tee, option, value, categoryOf('clothing'), collectionOf('summer')].flatMap((path): Read[] => [
      { request: `${path}/translations`, for: 'all' },
      { request: `${path.replace(/[^/]+$/, unknown)}/translations` },
    ]),
    ...['products', 'product_options', 'option_values', 'categories', 'collections'].flatMap(
      (name): Read[] => [
        { request: `/api/translations/${name}?missing=fr-FR&itemsPerPage=3`, for: 'all' },
        { request: `/api/translations/${name}?missing=de-DE&itemsPerPage=2&page=2` },
        { request: `/api/translations/${name}?missing=ja-JP` },
        { request: `/api/translations/${name}` },
      ],
    ),
  ],
  events: [
    { request: '/api/events?after=470', for: 'all' },
    ...queries(
      '/api/events',
      '',
      'after=100&itemsPerPage=5',
      'after=0&itemsPerPage=100&properties[]=topic&properties[]=changes',
      'after=299&itemsPerPage=3&topic=sale_offer/*',
      'topic=product/deleted',
      'topic=nothing/*',
      `resource=${pitcher}`,
      `resource=/api/nothing/${unknown}`,
      'after=100000',
      'after=-1',
      'properties[document][]=title&after=480',
    ),
    ...[1, 3, 300, 491].flatMap((sequence) => item(eventOf(sequence))),
  ],
  webhooks: [
    { request: '/api/webhook_topics', for: 'all' },
    { request: '/api/webhook_topics/product.created', for: 'all' },
    { request: '/api/webhook_topics/nothing' },
    ...listed('/api/webhook_subscriptions'),
    ...queries('/api/webhook_subscriptions', 'topic=*', 'status=PAUSED'),
    ...item(subscriptionOf('product/*')),
    { request: `${subscriptionOf('*')}/deliveries`, for: 'all' },
    { request: `${subscriptionOf('*')}/deliveries/${unknown}` },
    ...[whole, categoryOf('child-54'), `/api/products/${unknown}`, 'nothing'].map(
      (resource): Read => ({
        request: `POST ${subscriptionOf('product/*')}/preview`,
        body: { resource },
        for: 'all',
      }),
    ),
  ],
  service: [
    { request: '/api/error-codes', for: 'some' },
    { request: '/api/error-codes?domain=product', for: 'all' },
    { request: '/api/error-codes?httpStatus=412' },
    { request: '/api/error-codes?slug=product.not_found' },
    { request: '/api/error-codes/PRD-1001', for: 'all' },
    { request: '/api/error-codes/NO-1' },
    { request: '/api/versions', for: 'all' },
    { request: '/api/versions/2026-07', for: 'all' },
    { request: '/api/versions/2020-01' },
    { request: '/health', for: 'one' },
    { request: '/api', for: 'all' },
    { request: '/api/', for: 'one' },
    { request: '/', for: 'one' },
    { request: '/nothing', for: 'all' },
    { request: '/api/nothing', for: 'all' },
    { request: '/.well-known/oauth-protected-resource', for: 'one' },
    { request: '/.well-known/oauth-protected-resource/mcp', for: 'one' },
    { request: 'OPTIONS /api/products', for: 'one' },
    {
      request: 'OPTIONS /api/products',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
      for: 'all',
    },
    {
      request: '/api/products?itemsPerPage=1&properties[]=title',
      headers: { origin: 'https://shop.example' },
      for: 'one',
    },
    ...['English', 'fr', 'fr-CA', 'x'.repeat(100)].map(
      (locale): Read => ({
        request: '/api/market_suggestions',
        headers: { 'service-locale': locale },
        for: 'one',
      }),
    ),
    ...['2020-01', 'latest', ''].map(
      (version): Read => ({
        request: '/api/market_suggestions',
        headers: { 'service-api-version': version },
        for: 'one',
      }),
    ),
    ...[
      'text/html',
      'application/json',
      '*/*',
      'application/ld+json;q=0',
      'text/html, application/json;q=0.1',
    ].map((accept): Read => ({ request: `${tee}?properties[]=title`, headers: { accept }, for: 'one' })),
    ...['Bearer a.b.c', 'Bearer', 'Basic YTpi', `Bearer ${'x'.repeat(9000)}`].map(
      (authorization): Read => ({
        request: '/api/market_suggestions',
        headers: { authorization },
        for: 'one',
      }),
    ),
    { request: '/api/market_suggestions?access_token=a.b.c', for: 'one' },
    { request: `/api/products?${'properties[]=title&'.repeat(600)}itemsPerPage=1`, for: 'one' },
    { request: `/api/products?itemsPerPage=1&properties${'[a]'.repeat(9)}[]=b`, for: 'one' },
    { request: '/api/market_suggestions?%zz', for: 'one' },
    { request: '/api/products?q=%ff&itemsPerPage=1', for: 'one' },
  ],
  documents: [
    { request: '/api/docs.jsonld', for: 'one' },
    { request: '/api/docs.jsonld?version=2026-04', for: 'one' },
    { request: '/api/openapi.json', for: 'one' },
    ...['2026-04', '2026-07', 'unstable', 'nothing'].map(
      (version): Read => ({ request: `/api/openapi.json?version=${version}`, for: 'one' }),
    ),
    ...['Product', 'Category', 'Event', 'ConstraintViolation', 'Nothing', 'x%20y'].map(
      (type): Read => ({ request: `/api/contexts/${type}`, for: 'some' }),
    ),
  ],
  tools: [
    posted(tool('tools/list'), 'all'),
    posted(toolCall({}), 'one'),
    posted(toolCall({ itemsPerPage: 2 }), 'all'),
    posted(toolCall({ itemsPerPage: 2, page: 2, locale: 'de-DE' })),
    posted(toolCall({ parent: categoryOf('kitchen'), expand: 'children' })),
    posted(toolCall({ expand: 'childrens', itemsPerPage: 1 })),
    posted(toolCall({ page: 0, itemsPerPage: 'x', colour: 'red' })),
    posted(tool('tools/call', { name: 'nothing', arguments: {} })),
    posted(
      tool('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'replay', version: '1' },
      }),
    ),
    posted(tool('ping')),
    posted(tool('nothing')),
    posted([tool('ping'), toolCall({ itemsPerPage: 1 })]),
    posted([]),
    posted({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    posted({ id: 1 }),
    { request: '/mcp', for: 'one' },
    { request: 'DELETE /mcp', for: 'one' },
  ],
  /** Writes by callers without the permission. The service refuses them before it reads the body. */
  refusals: [
    ...[
      'POST /api/products',
      `PATCH ${sample}`,
      `DELETE ${sample}`,
      `POST ${sample}/product_options`,
      `PATCH ${option}`,
      `DELETE ${option}`,
      'POST /api/option_values',
      `PATCH ${value}`,
      `DELETE ${value}`,
      `POST ${sample}/variants`,
      `PATCH ${wholeVariant}`,
      `DELETE ${wholeVariant}`,
      'POST /api/categories',
      `PATCH ${categoryOf('spare')}`,
      `DELETE ${categoryOf('spare')}`,
      'POST /api/collections',
      `PATCH ${collectionOf('spare')}`,
      `DELETE ${collectionOf('spare')}`,
      `POST ${collectionOf('spare')}/products`,
      `DELETE ${collectionOf('best')}/products/${lastPart(shirt)}`,
      'POST /api/sale_offers',
      `PATCH ${saleOffer}`,
      `DELETE ${saleOffer}`,
      'POST /api/purchase_offers',
      `PATCH ${purchaseOffer}`,
      `DELETE ${purchaseOffer}`,
      'POST /api/metaobject_definitions',
      `PATCH ${definition}`,
      `DELETE ${definition}`,
      'POST /api/metaobjects',
      `PATCH /api/metaobjects/${unknown}`,
      `DELETE /api/metaobjects/${unknown}`,
      `PUT ${tee}/translations`,
      `PUT ${option}/translations`,
      `PUT ${value}/translations`,
      `PUT ${categoryOf('spare')}/translations`,
      `PUT ${collectionOf('spare')}/translations`,
      'POST /api/pictures',
      'POST /api/webhook_subscriptions',
      `PATCH ${subscriptionOf('*')}`,
      `DELETE ${subscriptionOf('*')}`,
      `POST ${subscriptionOf('*')}/rotate_secret`,
      `POST ${subscriptionOf('*')}/replay`,
      `POST ${subscriptionOf('*')}/test`,
      `POST ${subscriptionOf('*')}/deliveries/${unknown}/retry`,
    ].map((request): Read => ({ request, body: {} })),
  ],
}
