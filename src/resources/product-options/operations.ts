import type { EventedResource } from '../../core/operation.ts'
import type { Shape } from '../../core/schema.ts'
import type { ProductEventContext } from '../products/document.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
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

const options = operationsOf({
  shape: productOption,
  notFound: productOptionProblems.not_found,
  list: '/api/products/{productId}/product_options',
  item: '/api/product_options/{id}',
  readScope: 'products:read',
  writeScope: 'products:write',
})

export const optionResource: EventedResource<ProductEventContext> = {
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
    options.listOperation({
      name: 'listProductOptions',
      summary: 'List the options of a product',
      query: optionListParameters,
      run: listOptions,
    }),
    options.createOperation({
      name: 'createProductOption',
      summary: 'Add an option to a product',
      query: {},
      body: { mode: 'create' },
      emits: ['product_option/created', 'product/updated'],
      run: createOption,
    }),
    options.getOperation({
      name: 'getProductOption',
      summary: 'Read an option',
      query: {},
      run: getOption,
    }),
    options.patchOperation({
      name: 'patchProductOption',
      summary: 'Change an option',
      query: {},
      body: { mode: 'patch' },
      emits: ['product_option/updated', 'product/updated'],
      run: patchOption,
    }),
    options.deleteOperation({
      name: 'deleteProductOption',
      summary: 'Delete an option that no active variant uses',
      emits: ['product_option/deleted', 'option_value/deleted', 'product/updated'],
      run: deleteOption,
    }),
  ],
}

const values = operationsOf({
  shape: optionValue,
  notFound: optionValueProblems.not_found,
  list: '/api/option_values',
  item: '/api/option_values/{id}',
  readScope: 'products:read',
  writeScope: 'products:write',
})

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
    values.listOperation({
      name: 'listOptionValues',
      summary: 'List option values',
      query: valueListParameters,
      run: listValues,
    }),
    values.createOperation({
      name: 'createOptionValue',
      summary: 'Add a value to an option',
      query: {},
      body: { mode: 'create' },
      emits: ['option_value/created', 'product/updated'],
      run: createValue,
    }),
    values.getOperation({
      name: 'getOptionValue',
      summary: 'Read an option value',
      query: {},
      run: getValue,
    }),
    values.patchOperation({
      name: 'patchOptionValue',
      summary: 'Change an option value',
      query: {},
      body: { mode: 'patch' },
      emits: ['option_value/updated', 'product/updated'],
      run: patchValue,
    }),
    values.deleteOperation({
      name: 'deleteOptionValue',
      summary: 'Delete an option value that no active variant uses',
      emits: ['option_value/deleted', 'product/updated'],
      run: deleteValue,
    }),
  ],
}
