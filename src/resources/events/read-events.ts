import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { jsonObject } from '../../core/json.ts'
import type { Session } from '../../db/client.ts'
import { combineQueries, type ResultOf, statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import {
  bounds,
  changesBytes,
  type EventRow,
  eventAt,
  eventColumns,
  eventOfProduct,
  eventsQuery,
} from './event-sql.ts'
import { childDocuments, type ProductHistory, productHistoryQuery } from './product-history.ts'

/**
 * Reads events with all data that their documents show, within the response limit of the database.
 * The number of events depends on the size of their documents. Small embedded parts are read in the same round trip,
 * larger ones in a second trip. A read returns at least one event, so that a client can always continue after the last
 * one.
 */

/**
 * The requested events. `sequences` is a subquery, `most` the maximum number of events. `embeddedVariants` limits the
 * variants of each product.
 */
export type EventsRequest = {
  readonly sequences: SQL
  readonly most: number
  readonly embeddedVariants: number
  readonly now: Date
  /** Counts the events of the list, if requested. */
  readonly total?: SQL
}

/** The columns about the whole request. Without events, one row contains only these. */
const requestColumns = {
  tenantSequence: z.number(),
  listTotal: z.number().nullable(),
  /** True if more events follow. */
  more: z.boolean(),
  /** The time of the first requested event, even if it was not read. */
  firstAt: z.string().nullable(),
  kept: z.number(),
}
const pageColumns = { ...eventColumns, ...requestColumns, document: jsonObject.nullable() }

/** The rows of `eventsQueryFor`. */
export type EventRows = ResultOf<ReturnType<typeof eventsQueryFor>>

/** Events in order, and the parts that their products embedded. */
export type EventsRead = {
  readonly rows: readonly EventRow[]
  readonly history: ProductHistory
  readonly more: boolean
  readonly firstAt: string | null
  /** The tenant's last sequence. */
  readonly sequence: number
  /** Null if not requested. */
  readonly total: number | null
}

/** Reads events; `eventsOf` assembles them. The first statement passes the selected sequences to the second one. */
export function eventsQueryFor(request: EventsRequest) {
  return combineQueries({
    page: pageStatement(request),
    history: productHistoryQuery(pageFound, request.embeddedVariants),
  })
}

/** Assembles the rows of `eventsQueryFor`. Reads again if the embedded parts were too large for one trip. */
export async function eventsOf({ page, history }: EventRows, read: Session['read']): Promise<EventsRead> {
  const [first] = page
  const { more, firstAt, tenantSequence: sequence, listTotal: total } = first ?? noEvents
  const events = page.flatMap((row) =>
    row.id === null ? [] : [{ ...row, document: row.document && JSON.stringify(row.document) }],
  )
  if (history.hasAllDocuments) return { rows: events, history, more, firstAt, sequence, total }
  const { rows, needed } = withinBounds(events, history)
  if (needed.length > 0) {
    const { documents } = await read({ documents: childDocuments(needed) })
    history.addDocuments(documents)
  }
  return { rows, history, more: more || rows.length < events.length, firstAt, sequence, total }
}

const noEvents = { more: false, firstAt: null, tenantSequence: 0, listTotal: null }

/** Returns the first events whose embedded parts fit one trip, at least one. */
function withinBounds(
  events: readonly EventRow[],
  history: ProductHistory,
): { rows: readonly EventRow[]; needed: readonly number[] } {
  const needed = new Set<number>()
  let size = 0
  for (const [index, event] of events.entries()) {
    const missing = history.versionsNeeded(event).filter(({ sequence }) => !needed.has(sequence))
    size += missing.reduce((sum, version) => sum + version.size, 0)
    if (index > 0 && size > bounds.states) return { rows: events.slice(0, index), needed: [...needed] }
    for (const { sequence } of missing) needed.add(sequence)
  }
  return { rows: events, needed: [...needed] }
}

/** The sequences that `pageStatement` has selected. */
const pageFound = sql`current_setting('app.events')::bigint[]`

const isHistoryKept = sql`e.kind in ('products', 'product_options', 'variants')`

/**
 * Selects the first events that fit the byte limit and reads them. A session setting passes their sequences to the next
 * statement.
 * The size of an event includes its document, its changes, and the history rows behind it. Those are the moves in its
 * product until then. For a further event of the same product they are the events in between.
 */
function pageStatement({ sequences, most: maxEvents, now, total = sql`null` }: EventsRequest) {
  const ofProduct = sql`m.tenant_id = current_tenant() and m.owner_id = s.product_id and m.sequence <= s.last_sequence`
  const movesLimit = bounds.moves + 1
  const query = sql`
    with asked as materialized (
      select each.sequence, row_number() over (order by each.sequence) as n from (${sequences}) as each(sequence)
       where each.sequence is not null
    ), sized as materialized (
      select a.sequence, e.last_sequence, a.n, e.occurred_at, coalesce(e.owner_id, e.resource_id) as product_id, ${isHistoryKept} as has_history,
             lag(a.sequence) over (partition by ${isHistoryKept}, coalesce(e.owner_id, e.resource_id) order by a.sequence) as before,
             least(coalesce(octet_length(e.document), 0), ${bounds.document}) + ${changesBytes}
               + case when e.kind = 'variants' then least(coalesce(${eventOfProduct(sql`octet_length(p.document)`)}, 0), ${bounds.categories}) else 0 end as bytes
        from asked a cross join lateral ${eventAt(sql`a.sequence`)} e
    ), weighed as (
      select s.n, s.sequence, sum(s.bytes + ${bounds.row} * case
               when not s.has_history then 0
               when s.before is null then (
                 -- Products with more moves show only a total.
                 select case when count(*) < ${movesLimit} then count(*) else 0 end
                   from (select from events m where ${ofProduct} and m.moved limit ${movesLimit}) as counted)
               else (select count(*) from (select from events m where ${ofProduct} and m.sequence > s.before limit ${movesLimit}) as counted)
             end) over (order by s.n) as total
        from sized s
    ), page as materialized (
      select array_agg(sequence order by n) as sequences from weighed where n <= ${maxEvents} and (n = 1 or total <= ${bounds.page})
    )
    select list.*, event.* from (
      select length(set_config('app.events', coalesce(page.sequences, '{}')::text, true)) as kept,
             coalesce((select count(*) from asked) > coalesce(cardinality(page.sequences), 0), false) as more,
             (select instant_text(occurred_at) from sized where n = 1) as "firstAt",
             ${tenantSequence} as "tenantSequence", (${total})::int as "listTotal"
        from page
    ) as list
    left join (${eventsQuery(sql`select unnest(page.sequences) from page`, now)}) as event on true
    order by event.sequence`
  return statement(query, pageColumns, requestColumns)
}
