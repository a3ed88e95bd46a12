/** Adds products to the search index of a locale that the tenant has added, one step at a time. */

import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Locales } from '../../core/locale.ts'
import type { Writer } from '../../core/plan.ts'
import { Problem } from '../../core/problem.ts'
import { stateOf } from '../../core/state.ts'
import { write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { baseProductsQuery } from './read.ts'
import { product as shape } from './schema.ts'
import { indexSteps } from './search.ts'

/** The maximum number and stored bytes of the products of one step. They keep a statement below its timeout of five seconds. */
const productsPerStep = 50
const bytesPerStep = 1_000_000

/** The ids of the next products to index: those after an id that changed since a moment. Empty after the last one. */
export async function productsToIndex(
  db: Session,
  { after, since }: { readonly after: string; readonly since: string },
): Promise<string[]> {
  const { rows } = await db.read({
    rows: statement({ id: z.string(), before: z.number() })`
      select id, coalesce(sum(bytes) over (order by id rows between unbounded preceding and 1 preceding), 0)::float8 as before from (
        select id, octet_length(document) + octet_length(translations::text) as bytes from products
         where tenant_id = current_tenant() and id > ${after}::uuid and updated_at >= ${since}::timestamptz order by id limit ${productsPerStep}
      ) as next order by id`,
  })
  return rows.filter(({ before }) => before < bytesPerStep).map(({ id }) => id)
}

/** Indexes products for a locale. @throws StorageUnavailable; Problem 409 if concurrent writes change a product in every attempt */
export async function indexProducts(
  writer: Writer,
  tenant: Locales,
  locale: string,
  ids: readonly string[],
): Promise<void> {
  try {
    await indexTogether(writer, tenant, locale, ids)
  } catch (error) {
    const isConflict = error instanceof Problem && error.kind.status === 409
    if (!isConflict || ids.length === 1) throw error
    // With many products, concurrent writes can change one of them in every attempt. One product at a time succeeds.
    for (const id of ids) await indexTogether(writer, tenant, locale, [id])
  }
}

async function indexTogether(writer: Writer, tenant: Locales, locale: string, ids: readonly string[]) {
  await write<null>(writer, 'indexProducts', async (read) => {
    const { products } = await read({ products: baseProductsQuery(sql`select unnest(${uuidArray(ids)})`) })
    const states = products.map((product) => ({ id: product.id, state: stateOf(shape, product) }))
    return {
      guard: products.map(({ id, version }) => ({ kind: 'products', id, version })),
      beforeClock: indexSteps(states, tenant, [locale]),
      changed: [],
      totals: {},
      result: null,
    }
  })
}
