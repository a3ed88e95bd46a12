import { type SQL, sql } from 'drizzle-orm'
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
  // A variant that is restored claims again what it had.
  const wanted = (property: keyof Named, column: SQL) =>
    sql`any(${named(property)} || array(select ${column} from variants where tenant_id = current_tenant() and id = ${except}::uuid))`
  const live = sql`tenant_id = current_tenant() and status = 'ACTIVE' and not product_archived and id is distinct from ${except}::uuid`
  return statement(sql`select 'sku' as kind, sku as value from variants where ${live} and sku = ${wanted('sku', sql`sku`)}
    union all select 'externalId', external_id from variants where ${live} and external_id = ${wanted('externalId', sql`external_id`)}`)
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
