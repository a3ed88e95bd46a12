/**
 * Sorting all products of a tenant into a collection whose rules changed, or out of one that is gone: in steps, each a read
 * and a guarded batch that also notes how far it came. A step may be lost, raced or run twice; the minute's
 * round resumes an unfinished rebuild.
 */
import { sql } from 'drizzle-orm'
import { parsed } from '../../../core/json.ts'
import type { Context } from '../../../core/operation.ts'
import { traceOf } from '../../../core/trace.ts'
import { type Plan, type Writer, write } from '../../../core/write.ts'
import { type Database, type Session, statement } from '../../../db/client.ts'
import { tenantsRebuilding } from '../../../db/tenants.ts'
import { bumped, outlinesReading, type ProductOutline } from '../index.ts'
import type { Rules } from './conditions.ts'
import { collectionIri } from './iri.ts'
import { advanceStatement, dueStatement } from './rebuilds.ts'
import { matches, type Subject } from './rules.ts'
import { sortingStatements, sortingTotals } from './sorting.ts'
import { countOf } from './store.ts'

/** Products of one step: some hundreds of events hold the tenant's clock for some tens of milliseconds. */
const productsAtOnce = 200
/** Milliseconds after which the rest is left to the next who finds it: after an answer, and in a minute's round. */
const afterAnswer = 20_000
const aRound = 50_000
const tenantsAtOnce = 100

/** Sorts the products of a collection anew when the answer to `context` is sent. */
export function rebuildNow({ actor, apiVersion, requestId, trace, later }: Context, id: string): void {
  later((db) =>
    rebuild({ db, actor, apiVersion, requestId, trace, idempotency: null }, id, Date.now() + afterAnswer),
  )
}

/** Resumes the unfinished rebuilds of every tenant, and gives the number of collections. @throws StorageUnavailable */
export async function continueRebuilds(database: Database): Promise<number> {
  const until = Date.now() + aRound
  const { tenants } = await database.open(null).read({ tenants: tenantsRebuilding(tenantsAtOnce) })
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
    const found = await readStep(read, id)
    if (!found || (version ?? found.version) !== found.version) return { unchanged: null }
    version = found.version
    return planOf(id, found)
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
  const own = sql`where tenant_id = current_tenant() and id = ${id}::uuid`
  const from = sql`(select next_id from collection_rebuilds ${own})`
  // A collection that is gone has no more than its members to tell.
  const page = (limit: number) => sql`select page.id from (
    (select p.id from products p where p.tenant_id = current_tenant() and p.id >= ${from} and p.status <> 'ARCHIVED'
        and exists (select from collections ${own}) order by p.id limit ${limit})
    union all
    (select m.product_id from product_collections m where m.tenant_id = current_tenant() and m.collection_id = ${id}::uuid
        and m.product_id >= ${from} and not exists (select from collections ${own}) order by m.product_id limit ${limit})
  ) as page(id)`
  const {
    open: [open],
    collections: [collection],
    ids,
    products,
  } = await read({
    open: statement<{ version: number }>(sql`select version from collection_rebuilds ${own}`),
    collections: statement<{ rules: Rules | null }>(sql`select rules from collections ${own}`),
    ids: statement<{ id: string }>(sql`${page(productsAtOnce + 1)} order by page.id`),
    products: outlinesReading(page(productsAtOnce)),
  })
  if (!open) return null
  return {
    version: open.version,
    rules: collection?.rules ?? null,
    products,
    next: ids[productsAtOnce]?.id ?? null,
  }
}

function planOf(id: string, { version, rules, products, next }: Step): Plan<number | null> {
  const sortings = products.flatMap((product) => {
    const others = product.collections.filter((each) => each !== id)
    const was = rules === null || others.length < product.collections.length
    const is = rules !== null && matches(rules, subjectOf(product))
    const inAll = (member: boolean) => (member ? [...others, id].toSorted() : others)
    const shown = { shownBefore: rules !== null, shownAfter: rules !== null }
    if (was === is) return []
    return [{ product, productId: product.id, before: inAll(was), after: inAll(is), ...shown }]
  })
  const touched = sortings.map(({ product, before, after }) =>
    bumped({ ...product, collections: after }, [
      { path: 'collections', before: before.map(collectionIri), after: after.map(collectionIri) },
    ]),
  )
  const countIsLeft = rules === null && next === null
  return {
    guard: [{ kind: 'collection_rebuilds', id, version }, ...touched.map((each) => each.guard)],
    statements: [
      ...sortingStatements(sortings),
      advanceStatement(id, next),
      ...(countIsLeft
        ? [
            statement(
              sql`delete from tenant_totals where tenant_id = current_tenant() and name = ${countOf(id)}`,
            ),
          ]
        : []),
    ],
    changed: touched.map((each) => each.changed),
    totals: sortingTotals(sortings),
    result: next === null ? null : version + 1,
    refusals: {},
  }
}

/** What a stored document tells rules. */
type Described = Pick<Subject, 'title' | 'vendor' | 'productType' | 'tags' | 'channels'>

/** A stored product as rules see it. */
function subjectOf({ document, status, createdAt, categories }: ProductOutline): Subject {
  const { title, vendor, productType, tags, channels } = parsed<Described>(document)
  const categoryIds = categories.map((each) => each.id)
  return { status, title, vendor, productType, tags, channels, categoryIds, createdAt }
}
