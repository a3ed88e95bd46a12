import { type SQL, sql } from 'drizzle-orm'
import { parsed } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Context } from '../../core/operation.ts'
import type { LockedRow, Plan, Writer } from '../../core/plan.ts'
import { type StoredActor, storedActor, traceOf } from '../../core/trace.ts'
import { write } from '../../core/write.ts'
import type { Database, Session } from '../../db/client.ts'
import { type Statement, statement } from '../../db/query.ts'
import { tenantsRebuilding } from '../../db/tenants.ts'
import { uuidArray } from '../../db/write-steps.ts'
import type { ProductOutline } from '../products/document.ts'
import { outlinesQueryFor } from '../products/read.ts'
import { bumped } from '../products/row.ts'
import { rulesChangeGuard, sortingStatements, sortingTotals } from './membership.ts'
import { collectionProblems } from './problems.ts'
import { countOf } from './read.ts'
import { matches, type Rules, type Subject } from './rules.ts'
import { collectionIri } from './schema.ts'

/** Collections whose products have still to be sorted anew: kept as rows, so that nothing that stops work on them loses any. */

/** For how long a rebuild is reserved to the worker that sorts. */
const lease = sql`interval '30 seconds'`

const firstId = '00000000-0000-0000-0000-000000000000'

/** In whose name products are sorted, as their events will tell. */
type Requester = Pick<Writer, 'actor' | 'apiVersion' | 'requestId' | 'trace'>

/** Has all products sorted anew into a collection, by the one who asks for it. */
export function rebuildStatement(requester: Requester, id: string): Statement {
  return openStatement(requester, [id], firstId, sql`now() + ${lease}`)
}

/** Has products from `from` on sorted anew into some collections, by the minute's round. */
export function resortStatement(requester: Requester, ids: readonly string[], from: string): Statement {
  return openStatement(requester, ids, from, sql`now()`)
}

function openStatement(
  requester: Requester,
  ids: readonly string[],
  from: string,
  leasedUntil: SQL,
): Statement {
  return statement(sql`
    insert into collection_rebuilds as r (tenant_id, id, version, next_id, leased_until, actor, api_version, request_id)
    select current_tenant(), id, 1, ${from}::uuid, ${leasedUntil}, ${JSON.stringify(storedActor(requester))}::jsonb,
           ${requester.apiVersion}, ${requester.requestId}
      from unnest(${uuidArray(ids)}) as id order by id
    on conflict (tenant_id, id) do update set version = r.version + 1, next_id = least(r.next_id, excluded.next_id),
      leased_until = greatest(r.leased_until, excluded.leased_until), actor = excluded.actor,
      api_version = excluded.api_version, request_id = excluded.request_id`)
}

/** What a write adds that changes the rules of a collection. */
export function ruleChange(
  context: Context,
  id: string,
): { guard: readonly LockedRow[]; statements: readonly Statement[] } {
  return {
    guard: [rulesChangeGuard],
    statements: [
      statement(sql`insert into collection_rules as r (tenant_id, version) values (current_tenant(), 1)
        on conflict (tenant_id) do update set version = r.version + 1`),
      rebuildStatement(context, id),
    ],
  }
}

const limit = 'collection.rules_limit'

/** Refuses the batch where a tenant's rules became more than every write of a product may have to look at. */
export const requireRulesWithinLimits: Statement = statement(sql`
  select reject('PC409', ${limit}) from collections where tenant_id = current_tenant() and rules is not null
  having count(*) > ${byteLimits.rules.collections} or sum(octet_length(rules::text)) > ${byteLimits.rules.bytes}`)

/** What that refusal means. */
export const ruleProblems: Readonly<Record<string, Error>> = {
  [limit]: collectionProblems.rules_limit(
    { collections: byteLimits.rules.collections, bytes: byteLimits.rules.bytes },
    {
      violations: [
        collectionProblems.rules_limit.at('rules', {
          collections: byteLimits.rules.collections,
          bytes: byteLimits.rules.bytes,
        }),
      ],
    },
  ),
}

/** Notes that products before `next` are sorted; null when all are. */
function advanceStatement(id: string, next: string | null): Statement {
  const isThisRebuild = sql`tenant_id = current_tenant() and id = ${id}::uuid`
  if (next === null) return statement(sql`delete from collection_rebuilds where ${isThisRebuild}`)
  return statement(sql`update collection_rebuilds set version = version + 1, next_id = ${next}::uuid,
    leased_until = now() + ${lease} where ${isThisRebuild}`)
}

type Rebuild = { readonly id: string } & Pick<Writer, 'apiVersion' | 'requestId'> & {
    readonly actor: StoredActor
  }

/** Rebuilds of a tenant whose lease has expired. */
const dueStatement: Statement<Rebuild> = statement(sql`
  select id, actor, api_version as "apiVersion", request_id as "requestId" from collection_rebuilds
   where tenant_id = current_tenant() and leased_until < now() order by leased_until limit 100`)

/**
 * Sorting all products of a tenant into a collection whose rules changed, or out of one that is gone: in steps, each a read
 * and a guarded batch that also notes how far it came. A step may be lost, raced or run twice; the minute's
 * round resumes an unfinished rebuild.
 */

/** Products of one step: some hundreds of events hold the tenant's clock for some tens of milliseconds. */
const productsPerStep = 200
/** Milliseconds after which the rest is left to the next who finds it: after an answer, and in a minute's round. */
const afterResponseMs = 20_000
const roundMs = 50_000
const tenantsPerRound = 100

