import { type EventedResource, operation } from '../../core/operation.ts'
import type { Shape } from '../../core/schema.ts'
import type { InProduct } from '../products/document.ts'
import { textsOf } from '../shared/translations.ts'
import { removeLocaleFromChildren } from './forget-locale.ts'
import { optionValueProblems, productOptionProblems } from './problems.ts'
import { listOptions, listValues, optionListParameters, valueListParameters } from './read.ts'
import { optionValue, productOption } from './schema.ts'
import {
  createOption,
  createValue,
  deleteOption,
  deleteValue,
  getOption,
  getValue,
  optionChildType,
  optionValueKind,
  patchOption,
  patchValue,
  productOptionKind,
  translateOption,
  translateValue,
  valueChildType,
} from './write.ts'

const optionCommon = { shape: productOption, notFound: productOptionProblems.not_found, query: {} }
const optionListPath = '/api/products/{productId}/product_options'
const optionItemPath = '/api/product_options/{id}'

export const optionResource: EventedResource<InProduct> = {
  shape: productOption,
  kind: productOptionKind,
  problems: Object.values(productOptionProblems),
  texts: textsOf<Shape>(productOption, {
    noun: 'an option',
    scope: 'products:write',
    emits: ['product_option/updated', 'product/updated'],
    notFound: productOptionProblems.not_found,
    archivedBy: 'product_archived',
    translate: translateOption,
  }),
  forgetLocale: (context, id, locale) => removeLocaleFromChildren(optionChildType, context, id, locale),
  operations: [
    operation({
      ...optionCommon,
      name: 'listProductOptions',
      summary: 'List the options of a product',
      method: 'GET',
      mayBeKept: true,
      path: optionListPath,
      scope: 'products:read',
      query: optionListParameters,
      answers: 'collection',
      run: listOptions,
    }),
    operation({
      ...optionCommon,
      name: 'createProductOption',
      summary: 'Add an option to a product',
      method: 'POST',
      path: optionListPath,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'create' },
      emits: ['product_option/created', 'product/updated'],
      run: createOption,
    }),
    operation({
      ...optionCommon,
      name: 'getProductOption',
      summary: 'Read an option',
      method: 'GET',
      mayBeKept: true,
      path: optionItemPath,
      scope: 'products:read',
      answers: 'item',
      run: getOption,
    }),
    operation({
      ...optionCommon,
      name: 'patchProductOption',
      summary: 'Change an option',
      method: 'PATCH',
      path: optionItemPath,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'patch' },
      emits: ['product_option/updated', 'product/updated'],
      run: patchOption,
    }),
    operation({
      ...optionCommon,
      name: 'deleteProductOption',
      summary: 'Delete an option that no active variant uses',
      method: 'DELETE',
      path: optionItemPath,
      scope: 'products:write',
      answers: 'empty',
      emits: ['product_option/deleted', 'option_value/deleted', 'product/updated'],
      run: deleteOption,
    }),
  ],
}

const valueCommon = { shape: optionValue, notFound: optionValueProblems.not_found, query: {} }
const valueListPath = '/api/option_values'
const valueItemPath = '/api/option_values/{id}'

export const valueResource: EventedResource = {
  shape: optionValue,
  kind: optionValueKind,
  problems: Object.values(optionValueProblems),
  texts: textsOf<Shape>(optionValue, {
    noun: 'an option value',
    scope: 'products:write',
    emits: ['option_value/updated', 'product/updated'],
    notFound: optionValueProblems.not_found,
    archivedBy: 'product_archived',
    translate: translateValue,
  }),
  forgetLocale: (context, id, locale) => removeLocaleFromChildren(valueChildType, context, id, locale),
  operations: [
    operation({
      ...valueCommon,
      name: 'listOptionValues',
      summary: 'List option values',
      method: 'GET',
      mayBeKept: true,
      path: valueListPath,
      scope: 'products:read',
      answers: 'collection',
      query: valueListParameters,
      run: listValues,
    }),
    operation({
      ...valueCommon,
      name: 'createOptionValue',
      summary: 'Add a value to an option',
      method: 'POST',
      path: valueListPath,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'create' },
      emits: ['option_value/created', 'product/updated'],
      run: createValue,
    }),
    operation({
      ...valueCommon,
      name: 'getOptionValue',
      summary: 'Read an option value',
      method: 'GET',
      mayBeKept: true,
      path: valueItemPath,
      scope: 'products:read',
      answers: 'item',
      run: getValue,
    }),
    operation({
      ...valueCommon,
      name: 'patchOptionValue',
      summary: 'Change an option value',
      method: 'PATCH',
      path: valueItemPath,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'patch' },
      emits: ['option_value/updated', 'product/updated'],
      run: patchValue,
    }),
    operation({
      ...valueCommon,
      name: 'deleteOptionValue',
      summary: 'Delete an option value that no active variant uses',
      method: 'DELETE',
      path: valueItemPath,
      scope: 'products:write',
      answers: 'empty',
      emits: ['option_value/deleted', 'product/updated'],
      run: deleteValue,
    }),
  ],
}
