import * as z from 'zod'
import { onCreate, readOnly, type Shape, writable } from '../../../core/property.ts'
import { alsoKnowing } from '../../../core/unwritten.ts'
import { endPosition, externalId, position, relation, stamps, titleText } from '../../property-schemas.ts'

export const optionValue = {
  type: 'OptionValue',
  description: 'One value of a product option, such as red or L.',
  collection: '/api/option_values',
  readWith: 'products:read',
  properties: {
    externalId: writable(externalId, 'The identifier of the value in another system.', { example: 'red' }),
    option: onCreate(relation('/api/product_options'), 'The option that the value belongs to.', {
      required: true,
      link: true,
      stored: false,
    }),
    title: writable(titleText, 'The name of the value, unique within its option.', {
      required: true,
      translatable: true,
      example: 'Red',
    }),
    position: writable(position, 'Order among the values of the option, from 0.', {
      writing: endPosition,
      stored: false,
      example: -1,
    }),
    ...stamps(),
  },
} satisfies Shape

/** A value as it is written inside an option of a new product. */
export const inlineValue = alsoKnowing(z.object({ title: titleText, externalId: externalId.nullish() }), [
  'id',
  'fallbacks',
  ...Object.keys(optionValue.properties),
])
/** A value as it is written within an option. */
export type InlineValue = z.infer<typeof inlineValue>

/** The property by which an option shows its values. */
export const valuesOfOption = readOnly(z.array(z.unknown()), 'The values, in their order.', {
  of: 'OptionValue',
})
