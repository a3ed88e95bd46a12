import { operation, type Recorded } from '../../../core/operation.ts'
import { expandParameter } from '../../categories/index.ts'
import { type InProduct, readParameters } from '../index.ts'
import { deleteVariant, patchVariant } from './change.ts'
import { createVariants } from './create.ts'
import { variantKind } from './kind.ts'
import { listVariants, variantListParameters } from './list.ts'
import { variantProblems } from './problems.ts'
import { getVariant } from './read.ts'
import { variant as shape } from './schema.ts'

const expand = { expand: expandParameter }
const common = { shape, notFound: variantProblems.not_found }
const list = '/api/products/{productId}/variants'
const item = '/api/products/{productId}/variants/{variantId}'

export const resource: Recorded<InProduct> = {
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
      path: list,
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
      path: list,
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
      path: item,
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
      path: item,
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
      path: item,
      scope: 'products:write',
      answers: 'empty',
      query: {},
      emits: ['variant/deleted', 'product/updated'],
      run: deleteVariant,
    }),
  ],
}
