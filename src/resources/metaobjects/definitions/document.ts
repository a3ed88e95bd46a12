import * as z from 'zod'
import { documentInLocale, type Value } from '../../../core/document.ts'
import type { Locale } from '../../../core/locale.ts'
import { stampedRow, stamps } from '../../../db/columns.ts'
import { columnsOf, type RowOf } from '../../../db/query.ts'
import { parseStored } from '../../../db/row-types.ts'
import { type FieldType, knownType, type Rule } from '../../fields/types.ts'

/** A definition's row. Plain JSON. */
export type DefinitionParts = RowOf<typeof definitionRow>
export const definitionRow = { id: z.string(), document: z.string(), ...stampedRow }
/** The parts of a definition that its event stores. */
export const eventDefinition = z.object(definitionRow).omit(stamps)

/** One field of a definition, with its resolved type. */
export type FieldDefinition = {
  readonly key: string
  readonly type: FieldType
  readonly required: boolean
  readonly translatable: boolean
  readonly validations: readonly Rule[]
}

/** The requirements of a definition for its metaobjects. */
export type Definition = {
  readonly id: string
  readonly version: number
  /** `recipe` */
  readonly type: string
  readonly displayNameField: string | null
  readonly fields: readonly FieldDefinition[]
}

export function definitionDocument(parts: DefinitionParts, locale: Locale): Value {
  const { version, createdAt, updatedAt } = parts
  return { ...documentInLocale(parts, [], locale), version, createdAt, updatedAt }
}

/** The property `fieldDefinitions` as bodies send it and rows store it. */
export type StoredFields = z.infer<typeof storedFields>
const storedFields = z
  .array(
    z.object({
      ...columnsOf(z.string(), 'key', 'type'),
      ...columnsOf(z.boolean(), 'required', 'translatable'),
      validations: z.array(z.object(columnsOf(z.string(), 'name', 'value'))).readonly(),
    }),
  )
  .readonly()

/** The members of a stored definition that its metaobjects need. */
export const storedDefinition = z.object({
  type: z.string(),
  displayNameField: z.string().nullable(),
  fieldDefinitions: storedFields,
})

/** Parses a stored definition. */
export function definitionOf({
  id,
  version,
  document,
}: Pick<DefinitionParts, 'id' | 'version' | 'document'>): Definition {
  const { type, displayNameField, fieldDefinitions } = parseStored(storedDefinition, document)
  return { id, version, type, displayNameField, fields: fieldsOf(fieldDefinitions) }
}

/** Resolves the type of each field. */
export function fieldsOf(fieldDefinitions: StoredFields | null | undefined): FieldDefinition[] {
  return (fieldDefinitions ?? []).map((field) => ({ ...field, type: knownType(field.type) }))
}
