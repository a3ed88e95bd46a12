import { localized, type Value } from '../../../core/document.ts'
import type { Json } from '../../../core/json.ts'
import type { Locale } from '../../../core/locale.ts'
import { type FieldType, type Rule, typeIn } from '../types/index.ts'

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
  return localized(parts, [], locale, { version, createdAt, updatedAt })
}

type Stored = {
  type: string
  displayNameField: string | null
  fieldDefinitions: readonly (Omit<FieldDefinition, 'type'> & { type: string })[]
}

/** What a definition demands of its metaobjects. */
export function definitionOf({
  id,
  version,
  document,
}: Pick<DefinitionParts, 'id' | 'version' | 'document'>): Definition {
  const { type, displayNameField, fieldDefinitions } = JSON.parse(document) as Stored
  return { id, version, type, displayNameField, fields: fieldsOf(fieldDefinitions as unknown as Json) }
}

/** The property `fieldDefinitions`, as it was read or stored. */
export function fieldsOf(fieldDefinitions: Json | undefined): FieldDefinition[] {
  const stored = (fieldDefinitions ?? []) as unknown as Stored['fieldDefinitions']
  return stored.map((each) => ({ ...each, type: typeIn(each.type)! }))
}
