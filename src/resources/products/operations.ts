import * as z from 'zod'
import { type EventedResource, operation, type Tool } from '../../core/operation.ts'
import { operationsOf, upsertDescription } from '../shared/ordinary-operations.ts'
import { referenceParameter, shortText } from '../shared/properties.ts'
import { textsOf } from '../shared/translations.ts'
import { type ProductEventContext, productKind } from './document.ts'
import { productListParameters } from './filters.ts'
import { productProblems } from './problems.ts'
import { getProduct, listProducts } from './read.ts'
import {
  itemParameters,
  maximumUpsertedRows,
  product as shape,
  upsertedProduct,
  upsertParameters,
  writeParameters,
} from './schema.ts'
import { upsertProduct } from './upsert.ts'
import { createProducts, deleteProduct, patchProduct, translateProduct } from './write.ts'

const {
  listOperation,
  createOperation,
  getOperation,
  patchOperation,
  batchOperation,
  upsertOperation,
  deleteOperation,
} = operationsOf({
  shape,
  notFound: productProblems.not_found,
  list: '/api/products',
  item: '/api/products/{id}',
  readScope: 'products:read',
  writeScope: 'products:write',
})

const getProductTool: Tool = {
  path: '/mcp/catalogue',
  name: 'get_product',
  title: 'Get a product',
  description:
    'Reads one product of the catalogue with its options and variants, by its id, its present or a former handle, or the SKU of one of its variants: send exactly one of these. ' +
    'With resolveContext, each variant has resolvedPrice, its price in that channel, country and moment, and with market its price there; null, or with explain an object without amount, means that no price applies. ' +
    'With explain, resolvedPrice has candidates: every offer, and why it wins or loses.',
  inputs: {
    id: {},
    handle: {},
    sku: {},
    resolveContext: {},
    market: {},
    priceAt: {},
    priceKnownAt: {},
    explain: {},
    expand: {},
  },
  item: {
    id: referenceParameter('/api/products')
      .optional()
      .meta({ description: 'Its @id (/api/products/…) or its id.' }),
    handle: shortText.optional().meta({ description: 'Its handle, the name in addresses of the shop.' }),
    sku: shortText.optional().meta({ description: 'The SKU of one of its active variants.' }),
  },
}

const listProductsTool: Tool = {
  path: '/mcp/catalogue',
  name: 'search_products',
  title: 'Search products',
  description:
    'Searches or lists the products of the catalogue with their variants, newest first or, with q, the best matches first. ' +
    'Filters that are sent together must all match. With resolveContext or market, variants have resolvedPrice. With market, products can be filtered and ordered by their prices there. ' +
    'With facets, the result also has the values of these properties among all matches, with the number of products. ' +
    'If it has corrections, words of q were replaced by similar ones. ' +
    'Products can be large: send a small itemsPerPage. When nextPage is not null there is more: ask again with it as page.',
  inputs: {
    page: {},
    itemsPerPage: {},
    q: {},
    status: {},
    category: {},
    categoryDescendants: {
      parameter: 'category[descendants]',
      schema: {
        type: 'boolean',
        description: 'Whether category includes the categories below it, at all levels.',
      },
    },
    collection: {},
    channel: {},
    handle: {},
    externalId: {},
    sku: {},
    barcode: {},
    vendor: {},
    productType: {},
    tag: {},
    resolveContext: {},
    market: {},
    priceAt: {},
    priceKnownAt: {},
    priceFrom: { parameter: 'price[from]' },
    priceUntil: { parameter: 'price[until]' },
    reduced: {},
    hasPrice: {},
    orderByPrice: { parameter: 'order[price]' },
    facets: { parameter: 'facets[]' },
    expand: {},
  },
}

const alsoTakes = 'Changing its MANUAL collections requires `collections:write` as well.'

