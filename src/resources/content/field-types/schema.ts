import * as z from 'zod'
import { readOnly, type Shape } from '../../../core/property.ts'

export const fieldType = {
  type: 'MetafieldDefinitionType',
  description: 'What the value of a custom field can be.',
  collection: '/api/metafield_definition_types',
  readWith: null,
  properties: {
    slug: readOnly(z.string(), 'The stable key of the type.', { example: 'single_line_text_field' }),
    name: readOnly(z.string(), 'What the type is called, in English.', { example: 'Single-line text' }),
    description: readOnly(z.string(), 'What a value is, in English.', {
      example: 'Text without line breaks.',
    }),
    list: readOnly(z.boolean(), 'Whether a value is JSON text of an array.', { example: false }),
    referencedType: readOnly(
      z.string().nullable(),
      'The @type of the resources that a value refers to; null for none.',
      { example: null },
    ),
    validations: readOnly(z.array(z.string()), 'The names of the rules that a field definition may add.', {
      example: ['min', 'max', 'choices'],
    }),
  },
} satisfies Shape
