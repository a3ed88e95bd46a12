import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Context } from '../../core/operation.ts'
import type { Writer } from '../../core/plan.ts'
import { traceIn } from '../../core/trace.ts'
import { write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { statement } from '../../db/query.ts'
import { idColumn, uuidArray } from '../../db/sql.ts'
import { run } from '../../db/write-steps.ts'
import { currentVersion } from '../../versions/index.ts'
import { pricesQuery } from './price-index.ts'

/**
 * Computes the price index of a tenant again: after a change of its markets, and after offers were written without their prices. A
 * rebuild is a row. Each step is one read and one write that also stores the progress. A step may be lost, run twice or lose a race.
 */

/** The maximum number of variants of a step. */
const variantsPerStep = 200
/** Time limit after a response in milliseconds. The job of each minute continues with the rest. */
const afterResponseMs = 20_000

/** Computes the prices of a tenant again after the response to `context` has been sent. */
export function rebuildPricesNow({ runAfterResponse }: Context): void {
  const end = Date.now() + afterResponseMs
  runAfterResponse(async (db) => {
    await continuePrices(db, () => Date.now() < end)
  })
}

/** Continues a rebuild of the session's tenant while it has time, unless another worker does. Returns whether it is unfinished. */
export async function continuePrices(db: Session, hasTime: () => boolean): Promise<boolean> {
  const { due } = await db.read({
    due: statement(
      sql`select tenant_id as id from price_rebuilds where tenant_id = current_tenant() and leased_until <= now()`,
      idColumn,
    ),
  })
  if (due.length === 0) return false
  const requestId = crypto.randomUUID()
  const actor = { subject: 'operator', client: 'operator', person: false }
  const requester = { actor, apiVersion: currentVersion, requestId }
  const writer = { ...requester, trace: traceIn(null, requestId), db, idempotency: null, ifMatch: null }
  while (hasTime()) if (await step(writer)) return false
  await db.write({
    released: statement(
      sql`update price_rebuilds set leased_until = now() where tenant_id = current_tenant()`,
    ),
  })
  return true
}

const incompleteRow = { id: z.string(), version: z.number() }
/** Not before the id of any variant. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Computes the prices of the next variants, or ends the rebuild. Returns whether it is finished. */
async function step(writer: Writer): Promise<boolean> {
  const own = sql`from price_rebuilds where tenant_id = current_tenant()`
  const page = (limit: number) => sql`select distinct variant_id as id from sale_offers
    where tenant_id = current_tenant() and variant_id >= (select next_id ${own}) order by variant_id limit ${limit}`
  const now = new Date()
  const { result } = await write<boolean>(writer, 'rebuildPrices', async (read) => {
    const { open, ids, indexPrices, incomplete } = await read({
      open: statement(sql`select token ${own}`, { token: z.string() }),
      ids: statement(page(variantsPerStep + 1), idColumn),
      indexPrices: pricesQuery(page(variantsPerStep), now, true),
      incomplete: statement(incompleteRow)`select id, version from markets
        where tenant_id = current_tenant() and (prices_complete_at is null or (select is_full ${own}))`,
    })
    const [rebuild] = open
    if (!rebuild) return { unchanged: true }
    const isFinished = ids.length === 0
    const next = isFinished ? null : (ids[variantsPerStep]?.id ?? lastId)
    const completed = isFinished ? incomplete : []
    const prices = indexPrices([])
    return {
      // As a write of a market does, this locks the market before the rebuild.
      guard: completed.map(({ id, version }) => ({ kind: 'markets', id, version })),
      beforeClock: [
        ...prices.beforeClock,
        run(sql`select advance_price_rebuild(${rebuild.token}::uuid, ${next}::uuid)`),
        ...(completed.length > 0 ? completeSteps(completed.map(({ id }) => id)) : []),
      ],
      ...(prices.underClock.length > 0 && { underClock: prices.underClock }),
      changed: [],
      totals: {},
      result: isFinished,
    }
  })
  return result
}

/**
 * Stores the moment since which the index has all prices of markets. It is the moment to which the write then moves the tenant's clock,
 * after those of all earlier steps. Cached responses are valid until the clock moves.
 */
const completeSteps = (ids: readonly string[]) => [
  run(sql`with clock as (
      select greatest(clock_timestamp(), last_at + interval '1 microsecond') as moment from tenant_clock
       where tenant_id = current_tenant() for no key update)
    update markets set prices_complete_at = (select moment from clock)
     where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`),
]
