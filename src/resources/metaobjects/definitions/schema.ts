import * as z from 'zod'
import { irisUnder, relativeIri } from '../../../core/iri.ts'
import { formats, validationProblems } from '../../../core/problems/validation.ts'
import { createOnly, type Shape, shownAs, writable } from '../../../core/schema.ts'
import { violation } from '../../../core/violations.ts'
import { namesDefinition, typeIn, typeIri, unknownType } from '../../fields/types.ts'
import { externalIdProperty, iriText, stamps, titleText } from '../../shared/properties.ts'
import { definitionViolations } from './rules.ts'

/** Maximum number of fields of a definition. */
export const maximumFields = 100
/** Maximum number of rules (`validations`) of each field. */
export const maximumRules = 10

const namePattern = /^[a-z][a-z0-9_]{0,63}$/

const name = z
  .string()
  .refine(
    (text) => namePattern.test(text),
    violation(validationProblems.pattern.at('', { format: formats.key })),
  )
  .meta({ pattern: namePattern.source, examples: ['recipe'] })

const typeText = iriText.transform((text, check) => {
  const fieldType = typeIn(text)
  if (fieldType) return typeIri(fieldType.slug)
  check.addIssue({ code: 'custom', ...violation(unknownType('')) })
  return z.NEVER
})

const rule = z
  .object({ name: z.string().max(64), value: z.string().min(1).max(10_000) })
  .transform(({ name, value }) => ({ name, value: namesDefinition(name) ? relativeIri(value) : value }))

const fieldDefinition = z.object({
  key: name,
  name: titleText.nullable().default(null),
  type: shownAs(
    z.union([typeText, z.looseObject({ '@id': typeText }).transform((object) => object['@id'])]),
    iriText,
  ),
  required: z.boolean().default(false),
  translatable: z.boolean().default(false),
  validations: z.array(rule).max(maximumRules).default([]),
})

const type = 'The key of the kind of metaobjects, as their addresses have it; it stays the same.'

export const metaobjectDefinition = {
  type: 'MetaobjectDefinition',
  description: 'A kind of metaobjects: the fields that each of them has.',
  collection: '/api/metaobject_definitions',
  readWith: 'metaobject_definitions:read',
  properties: {
    type: createOnly(name, type, { required: true, example: 'recipe' }),
    name: writable(titleText, 'The name of this kind of metaobjects.', { example: 'Recipe' }),
    displayNameField: writable(name, 'The key of the text field that a metaobject is called by.', {
      example: 'title',
    }),
    fieldDefinitions: writable(
      z.array(fieldDefinition).max(maximumFields),
      'The fields of each metaobject, in the order in which they are shown.',
      {
        defaultValue: [],
        example: [
          {
            key: 'title',
            name: 'Title',
            type: '/api/metafield_definition_types/single_line_text_field',
            required: true,
            translatable: true,
            validations: [{ name: 'max', value: '80' }],
          },
        ],
      },
    ),
    externalId: externalIdProperty('definition', 'recipe'),
    ...stamps(),
  },
  validateTogether: definitionViolations,
} satisfies Shape

/** The schema of patches. It accepts `type`, so that a changed type can be reported. */
export const patchedDefinition = {
  ...metaobjectDefinition,
  properties: { ...metaobjectDefinition.properties, type: writable(name, type, { required: true }) },
} satisfies Shape

export const metaobjectDefinitionIri = irisUnder('/api/metaobject_definitions')
