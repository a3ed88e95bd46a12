import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import { isLive } from '../../core/name-holders.ts'
import {
  type Answer,
  type Context,
  type DeclaredOperation,
  type Effect,
  type Operation,
  operation,
  type Query,
} from '../../core/operation.ts'
import { mapPlan, type Plan, type StampedRow, type WriteOutcome, withStamps } from '../../core/plan.ts'
import type { Shape } from '../../core/schema.ts'
import type { Scope } from '../../core/scopes.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, type Statement } from '../../db/query.ts'
import { constant, withSequence } from '../../db/sql.ts'

/** The values that the list, create, get, patch and delete operations of a resource share. */
type Routes<List extends string, Item extends string, ResourceShape extends Shape> = {
  readonly shape: ResourceShape
  readonly notFound: Operation['notFound']
  /** The path of the list, which also creates. */
  readonly list: List
  /** The path of one resource. */
  readonly item: Item
  readonly readScope: Scope
  readonly writeScope: Scope
  /** False if a read also depends on the time. By default a read may be cached until the tenant's clock moves. */
  readonly isCacheable?: boolean
}

type Derived = 'shape' | 'notFound' | 'method' | 'path' | 'scope' | 'answers' | 'isCacheable'

/**
 * Returns functions that declare the list, create, get, patch and delete operations of a resource.
 * They add the method, path, scopes, shape and response kind.
 */
export function operationsOf<
  const List extends string,
  const Item extends string,
  ResourceShape extends Shape,
>(routes: Routes<List, Item, ResourceShape>) {
  const { list, item, readScope, writeScope, isCacheable = true, ...common } = routes
  const read = {
    ...common,
    method: 'GET',
    scope: readScope,
    ...(isCacheable ? { isCacheable } : {}),
  } as const
  const written = { ...common, scope: writeScope } as const
  return {
    listOperation: <Parameters extends Query>(
      fields: Omit<DeclaredOperation<List, Parameters, ResourceShape, undefined>, Derived | 'body'>,
    ) => operation({ ...read, path: list, answers: 'collection', ...fields }),
    getOperation: <Parameters extends Query>(
      fields: Omit<DeclaredOperation<Item, Parameters, ResourceShape, undefined>, Derived | 'body'>,
    ) => operation({ ...read, path: item, answers: 'item', ...fields }),
    createOperation: <Parameters extends Query, Body extends Operation['body']>(
      fields: Omit<DeclaredOperation<List, Parameters, ResourceShape, Body>, Derived>,
    ) => operation({ ...written, method: 'POST', path: list, answers: 'item', ...fields }),
    patchOperation: <Parameters extends Query, Body extends Operation['body']>(
      fields: Omit<DeclaredOperation<Item, Parameters, ResourceShape, Body>, Derived>,
    ) => operation({ ...written, method: 'PATCH', path: item, answers: 'item', ...fields }),
    /** Changes up to 250 resources of the list in one commit. */
    batchOperation: (fields: Pick<Operation, 'name' | 'summary' | 'emits'> & { readonly query?: Query }) =>
      operation({
        ...written,
        method: 'PATCH',
        path: list,
        answers: 'collection',
        description: batchDescription,
        body: { mode: 'patch', bulk: 250, isBatch: true },
        ...fields,
        run() {
          throw new Error('src/http/batch.ts performs batches.')
        },
      }),
    /** The upsert by an external id. */
    upsertOperation: <Parameters extends Query, Body extends Operation['body'] = undefined>(
      fields: Omit<
        DeclaredOperation<`${List}/by-external-id/{externalId}`, Parameters, ResourceShape, Body>,
        Derived
      >,
    ) =>
      operation({
        ...written,
        method: 'PATCH',
        path: `${list}/by-external-id/{externalId}`,
        params: { externalId: z.string() },
        answers: 'item',
        isUpsert: true,
        ...fields,
      }),
    deleteOperation: (
      fields: Omit<DeclaredOperation<Item, Query, ResourceShape, undefined>, Derived | 'body' | 'query'>,
    ) => operation({ ...written, method: 'DELETE', path: item, answers: 'empty', ...fields }),
  }
}

