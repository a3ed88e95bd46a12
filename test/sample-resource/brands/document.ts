import * as z from 'zod'
import { documentInLocale, type Value } from '../../core/document.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import { stampedRow, stamps, translationsRow } from '../../db/columns.ts'
import type { RowOf } from '../../db/query.ts'
import { brand } from './schema.ts'

/** The parts of a brand's document. Plain JSON. */
export type BrandParts = RowOf<typeof brandRow>
export const brandRow = {
  id: z.string(),
  document: z.string(),
  translations: translationsRow.nullable(),
  ...stampedRow,
}

/** The parts of a brand that its event stores. */
const eventBrand = z.object(brandRow).omit(stamps)

/** A brand's document in a locale. */
export function brandDocument(parts: BrandParts, locale: Locale): Value {
  const { version, createdAt, updatedAt } = parts
  return { ...documentInLocale(parts, brand, locale), version, createdAt, updatedAt }
}

export const brandKind: Kind = {
  name: 'brands',
  subject: 'brand',
  noun: 'A brand',
  shape: brand,
  document: (eventDocument, context, locale) =>
    brandDocument(parseEventDocument(eventBrand, eventDocument, context), locale),
}
