import { operation, type Recorded } from '../../../core/operation.ts'
import type { Shape } from '../../../core/property.ts'
import { textsOf } from '../../translations.ts'
import type { InProduct } from '../index.ts'
import { forgetOwned } from '../owned/index.ts'
import { createOption, deleteOption, getOption, patchOption, translateOption } from './change.ts'
import { productOptionKind } from './kind.ts'
import { listOptions, optionListParameters } from './list.ts'
import { option } from './owned.ts'
import { productOptionProblems } from './problems.ts'
import { productOption as shape } from './schema.ts'

const common = { shape, notFound: productOptionProblems.not_found, query: {} }
const list = '/api/products/{productId}/product_options'
const item = '/api/product_options/{id}'

export const resource: Recorded<InProduct> = {
  shape,
  kind: productOptionKind,
  problems: Object.values(productOptionProblems),
  texts: textsOf<Shape>(shape, {
    noun: 'an option',
    scope: 'products:write',
    emits: ['product_option/updated', 'product/updated'],
    notFound: productOptionProblems.not_found,
    archivedBy: 'product_archived',
    translate: translateOption,
  }),
  forgetLocale: (context, id, locale) => forgetOwned(option, context, id, locale),
  operations: [
    operation({
      ...common,
      name: 'listProductOptions',
      summary: 'List the options of a product',
      method: 'GET',
      mayBeKept: true,
      path: list,
      scope: 'products:read',
      query: optionListParameters,
      answers: 'collection',
      run: listOptions,
    }),
    operation({
      ...common,
      name: 'createProductOption',
      summary: 'Add an option to a product',
      method: 'POST',
      path: list,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'create' },
      emits: ['product_option/created', 'product/updated'],
      run: createOption,
    }),
    operation({
      ...common,
      name: 'getProductOption',
      summary: 'Read an option',
      method: 'GET',
      mayBeKept: true,
      path: item,
      scope: 'products:read',
      answers: 'item',
      run: getOption,
    }),
    operation({
      ...common,
      name: 'patchProductOption',
      summary: 'Change an option',
      method: 'PATCH',
      path: item,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'patch' },
      emits: ['product_option/updated', 'product/updated'],
      run: patchOption,
    }),
    operation({
      ...common,
      name: 'deleteProductOption',
      summary: 'Delete an option that no active variant uses',
      method: 'DELETE',
      path: item,
      scope: 'products:write',
      answers: 'empty',
      emits: ['product_option/deleted', 'option_value/deleted', 'product/updated'],
      run: deleteOption,
    }),
  ],
}
