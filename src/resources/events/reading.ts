/**
 * Reads events with all that their documents show, so much of it at once as the database answers: as many events as their own
 * documents allow, and what products embedded in the same trip where it is small, else in a second one, exactly as far as
 * it is shown. There is always at least one event, and whoever reads on from the last one reads all of them.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { gathered, type Reading } from '../../db/reading.ts'
import { bounds } from './bounds.ts'
import { type History, type HistoryRows, historyOf, historyReading, stateDocuments } from './history.ts'
import { changesRead, type EventRow, eventsStatement, nextOfProduct } from './store.ts'

/** Which events are asked for: `sequences` is a subquery; how many at most, and how many variants products embed. */
export type EventsAsked = {
  readonly sequences: SQL
  readonly most: number
  readonly embeddedVariants: number
  readonly now: Date
}

/** What was found of the events that were asked for. */
type PageRow = {
  readonly sequence: number
  /** Whether others follow those that are read. */
  readonly more: boolean
  /** When the first that was asked for happened, read or not. */
  readonly firstAt: string | null
}

/** The rows of `eventsReading`. */
export type EventsFound = {
  readonly page: readonly PageRow[]
  readonly events: readonly EventRow[]
  readonly history: HistoryRows
}

/** Events in their order, and what their products embedded. */
export type EventsRead = {
  readonly rows: readonly EventRow[]
  readonly history: History
  readonly more: boolean
  readonly firstAt: string | null
  /** The tenant's last sequence. */
  readonly sequence: number
}

/** Reads events; `eventsOf` puts them together. The first statement keeps for the others which events those are. */
export function eventsReading({ sequences, most, embeddedVariants, now }: EventsAsked): Reading<EventsFound> {
  return gathered({
    page: pageStatement(sequences, most),
    events: eventsStatement(pageFound, now),
    history: historyReading(pageFound, embeddedVariants),
  })
}

/** Puts the rows of `eventsReading` together; reads again where what products embedded was too large for one trip. */
export async function eventsOf(
  { page, events, history: rowsOfHistory }: EventsFound,
  { embeddedVariants }: EventsAsked,
  read: Session['read'],
): Promise<EventsRead> {
  const history = historyOf(rowsOfHistory, embeddedVariants)
  const [{ more, firstAt, sequence } = { more: false, firstAt: null, sequence: 0 }] = page
  if (rowsOfHistory.states.every((each) => each.document !== null))
    return { rows: events, history, more, firstAt, sequence }
  const { rows, needed } = withinBounds(events, history)
  if (needed.length > 0) {
    const { documents } = await read({ documents: stateDocuments(needed) })
    history.add(documents)
  }
  return { rows, history, more: more || rows.length < events.length, firstAt, sequence }
}

/** As many events from the first on as one trip can read the surroundings of; at least one. */
function withinBounds(
  events: readonly EventRow[],
  history: History,
): { rows: readonly EventRow[]; needed: readonly number[] } {
  const needed = new Set<number>()
  let size = 0
  for (const [index, event] of events.entries()) {
    const missing = history.behind(event).filter((each) => !needed.has(each.sequence))
    size += missing.reduce((sum, each) => sum + each.size, 0)
    if (index > 0 && size > bounds.states) return { rows: events.slice(0, index), needed: [...needed] }
    for (const { sequence } of missing) needed.add(sequence)
  }
  return { rows: events, needed: [...needed] }
}

/** The sequences that `pageStatement` has found. */
const pageFound = sql`select unnest(current_setting('app.events')::bigint[])`

const hasHistory = sql`e.kind in ('products', 'product_options', 'variants')`

/**
 * Finds which of the events are read: the first ones, within bytes. It keeps them for the statements that follow in the batch.
 * An event weighs its document, its changes and, since the history behind it is told row by row, the moves in its
 * product until then, or for a further event of the same product, what happened to it in between.
 */
function pageStatement(sequences: SQL, most: number): Statement<PageRow> {
  const ofProduct = sql`m.tenant_id = current_tenant() and m.owner_id = s.product_id and m.sequence <= s.sequence`
  const limit = bounds.moves + 1
  const found = statement<PageRow>(sql`
    with asked as materialized (
      select each.sequence, row_number() over (order by each.sequence) as n from (${sequences}) as each(sequence)
       where each.sequence is not null
    ), sized as materialized (
      select a.sequence, a.n, e.occurred_at, coalesce(e.owner_id, e.resource_id) as product_id, ${hasHistory} as has_history,
             lag(a.sequence) over (partition by ${hasHistory}, coalesce(e.owner_id, e.resource_id) order by a.sequence) as before,
             least(coalesce(octet_length(e.document), 0), ${bounds.own}) + ${changesRead}
               + case when e.kind = 'variants' then least(coalesce(${nextOfProduct(sql`octet_length(p.document)`)}, 0), ${bounds.categories}) else 0 end as bytes
        from asked a join events e on e.tenant_id = current_tenant() and e.sequence = a.sequence
    ), weighed as (
      select s.n, s.sequence, sum(s.bytes + ${bounds.row} * case
               when not s.has_history then 0
               when s.before is null then (
                 -- More of them are not told.
                 select case when count(*) < ${limit} then count(*) else 0 end
                   from (select from events m where ${ofProduct} and m.moved limit ${limit}) as counted)
               else (select count(*) from (select from events m where ${ofProduct} and m.sequence > s.before limit ${limit}) as counted)
             end) over (order by s.n) as total
        from sized s
    ), page as (
      select array_agg(sequence order by n) as sequences from weighed where n <= ${most} and (n = 1 or total <= ${bounds.page})
    )
    select set_config('app.events', coalesce(page.sequences, '{}')::text, true) as kept,
           coalesce((select count(*) from asked) > coalesce(cardinality(page.sequences), 0), false) as more,
           (select instant_text(occurred_at) from sized where n = 1) as "firstAt",
           (select sequence::float8 from tenant_clock where tenant_id = current_tenant()) as sequence
      from page`)
  return { ...found, apart: true }
}
