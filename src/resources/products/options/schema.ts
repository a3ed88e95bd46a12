import * as z from 'zod'
import { readOnly, type Shape, writable } from '../../../core/property.ts'
import { alsoKnowing } from '../../../core/unwritten.ts'
import { endPosition, externalId, iriText, position, stamps, titleText } from '../../property-schemas.ts'
import { inlineValue, valuesOfOption } from '../values/index.ts'

/** How many options a product has at most. */
export const maximumOptions = 10
export const maximumValues = 250

export const productOption = {
  type: 'ProductOption',
  description:
    'What the variants of a product differ in, such as a colour or a size, with its values in their order.',
  collection: '/api/product_options',
  readWith: 'products:read',
  properties: {
    externalId: writable(externalId, 'The identifier of the option in another system.', {
      example: 'colour',
    }),
    product: readOnly(iriText, 'The product that owns the option.', { link: true, to: 'Product' }),
    title: writable(titleText, 'The name of the option, unique within its product.', {
      translatable: true,
      example: 'Colour',
    }),
    position: writable(position, "Order among the product's options, from 0.", {
      writing: endPosition,
      stored: false,
      example: -1,
    }),
    values: valuesOfOption,
    valuesTotal: readOnly(
      z.int().min(0),
      'How many values there are, where those of a product are too many to be embedded, and `values` is left out.',
      { example: 250 },
    ),
    valuesView: readOnly(
      z.object({ '@id': iriText, '@type': z.literal('PartialCollectionView'), next: iriText }),
      'Where the values are listed, where `values` is left out.',
    ),
    ...stamps(),
  },
} satisfies Shape

/** An option as it is written inside a new product. */
export const inlineOption = alsoKnowing(
  z.object({
    title: titleText.nullish(),
    externalId: externalId.nullish(),
    values: z.array(inlineValue).max(maximumValues).default([]),
  }),
  ['id', 'fallbacks', ...Object.keys(productOption.properties)],
)
/** An option as it is written within a product. */
export type InlineOption = z.infer<typeof inlineOption>
