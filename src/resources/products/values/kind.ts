import { type Kind, partsKept } from '../../../core/kind.ts'
import { type ValueParts, valueDocument } from './document.ts'
import { optionValue } from './schema.ts'

export const optionValueKind: Kind = {
  name: 'option_values',
  subject: 'option_value',
  noun: 'A value of an option',
  shape: optionValue,
  document: (kept, around, locale) => valueDocument(partsKept<ValueParts>(kept, around), locale),
}
