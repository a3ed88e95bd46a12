import * as z from 'zod'
import { documentInLocale, type Value } from '../../../core/document.ts'
import type { Locale } from '../../../core/locale.ts'
import { stampedRow, stamps } from '../../../db/columns.ts'
import type { RowOf } from '../../../db/query.ts'
import { parseStored } from '../../../db/row-types.ts'
import { type FieldDefinition, fieldsOf, storedFields } from './rules.ts'
import { metaobjectDefinition } from './schema.ts'

/** A definition's row. Plain JSON. */
export type DefinitionParts = RowOf<typeof definitionRow>
export const definitionRow = { id: z.string(), document: z.string(), ...stampedRow }
/** The parts of a definition that its event stores. */
export const eventDefinition = z.object(definitionRow).omit(stamps)

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
  return { ...documentInLocale(parts, metaobjectDefinition, locale), version, createdAt, updatedAt }
}

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
