import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import type { EventedResource } from '../../core/operation.ts'
import { embeddedCategories } from '../categories/document.ts'
import { expandParameter } from '../categories/schema.ts'
import type { ProductEventContext } from '../products/document.ts'
import { variantProblems } from '../products/problems.ts'
import { readParameters } from '../products/schema.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
import { eventVariant, variantDocument, variantValues } from './document.ts'
import { getVariant, listVariants, variantListParameters } from './read.ts'
import { variant as shape, variant } from './schema.ts'
import { createVariants, deleteVariant, patchVariant } from './write.ts'

const variantKind: Kind<ProductEventContext> = {
  name: 'variants',
  subject: 'variant',
  noun: 'A variant of a product',
  shape: variant,
  document(eventDocument, context, locale) {
    const { embedding, categories } = context
    const parts = parseEventDocument(eventVariant, eventDocument, context)
    const values = variantValues(embedding.options(parts.optionValueIds), locale)
    return variantDocument(parts, values, locale, {
      categories: embeddedCategories(categories, locale, byteLimits.embeddedAgain),
    })
  },
}

const expand = { expand: expandParameter }
const { listOperation, createOperation, getOperation, patchOperation, batchOperation, deleteOperation } =
  operationsOf({
    shape,
    notFound: variantProblems.not_found,
    list: '/api/products/{productId}/variants',
    item: '/api/products/{productId}/variants/{variantId}',
    readScope: 'products:read',
    writeScope: 'products:write',
  })

export const resource: EventedResource<ProductEventContext> = {
  shape,
  kind: variantKind,
  problems: Object.values(variantProblems),
  operations: [
    listOperation({
      name: 'listVariants',
      summary: 'List the variants of a product',
      query: variantListParameters,
      run: listVariants,
    }),
    createOperation({
      name: 'createVariants',
      summary: 'Create a variant of a product, or up to 250',
      description:
        'Positions in a bulk are read as if each row were created after the previous row. Prices may come as `saleOffers` in the same body.',
      query: expand,
      body: { mode: 'create', bulk: 250 },
      emits: ['variant/created', 'product/updated', 'sale_offer/created'],
      run: createVariants,
    }),
    getOperation({
      name: 'getVariant',
      summary: 'Read a variant',
      query: readParameters,
      run: getVariant,
    }),
    patchOperation({
      name: 'patchVariant',
      summary: 'Change a variant',
      description:
        '`optionValues` that the variant has may be sent back after options were added or moved; a change names one value of each option.',
      query: expand,
      body: { mode: 'patch' },
      emits: ['variant/updated', 'variant/deleted', 'product/updated'],
      run: patchVariant,
    }),
    batchOperation({
      name: 'patchVariants',
      summary: 'Change several variants of a product',
      query: expand,
      emits: ['variant/updated', 'variant/deleted', 'product/updated'],
    }),
    deleteOperation({
      name: 'deleteVariant',
      summary: 'Archive a variant',
      emits: ['variant/deleted', 'product/updated'],
      run: deleteVariant,
    }),
  ],
}
