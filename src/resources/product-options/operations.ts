import type { EventedResource, Operation } from '../../core/operation.ts'
import type { ProductEventContext } from '../products/document.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
import { textsOf } from '../shared/translations.ts'
import { type ChildParts, type ChildType, optionChildType, valueChildType } from './child-types.ts'
import { listOptions, listValues, optionListParameters, valueListParameters } from './read.ts'
import {
  createOption,
  createValue,
  deleteChild,
  getChild,
  patchChild,
  removeLocaleFromChildren,
  translateChild,
} from './write.ts'

const scopes = { readScope: 'products:read', writeScope: 'products:write' } as const

/** Builds the resource of options or of values, except its list and creation. `noun` is `an option`. */
function childResource<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  noun: string,
  [listOperation, createOperation]: readonly [Operation, Operation],
): EventedResource<ProductEventContext> {
  const { kind, problems } = childType
  const { shape, subject } = kind
  const { collection } = shape
  const { getOperation, patchOperation, deleteOperation } = operationsOf({
    shape,
    notFound: problems.not_found,
    list: collection,
    item: `${collection}/{id}`,
    ...scopes,
  })
  const updateTopics = [`${subject}/updated`, 'product/updated']
  const valueTopics = kind.name === 'product_options' ? ['option_value/deleted'] : []
  return {
    shape,
    kind,
    problems: Object.values(problems),
    texts: textsOf(shape, {
      noun,
      scope: scopes.writeScope,
      emits: updateTopics,
      notFound: problems.not_found,
      translate: (context, id, textUpdate) => translateChild(childType, context, id, textUpdate),
    }),
    forgetLocale: (context, id, locale) => removeLocaleFromChildren(childType, context, id, locale),
    operations: [
      listOperation,
      createOperation,
      getOperation({
        name: `get${shape.type}`,
        summary: `Read ${noun}`,
        run: (context, { params }) => getChild(childType, context, params.id),
      }),
      patchOperation({
        name: `patch${shape.type}`,
        summary: `Change ${noun}`,
        body: { mode: 'patch' },
        emits: updateTopics,
        run: (context, { params, bodies: [body = {}] }) => patchChild(childType, context, params.id, body),
      }),
      deleteOperation({
        name: `delete${shape.type}`,
        summary: `Delete ${noun} that no active variant uses`,
        emits: [`${subject}/deleted`, ...valueTopics, 'product/updated'],
        run: (context, { params }) => deleteChild(childType, context, params.id),
      }),
    ],
  }
}

const options = operationsOf({
  shape: optionChildType.kind.shape,
  notFound: optionChildType.problems.not_found,
  list: '/api/products/{productId}/product_options',
  item: '/api/product_options/{id}',
  ...scopes,
})

export const optionResource = childResource(optionChildType, 'an option', [
  options.listOperation({
    name: 'listProductOptions',
    summary: 'List the options of a product',
    query: optionListParameters,
    run: listOptions,
  }),
  options.createOperation({
    name: 'createProductOption',
    summary: 'Add an option to a product',
    body: { mode: 'create' },
    emits: ['product_option/created', 'product/updated'],
    run: createOption,
  }),
])

const values = operationsOf({
  shape: valueChildType.kind.shape,
  notFound: valueChildType.problems.not_found,
  list: '/api/option_values',
  item: '/api/option_values/{id}',
  ...scopes,
})

export const valueResource = childResource(valueChildType, 'an option value', [
  values.listOperation({
    name: 'listOptionValues',
    summary: 'List option values',
    query: valueListParameters,
    run: listValues,
  }),
  values.createOperation({
    name: 'createOptionValue',
    summary: 'Add a value to an option',
    body: { mode: 'create' },
    emits: ['option_value/created', 'product/updated'],
    run: createValue,
  }),
])
