import * as z from 'zod'
import { upsertedRow, withReadOnlyNames } from '../../core/body.ts'
import { irisUnder } from '../../core/iri.ts'
import { createOnly, readOnly, type Shape, writable } from '../../core/schema.ts'
import {
  endPosition,
  externalId,
  externalIdProperty,
  iriText,
  partialView,
  position,
  relation,
  requiredTitle,
  stamps,
  titleText,
} from '../shared/properties.ts'

export const optionValue = {
  type: 'OptionValue',
  description: 'One value of a product option, such as red or L.',
  collection: '/api/option_values',
  readWith: 'products:read',
  properties: {
    externalId: externalIdProperty('value', 'red'),
    option: createOnly(relation('/api/product_options'), 'The option that the value belongs to.', {
      required: true,
      isLink: true,
      stored: false,
    }),
    title: requiredTitle('The name of the value, unique within its option.', 'Red'),
    position: writable(position, 'Order among the values of the option, from 0.', {
      writeDescription: endPosition,
      stored: false,
      example: -1,
    }),
    ...stamps(),
  },
} satisfies Shape

/** A value inside an option in the body of a new product. */
export const inlineValue = withReadOnlyNames(
  z.object({ title: titleText, externalId: externalId.nullish() }),
  ['id', 'fallbacks', ...Object.keys(optionValue.properties)],
)
/** A value in the body of an option. */
export type InlineValue = z.infer<typeof inlineValue>

/** The property of an option that contains its values. */
const valuesOfOption = readOnly(z.array(z.unknown()), 'The values, in their order.', {
  objectType: 'OptionValue',
})

/** The maximum numbers of a product's options and of an option's values. */
export const maximumOptions = 10
export const maximumValues = 250

export const productOption = {
  type: 'ProductOption',
  description:
    'A property in which the variants of a product differ, such as a colour or a size, with its values in their order.',
  collection: '/api/product_options',
  readWith: 'products:read',
  properties: {
    externalId: externalIdProperty('option', 'colour'),
    product: readOnly(iriText, 'The product that owns the option.', { isLink: true, targetType: 'Product' }),
    title: writable(titleText, 'The name of the option, unique within its product.', {
      translatable: true,
      example: 'Colour',
    }),
    position: writable(position, "Order among the product's options, from 0.", {
      writeDescription: endPosition,
      stored: false,
      example: -1,
    }),
    values: valuesOfOption,
    valuesTotal: readOnly(
      z.int().min(0),
      'The number of values, if a product has too many to embed them and `values` is absent.',
      { example: 250 },
    ),
    valuesView: readOnly(partialView, 'A link to the list of the values, if `values` is absent.'),
    ...stamps(),
  },
} satisfies Shape

/** An option in the body of a new product. */
export const inlineOption = withReadOnlyNames(
  z.object({
    title: titleText.nullish(),
    externalId: externalId.nullish(),
    values: z.array(inlineValue).max(maximumValues).default([]),
  }),
  ['id', 'fallbacks', ...Object.keys(productOption.properties)],
)
/** An option in the body of a product. */
export type InlineOption = z.infer<typeof inlineOption>

/** The order of rows in an upsert. */
export const storedPosition = readOnly(
  position,
  'An upsert appends new rows, and keeps the order of the others.',
)

/** An option in the body of an upsert, with its values. */
export const upsertedOption = {
  ...productOption,
  properties: {
    ...productOption.properties,
    position: storedPosition,
    values: writable(
      z
        .array(
          upsertedRow({
            ...optionValue,
            properties: { ...optionValue.properties, position: storedPosition },
          }),
        )
        .max(maximumValues),
      'The values that are created or changed. They are found by `externalId`, then by `title`.',
      { objectType: 'OptionValue', stored: false, example: [{ title: 'Red' }] },
    ),
  },
} satisfies Shape

export const productOptionIri = irisUnder('/api/product_options')

export const optionValueIri = irisUnder('/api/option_values')
