import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { localeOf } from '../../core/locale.ts'
import { instantText } from '../../db/columns.ts'
import { combineQueries, type DatabaseQuery, mapQuery, type Statement, statement } from '../../db/query.ts'
import { type OfferParts, type OfferRowParts, offerEventDocument } from '../offers/document.ts'
import { documentColumns, productCategoriesQuery } from '../offers/read.ts'
import { splitIntoBatches } from './operations.ts'

/**
 * Boundaries: the moments at which recorded terms of sale offers begin to apply and cease to, each of which is told by an event of its
 * own. What is due, by the tenant's clock, is read with the documents that the events keep, and recorded in parts under that clock.
 */

/** A boundary that is due, as the event of it is recorded. */
type Boundary = {
  /** The id of its event, a new one. */
  readonly event: string
  readonly topic: string
  /** Its moment, as a canonical instant. */
  readonly at: string
  readonly offer: string
  /** The version of the offer whose document it is. */
  readonly version: number
  readonly document: string
}

/** The boundaries that are due, in order, in parts of which each is recorded at once. */
type DueBoundaries = {
  /** The time by the tenant's clock, as a canonical instant. */
  readonly now: string
  /** Whether none more were due then. */
  readonly isComplete: boolean
  readonly batches: () => Iterable<readonly Boundary[]>
}

/** Boundaries that are read at once, with the documents that their events keep. */
const maxBoundariesPerRead = 500

type DueRow = { readonly now: string } & ({ readonly topic: string; readonly at: string } & OfferRowParts)

/** Reads the boundaries that are due. */
export function dueBoundaries(): DatabaseQuery<DueBoundaries> {
  const dueRows = sql`due_boundaries(${maxBoundariesPerRead})`
  const rows = statement<DueRow | { readonly now: string; readonly topic: null }>(sql`
    select ${instantText(sql`greatest(clock_timestamp(), clock.last_at)`)} as now, offer.*
      from tenant_clock clock left join (
        select d.topic, ${instantText(sql`d.at`)} as at, d.n, ${documentColumns}
          from ${dueRows} with ordinality as d(at, topic, sale_offer_id, n)
          join sale_offers o on o.tenant_id = current_tenant() and o.id = d.sale_offer_id
      ) as offer on true
     where clock.tenant_id = current_tenant() order by offer.n`)
  const products = sql`select o.product_id from ${dueRows} d
    join sale_offers o on o.tenant_id = current_tenant() and o.id = d.sale_offer_id`
  const categories = productCategoriesQuery(products, { locale, expand: 0, translations: true })
  return mapQuery(combineQueries({ rows, categories }), (result) => ({
    now: result.rows[0]?.now ?? '',
    isComplete: result.rows.length < maxBoundariesPerRead,
    batches: () => splitIntoBatches(boundariesOf(result)),
  }))
}

type BoundaryRows = {
  readonly rows: readonly (DueRow | { readonly now: string; readonly topic: null })[]
  readonly categories: (productId: string) => OfferParts['categories']
}

function* boundariesOf({ rows, categories }: BoundaryRows): Iterable<Boundary> {
  for (const row of rows) {
    if (row.topic === null) continue
    const document = offerEventDocument({ ...row, categories: categories(row.productId) })
    yield { event: uuidv7(), topic: row.topic, at: row.at, offer: row.id, version: row.version, document }
  }
}

/** Of the categories all translations are read, whatever the language. */
const locale = localeOf(['en-US'], null)

/** What came of a part. */
type RecordResult = {
  /** How many of the part, from its first on, are events now; fewer where others were at it or offers were changed meanwhile. */
  readonly recorded: number
  /** Whether another had recorded all of the part. */
  readonly passed: boolean
  /** Whether a webhook subscription asked for one of them. */
  readonly awaited: boolean
  /** The time by the tenant's clock. */
  readonly now: string
}

/** Records a part: the events of all of it, or of its beginning. */
export function recordStatement(batch: readonly Boundary[]): Statement<{ result: RecordResult }> {
  return statement<{ result: RecordResult }>(
    sql`select record_boundaries(${JSON.stringify(batch)}::jsonb) as result`,
  )
}

/**
 * Takes the seconds up to a moment at which boundaries are to come, and have workers woken then: each is given once, but for boundaries
 * that are recorded later.
 */
export function takeUpcoming(now: Date, until: Date): Statement<{ at: string }> {
  return statement<{ at: string }>(sql`
    select ${instantText(sql`at`)} as at
      from take_boundaries_ahead(${now.toISOString()}::timestamptz, ${until.toISOString()}::timestamptz) as at`)
}

/** Tenants after one, in order, with boundaries up to a moment that are no events yet. Run outside any tenant. */
export function tenantsWithBoundaries(
  until: Date,
  after: string | null,
  limit: number,
): Statement<{ id: string }> {
  return statement<{ id: string }>(
    sql`select tenants_with_boundaries(${until.toISOString()}::timestamptz, ${after}::uuid, ${limit}) as id`,
  )
}
