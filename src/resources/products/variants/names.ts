import { sql } from 'drizzle-orm'
import type { Violation } from '../../../core/problem.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { texts } from '../../../db/rows.ts'
import { variantProblems } from './problems.ts'

/** What is written of a variant's names. */
type Named = { readonly sku?: string | null; readonly externalId?: string | null }

/** A name that another live variant has. */
export type Taken = { kind: 'sku' | 'externalId'; value: string }

/** Finds out which of the names in bodies live variants have. */
export function takenStatement(bodies: readonly Named[], except: string | null): Statement<Taken> {
  const named = (property: keyof Named) => texts(bodies.flatMap((each) => each[property] ?? []))
  return statement(
    sql`select kind, value from variant_names_taken(${named('sku')}, ${named('externalId')}, ${except}::uuid)`,
  )
}

/** The conflicts of rows with names that others have, and with one another. */
export function takenViolations(
  taken: readonly Taken[],
  rows: readonly { sku: string | null; externalId: string | null }[],
  at: (index: number, path: string) => string,
): Violation[] {
  const skus = new Set(taken.flatMap((each) => (each.kind === 'sku' ? [each.value] : [])))
  const externalIds = new Set(taken.flatMap((each) => (each.kind === 'externalId' ? [each.value] : [])))
  return rows.flatMap(({ sku, externalId }, index) => {
    const found: Violation[] = []
    if (sku !== null && skus.has(sku)) found.push(variantProblems.sku_taken.at(at(index, 'sku'), { sku }))
    if (externalId !== null && externalIds.has(externalId)) {
      found.push(variantProblems.external_id_taken.at(at(index, 'externalId'), { externalId }))
    }
    // The rows of one request must differ among themselves too.
    if (sku !== null) skus.add(sku)
    if (externalId !== null) externalIds.add(externalId)
    return found
  })
}
