import { sql } from 'drizzle-orm'
import type { Locales } from '../../core/locale.ts'
import type { Writer } from '../../core/plan.ts'
import { Problem } from '../../core/problem.ts'
import { stateOf } from '../../core/state.ts'
import { write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { statement } from '../../db/query.ts'
import { uuidArray } from '../../db/write-steps.ts'
import { outlinesQueryFor } from './read.ts'
import { product as shape } from './schema.ts'
import { indexStatements } from './search.ts'

/** Indexing all products of a tenant for a locale that it has declared since they were written, a few of them at a time. */

/** Products of one step, and the bytes that they are stored in: a statement ends after five seconds. */
const productsAtOnce = 50
const bytesAtOnce = 1_000_000

/** The next products to be indexed, by their ids, after one and changed since a moment; none where that was the last. */
export async function productsToIndex(
  db: Session,
  { after, since }: { readonly after: string; readonly since: string },
): Promise<string[]> {
  const { found } = await db.read({
    found: statement<{ id: string; before: number }>(sql`
      select id, coalesce(sum(bytes) over (order by id rows between unbounded preceding and 1 preceding), 0)::float8 as before from (
        select id, octet_length(document) + octet_length(translations::text) as bytes from products
         where tenant_id = current_tenant() and id > ${after}::uuid and updated_at >= ${since}::timestamptz order by id limit ${productsAtOnce}
      ) as next order by id`),
  })
  return found.filter(({ before }) => before < bytesAtOnce).map(({ id }) => id)
}

/** Indexes products for a locale, as they are when the index is written. @throws StorageUnavailable, Problem 409 where they never rest */
export async function indexProducts(
  writer: Writer,
  tenant: Locales,
  locale: string,
  ids: readonly string[],
): Promise<void> {
  try {
    await indexAtOnce(writer, tenant, locale, ids)
  } catch (error) {
    const isRaced = error instanceof Problem && error.kind.status === 409
    if (!isRaced || ids.length === 1) throw error
    // Among many there is always one that somebody writes; each by itself has its turn.
    for (const id of ids) await indexAtOnce(writer, tenant, locale, [id])
  }
}

async function indexAtOnce(writer: Writer, tenant: Locales, locale: string, ids: readonly string[]) {
  await write<null>(writer, 'indexProducts', async (read) => {
    const { products } = await read({ products: outlinesQueryFor(sql`select unnest(${uuidArray(ids)})`) })
    const states = products.map((each) => ({ id: each.id, state: stateOf(shape, each) }))
    return {
      guard: products.map(({ id, version }) => ({ kind: 'products', id, version })),
      statements: indexStatements(states, tenant, [locale]),
      changed: [],
      totals: {},
      result: null,
      constraintProblems: {},
    }
  })
}
