/**
 * The resources of the interface, each property with its kind, the value that tests write, and its filter.
 * `{product}` and similar names represent the IRI of that resource in the test's shop, `{product.id}` its id, `{new}`
 * a text not used before.
 */

type Write = {
  /** Sent when the resource is made. */
  readonly create?: unknown
  /** Sent by a patch. */
  readonly patch?: unknown
  /** The response to a patch with null; absent if null is rejected or not documented. */
  readonly cleared?: unknown
  /** True where null is refused, since a value must be there. */
  readonly required?: true
  /** True if the response contains more than the request. */
  readonly richer?: true
}

/** A filter, with a value that finds the thing of the shop and one that does not. */
type Filter = readonly [name: string, finds: string, misses: string]

export type Row = {
  readonly type: string
  readonly list: string
  /** Where a new one is posted; absent if it cannot be created. */
  readonly create?: string
  /** The thing of the shop that is read, and found by filters. */
  readonly item: string
  readonly reads: Readonly<Record<string, string>>
  readonly writes?: Readonly<Record<string, Write>>
  readonly filters: readonly Filter[]
  /** Only this version reads one. */
  readonly itemIn?: string
  /** Members that no read shows. */
  readonly hides?: readonly string[]
}

const resource = { '@id': 'iri', '@type': 'string', id: 'uuid' }
const stamped = { ...resource, version: 'integer', createdAt: 'time', updatedAt: 'time' }
const own = { ...stamped, externalId: 'null or string' }

const past = '2020-01-01T00:00:00Z'
const future = '2100-01-01T00:00:00Z'
const dates = (name: string): readonly Filter[] => [
  [`${name}[after]`, past, future],
  [`${name}[from]`, past, future],
  [`${name}[before]`, future, past],
  [`${name}[until]`, future, past],
]
const unknown = '01900000-0000-7000-8000-000000000000'

const externalId = { create: '{new}', patch: '{new}', cleared: null }
const handle = { create: '{new}', patch: '{new}', required: true } as const
const media = [{ url: 'https://cdn.test.com/a.jpg', alt: 'Front', type: 'IMAGE' }]
const text = '/api/metafield_definition_types/single_line_text_field'
const custom = {
  create: [{ key: 'fabric', value: 'Wool', type: text }],
  patch: [{ key: 'fabric', value: 'Silk', type: text }],
  cleared: [],
  richer: true,
} as const

const offer = {
  ...own,
  variant: 'iri',
  product: 'iri',
  currency: 'string',
  minQuantity: 'integer',
  validFrom: 'null or time',
  validUntil: 'null or time',
  status: 'DRAFT|ACTIVE|ARCHIVED',
  state: 'SCHEDULED|LIVE|EXPIRED|INACTIVE',
  categories: 'array of object',
}
const period = {
  validFrom: { create: '2026-01-01T00:00:00.000000Z', patch: '2026-02-01T00:00:00.000000Z', cleared: null },
  validUntil: { create: '2090-01-01T00:00:00.000000Z', patch: '2091-01-01T00:00:00.000000Z', cleared: null },
}
const offerFilters: readonly Filter[] = [
  ['variant', '{variant}', `{product}/variants/${unknown}`],
  ['product', '{product}', `/api/products/${unknown}`],
  ['currency', 'EUR', 'USD'],
  ['status', 'ACTIVE', 'DRAFT'],
  ['state', 'LIVE', 'EXPIRED'],
  ...dates('updatedAt'),
]

