import { documentInLocale, type Value } from '../../../core/document.ts'
import { parsed } from '../../../core/json.ts'
import type { Locale } from '../../../core/locale.ts'
import { type FieldType, knownType, type Rule } from '../../fields/types.ts'

/** A definition's row. Plain JSON. */
export type DefinitionParts = {
  readonly id: string
  readonly document: string
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** One field of a definition, with its type looked up. */
export type FieldDefinition = {
  readonly key: string
  readonly type: FieldType
  readonly required: boolean
  readonly translatable: boolean
  readonly validations: readonly Rule[]
}

/** What a definition asks of its metaobjects. */
export type Definition = {
  readonly id: string
  readonly version: number
  /** `recipe` */
  readonly type: string
  readonly displayNameField: string | null
  readonly fields: readonly FieldDefinition[]
}

/** A definition's document in a locale. */
export function definitionDocument(parts: DefinitionParts, locale: Locale): Value {
  const { version, createdAt, updatedAt } = parts
  return documentInLocale(parts, [], locale, { version, createdAt, updatedAt })
}

/** The property `fieldDefinitions`, as it is read or stored. */
export type StoredFields = readonly (Omit<FieldDefinition, 'type'> & { readonly type: string })[]

type StoredDefinition = {
  type: string
  displayNameField: string | null
  fieldDefinitions: StoredFields
}

/** What a definition demands of its metaobjects. */
export function definitionOf({
  id,
  version,
  document,
}: Pick<DefinitionParts, 'id' | 'version' | 'document'>): Definition {
  const { type, displayNameField, fieldDefinitions } = parsed<StoredDefinition>(document)
  return { id, version, type, displayNameField, fields: fieldsOf(fieldDefinitions) }
}

/** The fields of a definition, each with its type. */
export function fieldsOf(fieldDefinitions: StoredFields | null | undefined): FieldDefinition[] {
  return (fieldDefinitions ?? []).map((field) => ({ ...field, type: knownType(field.type) }))
}
