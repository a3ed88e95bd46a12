import { operation, type Recorded } from '../../../core/operation.ts'
import type { Shape } from '../../../core/property.ts'
import { textsOf } from '../../translations.ts'
import { forgetOwned } from '../owned/index.ts'
import { createValue, deleteValue, getValue, patchValue, translateValue } from './change.ts'
import { optionValueKind } from './kind.ts'
import { listValues, valueListParameters } from './list.ts'
import { optionValue } from './owned.ts'
import { optionValueProblems } from './problems.ts'
import { optionValue as shape } from './schema.ts'

const common = { shape, notFound: optionValueProblems.not_found, query: {} }
const list = '/api/option_values'
const item = '/api/option_values/{id}'

export const resource: Recorded = {
  shape,
  kind: optionValueKind,
  problems: Object.values(optionValueProblems),
  texts: textsOf<Shape>(shape, {
    noun: 'an option value',
    scope: 'products:write',
    emits: ['option_value/updated', 'product/updated'],
    notFound: optionValueProblems.not_found,
    archivedBy: 'product_archived',
    translate: translateValue,
  }),
  forgetLocale: (context, id, locale) => forgetOwned(optionValue, context, id, locale),
  operations: [
    operation({
      ...common,
      name: 'listOptionValues',
      summary: 'List option values',
      method: 'GET',
      mayBeKept: true,
      path: list,
      scope: 'products:read',
      answers: 'collection',
      query: valueListParameters,
      run: listValues,
    }),
    operation({
      ...common,
      name: 'createOptionValue',
      summary: 'Add a value to an option',
      method: 'POST',
      path: list,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'create' },
      emits: ['option_value/created', 'product/updated'],
      run: createValue,
    }),
    operation({
      ...common,
      name: 'getOptionValue',
      summary: 'Read an option value',
      method: 'GET',
      mayBeKept: true,
      path: item,
      scope: 'products:read',
      answers: 'item',
      run: getValue,
    }),
    operation({
      ...common,
      name: 'patchOptionValue',
      summary: 'Change an option value',
      method: 'PATCH',
      path: item,
      scope: 'products:write',
      answers: 'item',
      body: { mode: 'patch' },
      emits: ['option_value/updated', 'product/updated'],
      run: patchValue,
    }),
    operation({
      ...common,
      name: 'deleteOptionValue',
      summary: 'Delete an option value that no active variant uses',
      method: 'DELETE',
      path: item,
      scope: 'products:write',
      answers: 'empty',
      emits: ['option_value/deleted', 'product/updated'],
      run: deleteValue,
    }),
  ],
}