/** Sorts the products of a collection anew when the answer to `context` is sent. */
export function rebuildNow({ actor, apiVersion, requestId, trace, later }: Context, id: string): void {
  later((db) =>
    rebuild({ db, actor, apiVersion, requestId, trace, idempotency: null }, id, Date.now() + afterResponseMs),
  )
}

/** Resumes the unfinished rebuilds of every tenant, and gives the number of collections. @throws StorageUnavailable */
export async function continueRebuilds(database: Database): Promise<number> {
  const until = Date.now() + roundMs
  const { tenants } = await database.open(null).read({ tenants: tenantsRebuilding(tenantsPerRound) })
  let count = 0
  for (const { id: tenantId } of tenants) {
    const db = database.open(tenantId)
    const { due } = await db.read({ due: dueStatement })
    for (const { id, ...by } of due) {
      await rebuild({ ...by, trace: traceOf(by), db, idempotency: null }, id, until)
      count += 1
    }
  }
  return count
}

async function rebuild(writer: Writer, id: string, until: number): Promise<void> {
  let version: number | null = null
  do version = await step(writer, id, version)
  while (version !== null && Date.now() < until)
}

/**
 * Sorts the next products. `expected` is the version at which this worker left the rebuild, null at its first step. Gives
 * the version at which it now leaves it; null when nothing is left, or another is at work on it.
 */
async function step(writer: Writer, id: string, expected: number | null): Promise<number | null> {
  let version = expected
  const { result } = await write<number | null>(writer, 'rebuildCollection', async (read) => {
    const batch = await readStep(read, id)
    if (!batch || (version ?? batch.version) !== batch.version) return { unchanged: null }
    version = batch.version
    return planOf(id, batch)
  })
  return result
}

type Step = {
  readonly version: number
  /** Null where the collection is gone. */
  readonly rules: Rules | null
  readonly products: readonly ProductOutline[]
  /** The first product of the next step; null when this is the last. */
  readonly next: string | null
}

async function readStep(read: Session['read'], id: string): Promise<Step | null> {
  const byId = sql`where tenant_id = current_tenant() and id = ${id}::uuid`
  const from = sql`(select next_id from collection_rebuilds ${byId})`
  // A collection that is gone has no more than its members to tell.
  const page = (limit: number) => sql`select page.id from (
    (select p.id from products p where p.tenant_id = current_tenant() and p.id >= ${from} and p.status <> 'ARCHIVED'
        and exists (select from collections ${byId}) order by p.id limit ${limit})
    union all
    (select m.product_id from product_collections m where m.tenant_id = current_tenant() and m.collection_id = ${id}::uuid
        and m.product_id >= ${from} and not exists (select from collections ${byId}) order by m.product_id limit ${limit})
  ) as page(id)`
  const {
    open: [open],
    collections: [collection],
    ids,
    products,
  } = await read({
    open: statement<{ version: number }>(sql`select version from collection_rebuilds ${byId}`),
    collections: statement<{ rules: Rules | null }>(sql`select rules from collections ${byId}`),
    ids: statement<{ id: string }>(sql`${page(productsPerStep + 1)} order by page.id`),
    products: outlinesQueryFor(page(productsPerStep)),
  })
  if (!open) return null
  return {
    version: open.version,
    rules: collection?.rules ?? null,
    products,
    next: ids[productsPerStep]?.id ?? null,
  }
}

function planOf(id: string, { version, rules, products, next }: Step): Plan<number | null> {
  const membershipChanges = products.flatMap((product) => {
    const rest = product.collections.filter((collectionId) => collectionId !== id)
    const wasMember = rules === null || rest.length < product.collections.length
    const isMember = rules !== null && matches(rules, subjectOf(product))
    const collectionsWith = (isIn: boolean) => (isIn ? [...rest, id].toSorted() : rest)
    const visibility = { shownBefore: rules !== null, shownAfter: rules !== null }
    if (wasMember === isMember) return []
    return [
      {
        product,
        productId: product.id,
        before: collectionsWith(wasMember),
        after: collectionsWith(isMember),
        ...visibility,
      },
    ]
  })
  const productChanges = membershipChanges.map(({ product, before, after }) =>
    bumped({ ...product, collections: after }, [
      { path: 'collections', before: before.map(collectionIri), after: after.map(collectionIri) },
    ]),
  )
  const isTotalObsolete = rules === null && next === null
  return {
    guard: [{ kind: 'collection_rebuilds', id, version }, ...productChanges.map((change) => change.guard)],
    statements: [
      ...sortingStatements(membershipChanges),
      advanceStatement(id, next),
      ...(isTotalObsolete
        ? [
            statement(
              sql`delete from tenant_totals where tenant_id = current_tenant() and name = ${countOf(id)}`,
            ),
          ]
        : []),
    ],
    changed: productChanges.map((change) => change.changed),
    totals: sortingTotals(membershipChanges),
    result: next === null ? null : version + 1,
    refusals: {},
  }
}

/** What a stored document tells rules. */
type DescribedProduct = Pick<Subject, 'title' | 'vendor' | 'productType' | 'tags' | 'channels'>

/** A stored product as rules see it. */
function subjectOf({ document, status, createdAt, categories }: ProductOutline): Subject {
  const { title, vendor, productType, tags, channels } = parsed<DescribedProduct>(document)
  const categoryIds = categories.map((category) => category.id)
  return { status, title, vendor, productType, tags, channels, categoryIds, createdAt }
}