const batchDescription =
  'Each element is a merge patch that names its resource in `@id`, and optionally the `version` that it must still have. ' +
  'All are changed in one commit, or none is; the problem then has the member `failures` with each rejected element. ' +
  'If the response would exceed 10 MB, its members have only `@id`, `@type`, `id` and `version`. Resources that are too large for one commit are 413. ' +
  'The `Idempotency-Key` counts for the whole array.'

/** The description of each upsert, which creates the resource with an external id, changes it, or writes nothing if it is equal. */
export const upsertDescription =
  'A merge patch. If no resource has the `externalId` of the path, the request creates it (201), and the body needs the properties that a creation requires. An equal resource is not written: no version, no event, `Service-Changed: false`. `If-None-Match: *` only creates, `If-Match: *` only changes. Encode a slash of the id as `%2F`.'

/** Reads the row of one resource and returns its document. Throws `notFound` if it does not exist. */
export async function readItem<Row extends { readonly version: number }>(
  { db }: Context,
  query: Statement<Row>,
  document: (row: Row) => Value,
  notFound: () => Error,
): Promise<Answer> {
  const { result } = await db.read({ result: withSequence(query) })
  const [row] = result.rows
  if (!row) throw notFound()
  return { kind: 'item', document: document(row), version: row.version, sequence: result.sequence }
}

/** Builds the response of a write of one resource. */
export function writtenItem<Row extends StampedRow>(
  { result, stamps, replayed }: WriteOutcome<Row>,
  document: (row: Row) => Value,
): Answer & { kind: 'item' } {
  const row = withStamps(result, stamps)
  return { kind: 'item', document: document(row), version: row.version, replayed }
}

/** Builds the response of a creation: one resource, or a collection if the request contained an array. */
export function createdAnswer<Row extends { readonly id: string; readonly version: number }>(
  rows: readonly Row[],
  { bulk, replayed }: { readonly bulk: boolean; readonly replayed: boolean },
  document: (row: Row) => Value,
  iri: (row: Row) => string,
): Answer {
  const [first] = rows
  if (bulk || !first) {
    const members = rows.map(document)
    return { kind: 'collection', members, total: members.length, replayed }
  }
  return { kind: 'item', document: document(first), version: first.version, location: iri(first), replayed }
}

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
  return constant(
    sql`coalesce((${named} and ${live}), (${named} and not (${live}) order by created_at desc, id desc limit 1))`,
  )
}

/** A body that restores an archived row, unless the caller sends a status. */
export function restoring<Body extends { readonly status?: unknown }>(body: Body, status: string) {
  return status === 'ARCHIVED' && body.status === undefined ? { ...body, status: 'ACTIVE' as const } : body
}

type Upserted<Result> = { readonly effect: Effect; readonly result: Result }

/** The plans of an upsert: a change, or a creation if the change finds no resource. */
export type UpsertPlans<Result, ReadBack = unknown> = {
  readonly change: (attempt: number) => Plan<Result, ReadBack> | null
  readonly create: (attempt: number) => Plan<Result, ReadBack>
}

/** Reads for a change and for a creation. An invalid body is a problem only if the resource does not exist. */
export function changeOrCreate<Result, ReadBack>(
  change: PlanQuery<Plan<Result, ReadBack> | null>,
  create: () => PlanQuery<Plan<Result, ReadBack>>,
): DatabaseQuery<UpsertPlans<Result, ReadBack>> {
  return combineQueries({ change, create: queryOrProblem(create) })
}

/**
 * Changes a resource, or creates it if the change finds none. Both read in one round trip. If a concurrent request creates the
 * resource first, the unique index of its external id rejects this creation, and the next try finds the resource.
 */
export async function upsert<Result, ReadBack = unknown>(
  context: Context,
  operation: string,
  query: DatabaseQuery<UpsertPlans<Result, ReadBack>>,
): Promise<WriteOutcome<Result, ReadBack> & Upserted<Result>> {
  const outcome = await write<Upserted<Result>, ReadBack>(context, operation, async (read, attempt) => {
    const { plans } = await read({ plans: query })
    const changePlan = plans.change(attempt)
    if (changePlan) return withEffect(changePlan, 'changed')
    requireIfMatch(context, 0)
    return withEffect(plans.create(attempt), 'created')
  })
  return { ...outcome, ...outcome.result }
}

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
