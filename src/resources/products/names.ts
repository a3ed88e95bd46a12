import { sql } from 'drizzle-orm'
import type { Violation } from '../../core/problem.ts'
import type { Written } from '../../core/property.ts'
import { refuse } from '../../core/violations.ts'
import { statement } from '../../db/client.ts'
import { gathered, made, nothing, type Reading } from '../../db/reading.ts'
import { productOptionProblems } from './options/problems.ts'
import { productProblems } from './problems.ts'
import type { product } from './schema.ts'
import { optionValueProblems } from './values/problems.ts'
import { variantProblems } from './variants/problems.ts'

type Named = Pick<Written<typeof product>, 'status' | 'handle' | 'externalId'>

export type Conflict = {
  kind: 'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId'
  value: string
}

/** Names that another live product or variant has: the ones to be written, and on a restore all of the product's own. */
export function conflictsReading(id: string, body: Named): Reading<readonly Conflict[]> {
  const { handle = null, externalId = null, status } = body
  const restores = status !== undefined && status !== 'ARCHIVED'
  if (handle === null && externalId === null && !restores) return made(nothing, () => [])
  const conflicts = statement<Conflict>(sql`
    select kind, value from product_names_conflicting(${id}::uuid, ${handle}::text, ${externalId}::text, ${restores}::boolean)`)
  return made(gathered({ conflicts }), (read) => read.conflicts)
}

const conflictOf: Readonly<Record<Conflict['kind'], (value: string) => Violation>> = {
  handle: (handle) => productProblems.handle_taken.at('handle', { handle }),
  externalId: (externalId) => productProblems.external_id_taken.at('externalId', { externalId }),
  sku: (sku) => variantProblems.sku_taken.at('variants', { sku }),
  variantExternalId: (externalId) => variantProblems.external_id_taken.at('variants', { externalId }),
  optionExternalId: (externalId) => productOptionProblems.external_id_taken.at('options', { externalId }),
  valueExternalId: (externalId) => optionValueProblems.external_id_taken.at('options', { externalId }),
}

/** Refuses a change that asks for names that others have. */
export function refuseConflicts(conflicts: readonly Conflict[]): void {
  refuse(conflicts.map(({ kind, value }) => conflictOf[kind](value)))
}

/** A name that was taken, or a category that went, between the two trips is found, and named, by reading again. */
export const refusals = {
  products_handle: 'again',
  products_external_id: 'again',
  variants_sku: 'again',
  variants_external_id: 'again',
  product_options_external_id: 'again',
  option_values_external_id: 'again',
  sale_offers_external_id: 'again',
  product_categories_category: 'again',
} as const