export const rows: readonly Row[] = [
  {
    type: 'Product',
    list: '/api/products',
    create: '/api/products',
    item: 'product',
    reads: {
      ...own,
      title: 'string',
      description: 'null or string',
      handle: 'string',
      status: 'DRAFT|ACTIVE|ARCHIVED',
      channels: 'array of string',
      vendor: 'null or string',
      productType: 'null or string',
      tags: 'array of string',
      options: 'array of object',
      variants: 'array of object',
      variantsTotal: 'integer',
      categories: 'array of object',
      collections: 'array of iri',
      media: 'array of object',
      seo: 'null or object',
      fields: 'array of object',
      archivedAt: 'null or time',
      launchedAt: 'null or time',
    },
    writes: {
      launchedAt: {
        create: '2026-10-01T00:00:00.000000Z',
        patch: '2026-11-01T00:00:00.000000Z',
        cleared: null,
      },
      title: { create: 'Coat', patch: 'Cloak', required: true },
      description: { create: 'Warm', patch: 'Warmer', cleared: null },
      handle,
      status: { create: 'ACTIVE', patch: 'DRAFT' },
      channels: { create: ['web'], patch: ['shop', 'web'], cleared: [] },
      vendor: { create: 'Acme', patch: 'Globex', cleared: null },
      productType: { create: 'Coats', patch: 'Cloaks', cleared: null },
      tags: { create: ['warm'], patch: ['new', 'warm'], cleared: [] },
      options: { create: [{ title: 'Size', values: [{ title: 'S' }] }], richer: true },
      variants: { create: [{ optionValues: [{ option: 'Size', value: 'S' }] }], richer: true },
      categories: { create: ['{category}'], patch: [{ '@id': '{parent}' }], cleared: [], richer: true },
      media: { create: media, patch: [...media, ...media], cleared: [] },
      seo: {
        create: { title: 'Buy', description: 'Now' },
        patch: { title: 'Get', description: 'Soon' },
        cleared: null,
      },
      fields: custom,
      externalId,
    },
    filters: [
      ['status', 'ACTIVE', 'DRAFT'],
      ['handle', 'shirt', 'shirt-9'],
      ['externalId', 'X-product', 'X-nothing'],
      ['sku', 'SKU-1', 'SKU-9'],
      ['barcode', '4006381333931', '4006381333948'],
      ['vendor', 'Acme', 'Globex'],
      ['productType', 'Shirts', 'Coats'],
      ['tag', 'soft', 'hard'],
      ['channel', 'web', 'shop'],
      ['category', '{category}', '{parent}'],
      ['category[descendants]=true&category', '{parent}', '{leaf}'],
      ['collection', '{collection}', `/api/collections/${unknown}`],
      ['q', 'shirt', 'zeppelin'],
      ...dates('createdAt'),
      ...dates('updatedAt'),
    ],
  },
  {
    type: 'ProductOption',
    list: '{product}/product_options',
    create: '{blank}/product_options',
    item: 'option',
    reads: {
      ...own,
      title: 'null or string',
      position: 'integer',
      product: 'iri',
      values: 'array of object',
    },
    writes: {
      title: { create: '{new}', patch: '{new}', cleared: null },
      position: { create: 0, patch: 0 },
      externalId,
    },
    filters: [['externalId', 'X-option', 'X-nothing']],
  },
  {
    type: 'OptionValue',
    list: '/api/option_values',
    create: '/api/option_values',
    item: 'value',
    reads: { ...own, option: 'iri', title: 'string', position: 'integer' },
    writes: {
      option: { create: '{spareOption}', required: true },
      title: { create: '{new}', patch: '{new}', required: true },
      position: { create: 0, patch: 0 },
      externalId,
    },
    filters: [
      ['option', '{option}', '{spareOption}'],
      ['externalId', 'X-value', 'X-nothing'],
    ],
  },
  {
    type: 'Variant',
    list: '{product}/variants',
    create: '{sized}/variants',
    item: 'variant',
    reads: {
      ...own,
      product: 'iri',
      sku: 'null or string',
      barcode: 'null or string',
      title: 'null or string',
      optionValues: 'array of object',
      position: 'integer',
      weight: 'null or object',
      measure: 'null or object',
      status: 'ACTIVE|ARCHIVED',
      media: 'array of object',
      categories: 'array of object',
      fields: 'array of object',
    },
    writes: {
      sku: { create: '{new}', patch: '{new}', cleared: null },
      barcode: { create: '4006381333931', patch: '96385074', cleared: null },
      optionValues: { create: ['{small}'], patch: ['{large}'], required: true, richer: true },
      position: { create: 0, patch: 0 },
      weight: { create: { value: 1.5, unit: 'kg' }, patch: { value: 200, unit: 'g' }, cleared: null },
      measure: { create: { value: 0.75, unit: 'l' }, patch: { value: 4, unit: 'm2' }, cleared: null },
      media: { create: media, patch: [...media, ...media], cleared: [] },
      fields: custom,
      externalId,
    },
    filters: [
      ['externalId', 'X-variant', 'X-nothing'],
      ['sku', 'SKU-1', 'SKU-9'],
      ['barcode', '4006381333931', '4006381333948'],
    ],
  },
  {
    type: 'Category',
    list: '/api/categories',
    create: '/api/categories',
    item: 'category',
    reads: {
      ...own,
      title: 'string',
      handle: 'string',
      description: 'null or string',
      parent: 'null or iri',
      children: 'array of iri or object',
      referenceUnit: 'null or object',
      position: 'integer',
      ancestors: 'array of iri',
      level: 'integer',
      fields: 'array of object',
    },
    writes: {
      title: { create: 'Hats', patch: 'Caps', required: true },
      handle,
      description: { create: 'For heads', patch: 'For more heads', cleared: null },
      parent: { create: '{parent}', patch: '{category}', cleared: null },
      referenceUnit: { create: { value: 1, unit: 'kg' }, patch: { value: 100, unit: 'ml' }, cleared: null },
      position: { create: 0, patch: 0 },
      children: { create: ['{spareCategory}'], patch: [], cleared: [] },
      fields: custom,
      externalId,
    },
    filters: [
      ['parent', '{parent}', '{leaf}'],
      ['handle', 'shoes', 'shoes-9'],
      ['level', '1', '0'],
      ['externalId', 'X-category', 'X-nothing'],
      ...dates('updatedAt'),
    ],
  },
  {
    type: 'ProductCollection',
    list: '/api/collections',
    create: '/api/collections',
    item: 'collection',
    reads: {
      ...own,
      title: 'string',
      handle: 'string',
      description: 'null or string',
      type: 'MANUAL|RULE_BASED',
      rules: 'null or object',
      productsCount: 'integer',
    },
    writes: {
      title: { create: 'Summer', patch: 'Winter', required: true },
      handle,
      description: { create: 'Light', patch: 'Heavy', cleared: null },
      type: { create: 'RULE_BASED' },
      rules: {
        create: { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'summer' }] },
        patch: { match: 'ANY', conditions: [{ field: 'vendor', operator: 'EQUALS', value: 'Acme' }] },
      },
      externalId,
    },
    filters: [
      ['type', 'MANUAL', 'RULE_BASED'],
      ['handle', 'best', 'worst'],
      ['product', '{product}', '{blank}'],
      ['externalId', 'X-collection', 'X-nothing'],
      ...dates('updatedAt'),
    ],
  },
  {
    type: 'SaleOffer',
    list: '/api/sale_offers',
    create: '/api/sale_offers',
    item: 'saleOffer',
    reads: {
      ...offer,
      campaign: 'null or iri',
      channel: 'null or string',
      countries: 'array of string',
      amount: 'money',
      compareAtAmount: 'null or money',
      priority: 'integer',
      taxIncluded: 'boolean',
      reductionReason: 'null or EXPIRING',
    },
    writes: {
      variant: { create: '{variant}', required: true },
      campaign: { create: '{campaign}', patch: '{spareCampaign}', cleared: null },
      channel: { create: 'web', patch: 'shop', cleared: null },
      countries: { create: ['FR'], patch: ['DE', 'FR'], cleared: [] },
      currency: { create: 'EUR', patch: 'CHF', required: true },
      amount: { create: '19.90', patch: '18.50', required: true },
      compareAtAmount: { create: '25.00', patch: '24.00', cleared: null },
      ...period,
      priority: { create: 5, patch: -5 },
      minQuantity: { create: 2, patch: 3 },
      taxIncluded: { create: false, patch: true },
      reductionReason: { create: 'EXPIRING', cleared: null },
      status: { create: 'DRAFT', patch: 'ACTIVE' },
      externalId,
    },
    filters: [
      ...offerFilters,
      ['channel', 'web', 'shop'],
      ['country', 'FR', 'DE'],
      ['campaign', '{campaign}', '{spareCampaign}'],
      ['externalId', 'X-saleOffer', 'X-nothing'],
    ],
  },
  {
    type: 'PurchaseOffer',
    list: '/api/purchase_offers',
    create: '/api/purchase_offers',
    item: 'purchaseOffer',
    reads: {
      ...offer,
      supplier: 'string',
      supplierSku: 'null or string',
      cost: 'money',
      quantityIncrement: 'integer',
      leadTimeDays: 'null or integer',
      preferred: 'boolean',
    },
    writes: {
      variant: { create: '{variant}', required: true },
      supplier: { create: 'mill', patch: 'loom', required: true },
      supplierSku: { create: 'M-1', patch: 'L-1', cleared: null },
      cost: { create: '4.90', patch: '5.10', required: true },
      currency: { create: 'EUR', patch: 'CHF', required: true },
      minQuantity: { create: 10, patch: 20 },
      quantityIncrement: { create: 5, patch: 10 },
      leadTimeDays: { create: 7, patch: 14, cleared: null },
      ...period,
      preferred: { create: true, patch: false },
      status: { create: 'DRAFT', patch: 'ACTIVE' },
      externalId,
    },
    filters: [...offerFilters, ['supplier', 'mill', 'loom'], ['externalId', 'X-purchaseOffer', 'X-nothing']],
  },
  {
    type: 'Campaign',
    list: '/api/campaigns',
    create: '/api/campaigns',
    item: 'campaign',
    reads: {
      ...stamped,
      name: 'string',
      description: 'null or string',
      validFrom: 'null or time',
      validUntil: 'null or time',
      offers: 'integer',
      externalId: 'null or string',
    },
    writes: {
      name: { create: 'Winter', patch: 'Summer', required: true },
      description: { create: 'All shoes.', patch: 'All boots.', cleared: null },
      ...period,
      externalId,
    },
    filters: [['externalId', 'X-campaign', 'X-nothing']],
  },
  {
    type: 'Market',
    list: '/api/markets',
    create: '/api/markets',
    item: 'market',
    reads: {
      ...stamped,
      key: 'string',
      channel: 'string',
      country: 'string',
      currency: 'string',
      name: 'null or string',
    },
    writes: {
      key: { create: '{new}', patch: '{new}', required: true },
      channel: { create: 'web', patch: 'pos', required: true },
      country: { create: 'FR', patch: 'DE', required: true },
      currency: { create: 'EUR', patch: 'CHF', required: true },
      name: { create: 'France', patch: 'Germany', cleared: null },
    },
    filters: [['key', 'fr', 'none']],
  },
  {
    type: 'SearchSynonyms',
    list: '/api/search_synonyms',
    create: '/api/search_synonyms',
    item: 'searchSynonyms',
    reads: { ...stamped, locale: 'string', sets: 'array' },
    writes: {
      locale: { create: 'fr-FR', patch: 'de-DE', required: true },
      sets: { create: [['sofa', 'couch']], patch: [['lampe', 'leuchte']], cleared: [] },
    },
    filters: [['locale', 'en-US', 'it-IT']],
  },
  {
    type: 'MetaobjectDefinition',
    list: '/api/metaobject_definitions',
    create: '/api/metaobject_definitions',
    item: 'definition',
    reads: {
      ...own,
      type: 'string',
      name: 'null or string',
      displayNameField: 'null or string',
      fieldDefinitions: 'array of object',
    },
    writes: {
      type: { create: '{new_}', required: true },
      name: { create: 'Care', patch: 'Cares' },
      displayNameField: { create: 'title', patch: 'title', cleared: null },
      fieldDefinitions: { create: [{ key: 'title', type: text }], richer: true },
      externalId,
    },
    filters: [
      ['type', 'care', 'none'],
      ['externalId', 'X-definition', 'X-nothing'],
    ],
  },
  {
    type: 'Metaobject',
    list: '/api/metaobjects',
    create: '/api/metaobjects',
    item: 'metaobject',
    reads: {
      ...own,
      definition: 'iri',
      handle: 'string',
      status: 'DRAFT|ACTIVE',
      displayName: 'null or string',
      fields: 'array of object',
    },
    writes: {
      definition: { create: '{definition}', required: true },
      handle,
      status: { create: 'ACTIVE', patch: 'DRAFT' },
      fields: {
        create: [{ key: 'title', value: 'Wash' }],
        patch: [{ key: 'title', value: 'Iron' }],
        richer: true,
      },
      externalId,
    },
    filters: [
      ['type', 'care', 'spare'],
      ['definition', '{definition}', `/api/metaobject_definitions/${unknown}`],
      ['status', 'ACTIVE', 'DRAFT'],
      ['handle', 'wool', 'silk'],
      ['externalId', 'X-metaobject', 'X-nothing'],
      ...dates('updatedAt'),
    ],
  },
  {
    type: 'WebhookSubscription',
    list: '/api/webhook_subscriptions',
    create: '/api/webhook_subscriptions',
    item: 'subscription',
    itemIn: 'unstable',
    hides: ['secret'],
    reads: {
      ...resource,
      topic: 'null or string',
      callbackUrl: 'null or string',
      version: 'null or string',
      locale: 'null or string',
      includeFields: 'null or array of string',
      recordResponses: 'boolean',
      status: 'ACTIVE|PAUSED|DISABLED',
      createdAt: 'time',
      updatedAt: 'time',
    },
    writes: {
      topic: { create: 'product/created', patch: 'product/*', cleared: null },
      callbackUrl: {
        create: 'http://127.0.0.1:9/{new}',
        patch: 'http://127.0.0.1:9/{new}',
        cleared: null,
      },
      version: { create: '2026-07', patch: '2026-10', cleared: null },
      locale: { create: 'fr-FR', patch: 'en-US', cleared: null },
      includeFields: { create: ['title', 'variants.sku'], patch: ['*.id'], cleared: null },
      recordResponses: { create: true, patch: false },
      status: { create: 'ACTIVE', patch: 'PAUSED' },
    },
    filters: [],
  },
  {
    type: 'WebhookDelivery',
    list: '{subscription}/deliveries',
    item: 'delivery',
    reads: {
      ...resource,
      subscription: 'iri',
      event: 'iri',
      topic: 'string',
      resource: 'iri',
      status: 'PENDING|DELIVERED|FAILED',
      attempts: 'integer',
      httpStatus: 'null or integer',
      latency: 'null or integer',
      error: 'null or string',
      createdAt: 'time',
    },
    hides: ['secret', 'headers', 'body'],
    filters: [
      ['status', 'PENDING', 'DELIVERED'],
      ['topic', 'product/updated', 'product/created'],
      ...dates('createdAt'),
    ],
  },
  {
    type: 'ErrorCode',
    list: '/api/error-codes',
    item: 'errorCode',
    reads: {
      '@id': 'iri',
      '@type': 'ErrorCode',
      code: 'string',
      slug: 'string',
      domain: 'string',
      httpStatus: 'integer',
      message: 'string',
      description: 'string',
    },
    filters: [
      ['domain', 'product', 'category'],
      ['httpStatus', '404', '422'],
      ['slug', 'product.not_found', 'product.not'],
    ],
  },
  {
    type: 'Event',
    list: '/api/events',
    item: 'event',
    reads: {
      ...resource,
      sequence: 'integer',
      topic: 'string',
      resource: 'iri',
      resourceVersion: 'integer',
      actor: 'object',
      document: 'object',
    },
    filters: [
      ['topic', 'product/created', 'category/created'],
      ['resource', '{product}', '{category}'],
      ['after', '0', '{ownSequence}'],
    ],
  },
]

/** An entry of `fields`, wherever it stands. */
export const fieldEntry: Readonly<Record<string, string>> = {
  key: 'string',
  value: 'string',
  type: 'iri',
  metaobject: 'array',
}
