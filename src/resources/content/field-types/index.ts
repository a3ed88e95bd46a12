/** What resources with fields need of their types: to check values, and to read what is written. */
export { fieldsInput, keptValue, type WrittenField, type WrittenFields, writtenFields } from './entries.ts'
export { isRule, namesDefinition, type Rule } from './rules.ts'
export { type FieldType, knownType, typeIn, typeIri } from './types.ts'
export { possibleReferences, type Reference, readValue } from './value.ts'
