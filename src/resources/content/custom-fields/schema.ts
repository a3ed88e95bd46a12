import { writable } from '../../../core/property.ts'
import { replacedOrMerged } from '../../fields.ts'
import { fieldsInput, type WrittenFields } from '../types/index.ts'
import { type FieldEntry, maximumFields, mergedEntries } from './entries.ts'
import { formViolations } from './violations.ts'

const keyPattern = /^(?=.{1,64}$)[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/

/** The property `fields` of a resource whose fields nobody defines beforehand: each entry names its type. */
export const customFields = writable(
  fieldsInput({ most: maximumFields, key: { pattern: keyPattern, format: 'a–z, then a–z 0–9 _ . (1–64)' } }),
  'Custom data, each value with its type.',
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
    merge: (before: readonly FieldEntry[], written: WrittenFields): readonly FieldEntry[] =>
      mergedEntries(before, written),
  },
)
