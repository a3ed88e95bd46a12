import * as z from 'zod'
import { irisUnder } from '../../core/iri.ts'
import { formats } from '../../core/problems/validation.ts'
import { createOnly, readOnly, type Shape, writable } from '../../core/schema.ts'
import { fieldsInput } from '../fields/entries.ts'
import {
  externalIdProperty,
  handleProperty,
  relation,
  replacedOrMerged,
  stamps,
} from '../shared/properties.ts'

export const statuses = ['DRAFT', 'ACTIVE'] as const

const definitionLink = relation('/api/metaobject_definitions')
const definition = 'The definition that it is a record of; it stays the same.'

export const metaobject = {
  type: 'Metaobject',
  description: 'A record of a definition, found by its type and handle as well as by its id.',
  collection: '/api/metaobjects',
  readWith: 'metaobjects:read',
  draft: { status: 'DRAFT', visibleWith: 'metaobjects:write' },
  inlineContext: true,
  properties: {
    definition: createOnly(definitionLink, definition, {
      required: true,
      isLink: true,
    }),
    handle: handleProperty(
      'the metaobjects of its definition',
      'tomato-soup',
      'Derived from the display name when absent.',
    ),
    status: writable(z.enum(statuses), 'Whether it is a draft or published.', {
      defaultValue: 'DRAFT',
      example: 'ACTIVE',
    }),
    displayName: readOnly(
      z.string().nullable(),
      'Its name: the value of the field that the definition names.',
      { example: 'Tomato soup' },
    ),
    fields: writable(
      // The definition limits the keys.
      fieldsInput({ maximum: 250, key: { pattern: /^.{0,64}$/s, format: formats.key } }),
      'The values of its fields.',
      { defaultValue: [], stored: false, writeDescription: replacedOrMerged },
    ),
    externalId: externalIdProperty('metaobject', 'recipe-12'),
    ...stamps(),
  },
} satisfies Shape

/** The schema of patches. It accepts `definition`, so that a changed definition can be reported. */
export const patchedMetaobject = {
  ...metaobject,
  properties: {
    ...metaobject.properties,
    definition: writable(definitionLink, definition, {
      required: true,
      isLink: true,
    }),
  },
} satisfies Shape

export const metaobjectIri = irisUnder('/api/metaobjects')
