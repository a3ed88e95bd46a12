import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { byteLimits } from '../../core/limits.ts'
import type { Context } from '../../core/operation.ts'
import type { LockedRow, Writer } from '../../core/plan.ts'
import { Problem } from '../../core/problem.ts'
import { actorColumn, storedActor, traceOf } from '../../core/trace.ts'
import { problemOfViolation } from '../../core/violations.ts'
import { write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { columnsOf, statement } from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { idColumn, uuidArray } from '../../db/sql.ts'
import { run, type WriteStep } from '../../db/write-steps.ts'
import type { ProductBase } from '../products/document.ts'
import { baseProductsQuery } from '../products/read.ts'
import { bumpEvenIfArchived } from '../products/row.ts'
import { collectionsChangeSteps, collectionsChangeTotals, rulesChangeGuard } from './membership.ts'
import { collectionProblems } from './problems.ts'
import { countOf } from './read.ts'
import { matches, type Rules, rulesSchema, type Subject } from './rules.ts'
import { collectionIri } from './schema.ts'

/**
 * Matches all products of a tenant against changed rules, or removes them from a deleted collection.
 * A rebuild is a row. Each step is one read and one write that also stores the progress. A step may be lost, run twice
 * or lose a race. A job of each minute resumes unfinished rebuilds.
 */

/** The time for which a rebuild is reserved to one worker. */
const lease = sql`interval '30 seconds'`

const firstId = '00000000-0000-0000-0000-000000000000'

/** The actor and request that the events of changed products name. */
type Requester = Pick<Writer, 'actor' | 'apiVersion' | 'requestId' | 'trace'>

/** Starts a rebuild of a collection in the name of the requester, reserved to this worker. */
export function rebuildStep(requester: Requester, id: string): WriteStep {
  return openStep(requester, [id], firstId, sql`now() + ${lease}`)
}

/** Schedules a rebuild of some collections from product `from` on. The job of the next minute runs it. */
export function recheckStep(requester: Requester, ids: readonly string[], from: string): WriteStep {
  return openStep(requester, ids, from, sql`now()`)
}

function openStep(requester: Requester, ids: readonly string[], from: string, leasedUntil: SQL): WriteStep {
  return run(sql`
    insert into collection_rebuilds as r (tenant_id, id, version, next_id, leased_until, actor, api_version, request_id)
    select current_tenant(), id, 1, ${from}::uuid, ${leasedUntil}, ${JSON.stringify(storedActor(requester))}::jsonb,
           ${requester.apiVersion}, ${requester.requestId}
      from unnest(${uuidArray(ids)}) as id order by id
    on conflict (tenant_id, id) do update set version = r.version + 1, next_id = least(r.next_id, excluded.next_id),
      leased_until = greatest(r.leased_until, excluded.leased_until), actor = excluded.actor,
      api_version = excluded.api_version, request_id = excluded.request_id`)
}

/** Gives the rules of a tenant another version. */
export const newRulesVersion: WriteStep = run(sql`
  insert into collection_rules as r (tenant_id, version) values (current_tenant(), 1)
  on conflict (tenant_id) do update set version = r.version + 1`)

/** The guards and steps of a write that changes the rules of a collection. */
export function ruleChange(
  context: Context,
  id: string,
): { guard: readonly LockedRow[]; steps: readonly WriteStep[] } {
  return {
    guard: [rulesChangeGuard],
    steps: [newRulesVersion, rebuildStep(context, id)],
  }
}

const limit = 'collection.rules_limit'

/** Aborts the batch if the rules of a tenant exceed the limits. Every product write evaluates all of them. */
export const requireRulesWithinLimits: WriteStep = run(sql`
  select reject('PC409', ${limit}) from collections where tenant_id = current_tenant() and rules is not null
  having count(*) > ${byteLimits.rules.collections} or sum(octet_length(rules::text)) > ${byteLimits.rules.bytes}`)

/** The problem for that limit. */
export const ruleProblems: Readonly<Record<string, Error>> = {
  [limit]: problemOfViolation(collectionProblems.rules_limit.at('rules', byteLimits.rules)),
}

/** Stores that products before `next` are done; null deletes the finished rebuild. */
function advanceStep(id: string, next: string | null): WriteStep {
  const isThisRebuild = sql`tenant_id = current_tenant() and id = ${id}::uuid`
  if (next === null) return run(sql`delete from collection_rebuilds where ${isThisRebuild}`)
  return run(sql`update collection_rebuilds set version = version + 1, next_id = ${next}::uuid,
    leased_until = now() + ${lease} where ${isThisRebuild}`)
}

function deleteTotal(id: string): WriteStep {
  return run(sql`delete from tenant_totals where tenant_id = current_tenant() and name = ${countOf(id)}`)
}

/** Rebuilds of a tenant whose lease has expired. */
const dueStatement = statement(
  sql`
  select id, actor, api_version as "apiVersion", request_id as "requestId" from collection_rebuilds
   where tenant_id = current_tenant() and leased_until < now() order by leased_until limit 100`,
  { id: z.string(), actor: actorColumn, apiVersion: z.string(), requestId: z.string() },
)

/**
 * Maximum products per step. A few hundred events hold the tenant's clock for tens of milliseconds. A step with too many bytes for one
 * read, one write or the time limit of a statement is repeated with half of them.
 */
const productsPerStep = 200
/** Time limit after a response in milliseconds. The job continues with the rest. */
const afterResponseMs = 20_000

/** Rebuilds a collection after the response to `context` has been sent. */
export function rebuildNow(
  { actor, apiVersion, requestId, trace, runAfterResponse }: Context,
  id: string,
): void {
  runAfterResponse((db) => {
    const end = Date.now() + afterResponseMs
    const writer = { db, actor, apiVersion, requestId, trace, idempotency: null, ifMatch: null }
    return rebuild(writer, id, () => Date.now() < end)
  })
}

/**
 * Resumes the unfinished rebuilds of a session's tenant while it has time. Returns whether any remains. @throws the first failure, after the other rebuilds
 */
export async function continueRebuilds(db: Session, hasTime: () => boolean): Promise<boolean> {
  const { due } = await db.read({ due: dueStatement })
  const failures: unknown[] = []
  for (const { id, ...requester } of due) {
    const writer = { ...requester, trace: traceOf(requester), db, idempotency: null, ifMatch: null }
    await rebuild(writer, id, hasTime).catch((error) => failures.push(error))
    if (!hasTime()) break
  }
  if (failures.length > 0) throw failures[0]
  return due.length > 0 && !hasTime()
}

async function rebuild(writer: Writer, id: string, hasTime: () => boolean): Promise<void> {
  let version: number | null = null
  let amount = productsPerStep
  while (hasTime()) {
    try {
      version = await step(writer, id, version, amount)
      if (version === null) return
    } catch (error) {
      if (amount === 1 || !isTooMuch(error)) throw error
      amount = Math.ceil(amount / 2)
    }
  }
  if (version !== null) await writer.db.write({ released: releaseStatement(id, version) })
}

const tooMuch = ['server.answer_too_large', 'http.batch_too_large', 'server.timeout']

function isTooMuch(error: unknown): boolean {
  return error instanceof Problem && tooMuch.includes(error.kind.slug)
}

/** Ends the lease of this worker, so that the next one does not wait. */
function releaseStatement(id: string, version: number) {
  return statement(sql`update collection_rebuilds set leased_until = now()
    where tenant_id = current_tenant() and id = ${id}::uuid and version = ${version}`)
}

/**
 * Processes the next products, up to `amount` of them.
 * `expected` is the version after this worker's previous step, null at its first one. Returns the new version, or null
 * if the rebuild is finished or another worker has continued it.
 */
async function step(
  writer: Writer,
  id: string,
  expected: number | null,
  amount: number,
): Promise<number | null> {
  let version = expected
  const byId = sql`where tenant_id = current_tenant() and id = ${id}::uuid`
  const from = sql`(select next_id from collection_rebuilds ${byId})`
  // A deleted collection needs only its members, not all products.
  const page = (limit: number) => sql`select page.id from (
    (select p.id from products p where p.tenant_id = current_tenant() and p.id >= ${from} and p.status <> 'ARCHIVED'
        and exists (select from collections ${byId}) order by p.id limit ${limit})
    union all
    (select m.product_id from product_collections m where m.tenant_id = current_tenant() and m.collection_id = ${id}::uuid
        and m.product_id >= ${from} and not exists (select from collections ${byId}) order by m.product_id limit ${limit})
  ) as page(id)`
  const { result } = await write<number | null>(writer, 'rebuildCollection', async (read) => {
    const {
      open: [rebuildRow],
      collections: [collection],
      ids,
      products,
    } = await read({
      open: statement(sql`select version from collection_rebuilds ${byId}`, { version: z.number() }),
      collections: statement(sql`select rules from collections ${byId}`, { rules: rulesSchema.nullable() }),
      ids: statement(sql`${page(amount + 1)} order by page.id`, idColumn),
      products: baseProductsQuery(page(amount)),
    })
    if (!rebuildRow || (version ?? rebuildRow.version) !== rebuildRow.version) return { unchanged: null }
    version = rebuildRow.version
    const rules = collection?.rules ?? null
    const next = ids[amount]?.id ?? null
    const membershipChanges = products.flatMap((product) => membershipChange(id, rules, product))
    const productChanges = membershipChanges.map(({ product, before, after }) =>
      bumpEvenIfArchived({ ...product, collections: after }, [
        { path: 'collections', before: before.map(collectionIri), after: after.map(collectionIri) },
      ]),
    )
    const isTotalObsolete = rules === null && next === null
    return {
      guard: [{ kind: 'collection_rebuilds', id, version }, ...productChanges.map((change) => change.guard)],
      beforeClock: [
        ...collectionsChangeSteps(membershipChanges),
        advanceStep(id, next),
        ...(isTotalObsolete ? [deleteTotal(id)] : []),
      ],
      changed: productChanges.map((change) => change.changed),
      totals: collectionsChangeTotals(membershipChanges),
      result: next === null ? null : version + 1,
    }
  })
  return result
}

/** The change of a product that enters or leaves a collection. `rules` is null if the collection has been deleted. */
function membershipChange(id: string, rules: Rules | null, product: ProductBase) {
  const rest = product.collections.filter((collectionId) => collectionId !== id)
  const wasMember = rules === null || rest.length < product.collections.length
  const isMember = rules !== null && matches(rules, storedSubject(product))
  if (wasMember === isMember) return []
  const collectionsWith = (isIn: boolean) => (isIn ? [...rest, id].toSorted() : rest)
  const [before, after] = [collectionsWith(wasMember), collectionsWith(isMember)]
  const isShown = rules !== null
  return [{ product, productId: product.id, before, after, shownBefore: isShown, shownAfter: isShown }]
}

/** The properties of a stored document that rules compare. */
const describedProduct = z.object({
  title: z.string(),
  ...columnsOf(z.string().nullable(), 'vendor', 'productType'),
  ...columnsOf(z.array(z.string()), 'tags', 'channels'),
})

function storedSubject({ document, status, createdAt, categories }: ProductBase): Subject {
  const { title, vendor, productType, tags, channels } = parseStored(describedProduct, document)
  const categoryIds = categories.map((category) => category.id)
  return { status, title, vendor, productType, tags, channels, categoryIds, createdAt }
}
