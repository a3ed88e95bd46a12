/** Upserts: a PATCH by an external id of the caller creates the resource, changes it, or writes nothing if it is equal. */

import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import { isLive } from '../../core/name-holders.ts'
import type { Answer, Context, Effect } from '../../core/operation.ts'
import { mapPlan, type Plan, type WriteOutcome } from '../../core/plan.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { type DatabaseQuery, mapQuery, noQuery } from '../../db/query.ts'

/** Reads what a write depends on, and returns a function that plans it, for the number of the try. */
export type PlanQuery<Planned> = DatabaseQuery<(attempt: number) => Planned>

/** Prepares a write with one read. `notFound` is thrown if it plans nothing. */
export function prepared<Planned>(plan: PlanQuery<Planned | null>, notFound?: () => Error) {
  return async (read: Session['read'], attempt: number): Promise<Planned> => {
    const planned = (await read({ plan })).plan(attempt)
    if (planned === null) throw notFound?.() ?? new Error('A write was not planned')
    return planned
  }
}

/** Selects the id of the row with an external id: of the live one, otherwise of the archived one that was created last. */
export function idByExternalId(table: AnyPgTable, externalId: unknown): SQL {
  const live = isLive(getTableName(table))
  const named = sql`select id from ${table} where tenant_id = current_tenant() and external_id = ${String(externalId)}::text`
  return sql`coalesce((${named} and ${live}), (${named} and not (${live}) order by created_at desc, id desc limit 1))`
}

/** A body that restores an archived row, unless the caller sends a status. */
export function restoring<Body extends { readonly status?: unknown }>(body: Body, status: string) {
  return status === 'ARCHIVED' && body.status === undefined ? { ...body, status: 'ACTIVE' as const } : body
}

type Upserted<Result> = { readonly effect: Effect; readonly result: Result }

/**
 * Changes a resource, or creates it if `change` finds none. Both read in one round trip. If a concurrent request creates the
 * resource first, the unique index of its external id rejects this creation, and the next try finds the resource.
 */
export async function upsert<Result, ReadBack = unknown>(
  context: Context,
  operation: string,
  change: PlanQuery<Plan<Result, ReadBack> | null>,
  create: () => PlanQuery<Plan<Result, ReadBack>>,
): Promise<WriteOutcome<Result, ReadBack> & Upserted<Result>> {
  const queries = { change, create: queryOrProblem(create) }
  const outcome = await write<Upserted<Result>, ReadBack>(context, operation, async (read, attempt) => {
    const plans = await read(queries)
    const changePlan = plans.change(attempt)
    if (changePlan) return withEffect(changePlan, 'changed')
    requireIfMatch(context, 0)
    return withEffect(plans.create(attempt), 'created')
  })
  return { ...outcome, ...outcome.result }
}

/** The query of a creation. An invalid body is a problem only if the resource does not exist. */
function queryOrProblem<Planned>(create: () => PlanQuery<Planned>): PlanQuery<Planned> {
  try {
    return create()
  } catch (error) {
    return mapQuery(noQuery, () => () => {
      throw error
    })
  }
}

function withEffect<Result, ReadBack>(
  plan: Plan<Result, ReadBack>,
  effect: Effect,
): Plan<Upserted<Result>, ReadBack> {
  return mapPlan(plan, (result) => ({ effect: 'unchanged' in plan ? 'none' : effect, result }))
}

/** The response of an upsert, with the address of a created resource. */
export function upsertedAnswer(
  answer: Answer & { readonly kind: 'item' },
  { effect }: { readonly effect: Effect },
  location: string,
): Answer {
  return { ...answer, effect, ...(effect === 'created' && { location }) }
}
