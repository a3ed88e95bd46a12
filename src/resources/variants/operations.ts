import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import { type EventedResource, operation } from '../../core/operation.ts'
import { embeddedCategories } from '../categories/document.ts'
import { expandParameter } from '../categories/schema.ts'
import type { InProduct } from '../products/document.ts'
import { readParameters } from '../products/schema.ts'
import { type VariantParts, variantDocument, variantValues } from './document.ts'
import { variantProblems } from './problems.ts'
import { getVariant, listVariants, variantListParameters } from './read.ts'
import { variant as shape, variant } from './schema.ts'
import { createVariants, deleteVariant, patchVariant } from './write.ts'

const variantKind: Kind<InProduct> = {
  name: 'variants',
  subject: 'variant',
  noun: 'A variant of a product',
  shape: variant,
  document(eventDocument, context, locale) {
    const { embedding, categories } = context
    const parts = parseEventDocument<VariantParts>(eventDocument, context)
    const values = variantValues(embedding.options(parts.optionValueIds), locale)
    return variantDocument(parts, values, locale, {
      categories: embeddedCategories(categories, locale, byteLimits.embeddedAgain),
    })
  },
}

const expand = { expand: expandParameter }
const common = { shape, notFound: variantProblems.not_found }
const listPath = '/api/products/{productId}/variants'
const itemPath = '/api/products/{productId}/variants/{variantId}'

export const resource: EventedResource<InProduct> = {
  shape,
  kind: variantKind,
  problems: Object.values(variantProblems),
  operations: [
    operation({
      ...common,
      name: 'listVariants',
      summary: 'List the variants of a product',
      method: 'GET',
      mayBeKept: true,
      path: listPath,
      scope: 'products:read',
      answers: 'collection',
      query: variantListParameters,
      run: listVariants,
    }),
    operation({
      ...common,
      name: 'createVariants',
      summary: 'Create a variant of a product, or up to 250',
      description:
        'Positions in a bulk are read as if each row were created after the one before it. Prices may come as `saleOffers` in the same body.',
      method: 'POST',
      path: listPath,
      scope: 'products:write',
      answers: 'item',
      query: expand,
      body: { mode: 'create', bulk: 250 },
      emits: ['variant/created', 'product/updated', 'sale_offer/created'],
      run: createVariants,
    }),
    operation({
      ...common,
      name: 'getVariant',
      summary: 'Read a variant',
      method: 'GET',
      mayBeKept: true,
      path: itemPath,
      scope: 'products:read',
      answers: 'item',
      query: readParameters,
      run: getVariant,
    }),
    operation({
      ...common,
      name: 'patchVariant',
      summary: 'Change a variant',
      description:
        '`optionValues` that the variant has may be sent back after options were added or moved; a change names one value of each option.',
      method: 'PATCH',
      path: itemPath,
      scope: 'products:write',
      answers: 'item',
      query: expand,
      body: { mode: 'patch' },
      emits: ['variant/updated', 'variant/deleted', 'product/updated'],
      run: patchVariant,
    }),
    operation({
      ...common,
      name: 'deleteVariant',
      summary: 'Archive a variant',
      method: 'DELETE',
      path: itemPath,
      scope: 'products:write',
      answers: 'empty',
      query: {},
      emits: ['variant/deleted', 'product/updated'],
      run: deleteVariant,
    }),
  ],
}