export const resource: EventedResource<ProductEventContext> = {
  shape,
  kind: productKind,
  problems: Object.values(productProblems),
  texts: textsOf(shape, {
    noun: 'a product',
    scope: 'products:write',
    emits: ['product/updated'],
    notFound: productProblems.not_found,
    translate: translateProduct,
  }),
  operations: [
    listOperation({
      name: 'listProducts',
      summary: 'List products',
      description:
        "The list contains archived products only if `status` requests them or an `updatedAt` filter follows changes. `q` matches stemmed and unstemmed words in the request's language; `order[…]` replaces the rank. Each product embeds up to 50 variants.",
      query: productListParameters,
      tool: listProductsTool,
      run: listProducts,
    }),
    createOperation({
      name: 'createProducts',
      summary: 'Create a product, or up to fifty',
      description:
        'The body may also contain options, variants and, as `saleOffers` of the variants, prices. Prices are read at `/api/sale_offers`. An absent handle is derived from the title, and numbered if it is in use. A product created as ARCHIVED takes no handle, external id or SKU from a live one. The response embeds up to 250 variants.',
      alsoTakes,
      query: writeParameters,
      body: { mode: 'create', bulk: 50 },
      emits: [
        'product/created',
        'product_option/created',
        'option_value/created',
        'variant/created',
        'sale_offer/created',
      ],
      run: createProducts,
    }),
    getOperation({
      name: 'getProduct',
      summary: 'Read a product',
      query: itemParameters,
      tool: getProductTool,
      run: getProduct,
    }),
    operation({
      shape,
      notFound: productProblems.not_found,
      name: 'getProductByHandle',
      summary: 'Read a product by its handle, or by a former one',
      description:
        'Returns the product that is not archived and has the handle. If none has it, but some had it, the response is the one of these that gave it up last. `Content-Location` has the present handle: a storefront redirects to it (301) if it differs. The last 20 former handles of a product lead to it.',
      method: 'GET',
      isCacheable: true,
      path: '/api/products/by-handle/{handle}',
      params: { handle: z.string() },
      scope: 'products:read',
      answers: 'item',
      query: itemParameters,
      alsoHeaders: ['Content-Location'],
      run: getProduct,
    }),
    patchOperation({
      name: 'patchProduct',
      summary: 'Change a product',
      description:
        '`status: ARCHIVED` archives as DELETE does: it empties `channels` and records `product/deleted`. Another `status` restores, also the channels that the product had, unless the body has `channels` (`[]` included). If another product now has its handle, external id or a SKU, the 409 names that product. An archived product accepts no other change (409), but accepts its own unchanged document. A handle cannot be cleared.',
      alsoTakes,
      query: writeParameters,
      body: { mode: 'patch' },
      emits: ['product/updated', 'product/deleted'],
      run: patchProduct,
    }),
    batchOperation({
      name: 'patchProducts',
      summary: 'Change several products',
      query: writeParameters,
      emits: ['product/updated', 'product/deleted'],
    }),
    upsertOperation({
      name: 'upsertProduct',
      summary: 'Create or change the product with an external id',
      description: `${upsertDescription} The body may have options with values, and variants with \`saleOffers\`, together at most ${maximumUpsertedRows} rows. Rows that it does not have stay, unless the parameter \`missing\` is \`archive\`. An archived product, variant or sale offer is restored, unless the body has its \`status\`. If anything differs, the product has one new version and one \`product/updated\`.`,
      alsoTakes,
      query: upsertParameters,
      body: { mode: 'patch', shape: upsertedProduct },
      emits: [
        'product/created',
        'product/updated',
        'product/deleted',
        'product_option/created',
        'product_option/updated',
        'product_option/deleted',
        'option_value/created',
        'option_value/updated',
        'option_value/deleted',
        'variant/created',
        'variant/updated',
        'variant/deleted',
        'sale_offer/created',
        'sale_offer/updated',
        'sale_offer/deleted',
      ],
      run: upsertProduct,
    }),
    deleteOperation({
      name: 'deleteProduct',
      summary: 'Archive a product; its audit trail remains',
      description:
        'The product becomes ARCHIVED, leaves its channels, and frees its handle and SKUs. A PATCH of `status` restores it. A repeated DELETE changes nothing.',
      emits: ['product/deleted'],
      run: deleteProduct,
    }),
  ],
}
