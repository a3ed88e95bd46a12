import { type EventedResource, operation } from '../../core/operation.ts'
import { textsOf } from '../shared/translations.ts'
import { type ProductEventContext, productKind } from './document.ts'
import { productListParameters } from './filters.ts'
import { productProblems } from './problems.ts'
import { getProduct, listProducts } from './read.ts'
import { readParameters, product as shape, writeParameters } from './schema.ts'
import { createProducts, deleteProduct, patchProduct, translateProduct } from './write.ts'

const common = { shape, notFound: productProblems.not_found }
const writing = {
  ...common,
  scope: 'products:write',
  alsoTakes: 'Changing its MANUAL collections requires `collections:write` as well.',
} as const

export const resource: EventedResource<ProductEventContext> = {
  shape,
  kind: productKind,
  problems: Object.values(productProblems),
  texts: textsOf(shape, {
    noun: 'a product',
    scope: 'products:write',
    emits: ['product/updated'],
    notFound: productProblems.not_found,
    archivedBy: 'status',
    translate: translateProduct,
  }),
  operations: [
    operation({
      ...common,
      name: 'listProducts',
      summary: 'List products',
      description:
        "The list contains archived products only if `status` requests them or an `updatedAt` filter follows changes. `q` matches stemmed and unstemmed words in the request's language; `order[…]` replaces the rank. Each product embeds up to 50 variants.",
      method: 'GET',
      isCacheable: true,
      path: '/api/products',
      scope: 'products:read',
      answers: 'collection',
      query: productListParameters,
      run: listProducts,
    }),
    operation({
      ...writing,
      name: 'createProducts',
      summary: 'Create a product, or up to fifty',
      description:
        'The body may also contain options, variants and, as `saleOffers` of the variants, prices. Prices are read at `/api/sale_offers`. An absent handle is derived from the title, and numbered if it is in use. A product created as ARCHIVED takes no handle, external id or SKU from a live one. The response embeds up to 250 variants.',
      method: 'POST',
      path: '/api/products',
      answers: 'item',
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
    operation({
      ...common,
      name: 'getProduct',
      summary: 'Read a product',
      method: 'GET',
      isCacheable: true,
      path: '/api/products/{id}',
      scope: 'products:read',
      answers: 'item',
      query: readParameters,
      run: getProduct,
    }),
    operation({
      ...writing,
      name: 'patchProduct',
      summary: 'Change a product',
      description:
        '`status: ARCHIVED` archives as DELETE does: it empties `channels` and records `product/deleted`. Another `status` restores, also the channels that the product had, unless the body has `channels` (`[]` included). If another product now has its handle, external id or a SKU, the 409 names that product. An archived product accepts no other change (409), but accepts its own unchanged document. A handle cannot be cleared.',
      method: 'PATCH',
      path: '/api/products/{id}',
      answers: 'item',
      query: writeParameters,
      body: { mode: 'patch' },
      emits: ['product/updated', 'product/deleted'],
      run: patchProduct,
    }),
    operation({
      ...common,
      name: 'deleteProduct',
      summary: 'Archive a product; its audit trail remains',
      description:
        'The product becomes ARCHIVED, leaves its channels, and frees its handle and SKUs. A PATCH of `status` restores it. A repeated DELETE changes nothing.',
      method: 'DELETE',
      path: '/api/products/{id}',
      scope: 'products:write',
      answers: 'empty',
      query: {},
      emits: ['product/deleted'],
      run: deleteProduct,
    }),
  ],
}
