import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { jsonObject } from '../../core/json.ts'
import type { Session } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { combineQueries, type ResultOf, statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import { bounds, type EventRow, eventColumns, eventExpressions, firstEvents } from './event-sql.ts'
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
const requestColumns = { tenantSequence: z.number(), listTotal: z.number().nullable(), kept: z.number() }
const pageColumns = {
  ...eventColumns,
  ...requestColumns,
  document: jsonObject.nullable(),
  /** True if more events follow. */
  more: z.boolean(),
  /** The time of the first requested event, even if it was not read. */
  firstAt: z.string(),
}

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
  const { tenantSequence: sequence, listTotal: total } = first ?? noEvents
  const { more, firstAt } = first && first.id !== null ? first : noEvents
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

/** The sequences of the events that `pageStatement` has read. A setting of the transaction passes them to the next statement. */
const pageFound = sql`current_setting('app.events')::bigint[]`

function pageStatement({ sequences, most: maxEvents, now, total = sql`null` }: EventsRequest) {
  const query = sql`
    with read as materialized (${firstEvents(sequences, maxEvents, now)})
    select list.*, event.* from (
      select length(set_config('app.events', array(select sequence from read order by 1)::text, true)) as kept,
             ${tenantSequence} as "tenantSequence", (${total})::int as "listTotal"
    ) as list
    left join (
      select ${eventExpressions}, r.more, ${instantText(sql`r.first_at`)} as "firstAt"
        from read r cross join lateral (
          select e.*, r.last_sequence from events e where e.tenant_id = current_tenant() and e.sequence = r.sequence limit 1) e
    ) as event on true order by event.sequence`
  return statement(query, pageColumns, requestColumns)
}
