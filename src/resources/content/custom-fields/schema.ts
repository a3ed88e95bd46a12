import { writable } from '../../../core/property.ts'
import { replacedOrMerged } from '../../property-schemas.ts'
import { fieldsInput, type WrittenFields } from '../field-types/index.ts'
import { type CustomField, maximumCustomFields, mergedEntries } from './entries.ts'
import { formViolations } from './violations.ts'

const keyPattern = /^(?=.{1,64}$)[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/

/** The property `fields` of a resource whose fields are custom, defined by nobody beforehand: each entry names its type. */
export const customFields = writable(
  fieldsInput({
    most: maximumCustomFields,
    key: { pattern: keyPattern, format: 'a–z, then a–z 0–9 _ . (1–64)' },
  }),
  'Custom fields, each value with its type.',
  {
    writing: replacedOrMerged,
    standard: [],
    example: [
      {
        key: 'material',
        value: 'Cotton',
        type: '/api/metafield_definition_types/single_line_text_field',
      },
    ],
    judge: formViolations,
    merge: (before: readonly CustomField[], written: WrittenFields): readonly CustomField[] =>
      mergedEntries(before, written),
  },
)
