/** The variant that is offered: whether it takes offers, and how many it has. */
import { sql } from 'drizzle-orm'
import type { Violation } from '../../core/problem.ts'
import { type Statement, statement } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import { productProblems } from '../products/problems.ts'
import { variantProblems } from '../products/variants/problems.ts'
import { countColumn } from './names.ts'
import type { OfferKind } from './offering.ts'
import type { Target } from './store.ts'

/** Why a variant takes no further offers, at a path; nothing when it does. */
export function unofferable(target: Target, path: string): Violation[] {
  if (target.productArchived) return [productProblems.archived.at(path)]
  return target.status === 'ACTIVE' ? [] : [variantProblems.archived.at(path)]
}

/** What `demandOfferable` raises: a refusal that is met by reading again, which names what was archived. */
export const archivedMeanwhile = 'archived'

/** Refuses the batch when a variant, or its product, was archived after it was read. The variants are locked before. */
export function demandOfferable(variantIds: readonly string[]): Statement {
  return statement(sql`select reject('PC409', ${archivedMeanwhile}) from variants
    where tenant_id = current_tenant() and id = any(${uuids(variantIds)}) and (status <> 'ACTIVE' or product_archived) limit 1`)
}

/** Moves how many offers each variant has; beyond the limit a constraint refuses it. */
export function countStatements(kind: OfferKind, moves: ReadonlyMap<string, number>): Statement[] {
  const records = [...moves].filter(([, by]) => by !== 0).map(([id, by]) => ({ id, by }))
  if (records.length === 0) return []
  const count = countColumn(kind)
  return [
    statement(sql`update variants v set ${count} = v.${count} + m.by
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as m(id uuid, by int)
      where v.tenant_id = current_tenant() and v.id = m.id`),
  ]
}
