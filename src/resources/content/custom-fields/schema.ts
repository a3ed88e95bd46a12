import type { Json } from '../../../core/json.ts'
import { type Property, writable } from '../../../core/property.ts'
import { replacedOrMerged } from '../../fields.ts'
import { fieldsInput, writtenFields } from '../types/index.ts'
import { entriesOf, maximumFields, mergedEntries } from './entries.ts'
import { formViolations } from './violations.ts'

const keyPattern = /^(?=.{1,64}$)[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/

/** The property `fields` of a resource whose fields nobody defines beforehand: each entry names its type. */
export const customFields: Property = writable(
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
    judge: (written, at) => formViolations(written, at),
    merge: (before, written) => mergedEntries(entriesOf(before), writtenFields(written)) as unknown as Json,
  },
)
