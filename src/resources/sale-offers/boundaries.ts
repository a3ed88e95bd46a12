import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { localeOf } from '../../core/locale.ts'
import { bytesOf } from '../../core/sizes.ts'
import { instantText } from '../../db/columns.ts'
import {
  combineQueries,
  type DatabaseQuery,
  type EitherRow,
  mapQuery,
  type Statement,
  statement,
} from '../../db/query.ts'
import { idColumn } from '../../db/sql.ts'
import { type OfferParts, offerEventDocument, offerRow } from '../offers/document.ts'
import { documentColumns, productCategoriesQuery } from '../offers/read.ts'

/**
 * Boundaries: the times at which recorded terms of sale offers begin or cease to apply. Each has its own event.
 * Reads the due boundaries with the event documents, and records them in batches under the lock of the tenant's
 * clock.
 */

/** A due boundary, in the JSON form that `record_boundaries()` reads. */
type Boundary = {
  /** The id of its new event. */
  readonly event: string
  readonly topic: string
  /** Its time, a canonical timestamp. */
  readonly at: string
  readonly offer: string
  /** The version of the offer in `document`. */
  readonly version: number
  readonly document: string
}

/** The due boundaries in order, in batches. Each batch is one commit. */
type DueBoundaries = {
  /** The time of the tenant's clock, a canonical timestamp. Empty if the tenant is removed. */
  readonly now: string
  /** Whether this read returned all boundaries that were due. */
  readonly isComplete: boolean
  readonly batches: () => Iterable<readonly Boundary[]>
}

/** The maximum number of boundaries in one read, with their event documents. */
const maxBoundariesPerRead = 500

const nowColumn = { now: z.string() }
const dueRow = { ...nowColumn, topic: z.string(), at: z.string(), n: z.unknown(), ...offerRow }

/** Reads the due boundaries. */
export function dueBoundaries(): DatabaseQuery<DueBoundaries> {
  const dueRows = sql`due_boundaries(${maxBoundariesPerRead})`
  const query = sql`
    select ${instantText(sql`greatest(clock_timestamp(), clock.last_at)`)} as now, offer.*
      from tenant_clock clock left join (
        select d.topic, ${instantText(sql`d.at`)} as at, d.n, ${documentColumns}
          from ${dueRows} with ordinality as d(at, topic, sale_offer_id, n)
          join sale_offers o on o.tenant_id = current_tenant() and o.id = d.sale_offer_id
      ) as offer on true
     where clock.tenant_id = current_tenant() order by offer.n`
  const products = sql`select o.product_id from ${dueRows} d
    join sale_offers o on o.tenant_id = current_tenant() and o.id = d.sale_offer_id`
  const categories = productCategoriesQuery(products, { locale, expand: 0, translations: true })
  const rows = statement(query, dueRow, nowColumn)
  return mapQuery(combineQueries({ rows, categories }), (result) => ({
    now: result.rows[0]?.now ?? '',
    isComplete: result.rows.length < maxBoundariesPerRead,
    batches: () => splitIntoBatches(boundariesOf(result)),
  }))
}

type BoundaryRows = {
  readonly rows: readonly EitherRow<typeof dueRow, typeof nowColumn>[]
  readonly categories: (productId: string) => OfferParts['categories']
}

function* boundariesOf({ rows, categories }: BoundaryRows): Iterable<Boundary> {
  for (const row of rows) {
    if (row.topic === null) continue
    const document = offerEventDocument({ ...row, categories: categories(row.productId) })
    yield { event: uuidv7(), topic: row.topic, at: row.at, offer: row.id, version: row.version, document }
  }
}

/**
 * Limits of a batch of boundaries, which holds the lock of the tenant's clock for at most 3 ms
 * (.github/docs/performance.md).
 * A single document is accepted at any size.
 */
const maxBoundariesPerBatch = 25
const maxBytesPerBatch = 100_000

/** Splits boundaries, in their order, into batches that hold the clock's lock for a short time. */
export function* splitIntoBatches<Item extends { readonly document: string }>(
  boundaries: Iterable<Item>,
): Iterable<readonly Item[]> {
  let batch: Item[] = []
  let bytes = 0
  for (const boundary of boundaries) {
    const size = bytesOf(boundary.document)
    if (batch.length === maxBoundariesPerBatch || (batch.length > 0 && bytes + size > maxBytesPerBatch)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(boundary)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** Categories are read with all translations, so the locale has no effect. */
const locale = localeOf(['en-US'], null)

const recordResult = z.object({
  /**
   * The number of new events, counted from the start of the batch. A concurrent worker or a changed offer
   * lowers it.
   */
  recorded: z.number(),
  /** Whether another worker had already recorded the whole batch. */
  passed: z.boolean(),
  /** Whether a webhook subscription exists for one of the events. */
  awaited: z.boolean(),
  /** The time of the tenant's clock. */
  now: z.string(),
})

/** Records the events of a batch, or of its first part. */
export function recordStatement(batch: readonly Boundary[]) {
  return statement({
    result: recordResult,
  })`select record_boundaries(${JSON.stringify(batch)}::jsonb) as result`
}

/**
 * Selects the upcoming boundary times, in whole seconds up to a time, to schedule workers for them.
 * Each time is returned once, except for boundaries that are recorded later.
 */
export function takeUpcoming(now: Date, until: Date): Statement<{ at: string }> {
  return statement({ at: z.string() })`
    select ${instantText(sql`at`)} as at
      from take_boundaries_ahead(${now.toISOString()}::timestamptz, ${until.toISOString()}::timestamptz) as at`
}

/** Selects a page of tenants with boundaries up to a time that have no event yet. Run outside any tenant. */
export function tenantsWithBoundaries(
  until: Date,
  after: string | null,
  limit: number,
): Statement<{ id: string }> {
  return statement(idColumn)`
    select tenants_with_boundaries(${until.toISOString()}::timestamptz, ${after}::uuid, ${limit}) as id`
}
