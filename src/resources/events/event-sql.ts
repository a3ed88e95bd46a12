import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { instantOf } from '../../core/instant.ts'
import { byteLimits } from '../../core/limits.ts'
import { difference } from '../../core/patch.ts'
import { eventActorColumn } from '../../core/trace.ts'
import { instantText } from '../../db/columns.ts'
import { columnsOf, type RowOf, type Statement, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { eventCategory } from '../categories/document.ts'
import { documentDays } from './schema.ts'

/**
 * Byte limits for reading events. Postgres compares stored sizes without reading the texts.
 * The rows never change, so an event always looks the same, whichever events are read with it.
 */

/** Limits of stored bytes. Together a batch stays below the database's response limit. */
export const bounds = {
  /** The document of one event. Current rows are smaller; some older ones exceed their limit. */
  document: 4_000_000,
  /** The categories of a variant's event. If they are larger, only their identities are read. */
  categories: 1_000_000,
  /** Documents and changes of all events of one read. The first event is always read. */
  page: 4_000_000,
  /** Changes of all events of a page without documents. The first event is always read. */
  changes: 8_000_000,
  /**
   * Embedded parts of the products that are read in the same round trip. If they are larger, a second trip reads them.
   */
  statesAtOnce: 3_000_000,
  /** Limit of that second trip, except for a single event. */
  states: 5_000_000,
  /** The option values of one event. */
  values: 3_000_000,
  /** The variants of one event: the first ones that fit. */
  variants: byteLimits.event,
  /** Estimated size of a row that describes a move or an event of a part. */
  row: 200,
  /** Maximum number of variant moves that are replayed to find their order. Products with more show only a total. */
  moves: 20_000,
  /** The rest of an event without its document and changes, including longer names of older API versions. */
  envelope: 4_000,
} as const

/** An event row. */
export type EventRow = RowOf<typeof eventColumns>

/** The columns of an event without its document. */
export const auditRow = {
  ...columnsOf(z.string(), 'id', 'topic', 'kind', 'resourceId', 'occurredAt', 'apiVersion', 'requestId'),
  sequence: z.number(),
  /** For a created product or option: the sequence of the last child that the same commit created. Else its own. */
  lastSequence: z.number(),
  /** The product of an option, a value or a variant. */
  ownerId: z.string().nullable(),
  version: z.number(),
  /** For an event without changes: the start or end time that it reports. */
  effectiveAt: z.string().nullable(),
  actor: eventActorColumn,
  /** Null for events without a request, and for those that older Workers recorded. */
  locale: z.string().nullable(),
  changes: z.array(difference).readonly(),
  /** Bytes of its changes. */
  changesSize: z.number(),
}

/** The columns of an event. */
export const eventColumns = {
  ...auditRow,
  /** For such an event: the time of the last change of the resource. */
  changedAt: z.string().nullable(),
  /** The creation time of the resource. */
  createdAt: z.string(),
  /** The stored document of the resource. Null if it is expired, too large, or not requested. */
  document: z.string().nullable(),
  /** True if the document alone exceeds the limit. */
  isTooLarge: z.boolean(),
  /** For a variant's event: the categories of its product at that time. */
  categories: z.array(eventCategory).readonly().nullable(),
}

/** The changes of an event. Omits large values of differences if an old event exceeds the limit for changes. */
export const changesColumn = sql`case when e.changes_size <= ${byteLimits.rowDocument} then e.changes else (
    select jsonb_agg(case when octet_length(c::text) <= 2000 then c
             else jsonb_build_object('path', c -> 'path', 'before', null, 'after', null, 'omitted', true) end order by n)
      from jsonb_array_elements(e.changes) with ordinality as each(c, n)) end`

/** Approximate bytes of an event's changes as `auditColumns` reads them. */
export const changesBytes = sql`least(e.changes_size, ${byteLimits.rowDocument})`

const lastOfCommit = sql`last_of_commit(e.sequence, e.kind, e.resource_version, coalesce(e.owner_id, e.resource_id), e.request_id, e.occurred_at)`

/**
 * Selects the event of one sequence with its `last_sequence`. As a join, the planner would rely on its row estimate.
 */
export const eventAt = (sequence: SQL) => sql`(
  select e.*, ${lastOfCommit} as last_sequence from events e where e.tenant_id = current_tenant() and e.sequence = ${sequence} limit 1)`

/** The columns of an event without its document; `e` is its row. */
export const auditColumns = sql`e.id, e.sequence::float8 as sequence, e.last_sequence::float8 as "lastSequence", e.topic, e.kind, e.resource_id as "resourceId",
  e.owner_id as "ownerId", e.resource_version as version, ${instantText(sql`e.occurred_at`)} as "occurredAt",
  ${instantText(sql`e.effective_at`)} as "effectiveAt",
  e.actor, e.api_version as "apiVersion", e.request_id as "requestId", e.locale, ${changesColumn} as changes,
  ${changesBytes} as "changesSize"`

/** Reads the events of the given ids without their documents, in their order. */
export function recordedEvents(ids: readonly string[]): Statement<RowOf<typeof auditRow>> {
  return statement(auditRow)`
    select ${auditColumns} from events recorded cross join lateral ${eventAt(sql`recorded.sequence`)} e
     where recorded.tenant_id = current_tenant() and recorded.id = any(${uuidArray(ids)}) order by recorded.sequence`
}

/** Reads the first of the given sequences that fit, by `read_events()` in migrations/functions. */
export function firstEvents(sequences: SQL, maxEvents: number, now: Date): SQL {
  const limits = { ...bounds, changes: byteLimits.rowDocument }
  return sql`select * from read_events(
    array(select each.sequence from (${sequences}) as each(sequence) where each.sequence is not null order by 1),
    ${maxEvents}::int, ${oldest(now)}::timestamptz, ${JSON.stringify(limits)}::jsonb)`
}

/** The columns of an event; `e` is its row, `r` that of `read_events()`. */
export const eventExpressions = sql`${auditColumns}, r.document, r.is_too_large as "isTooLarge", ${instantText(sql`r.created_at`)} as "createdAt",
  ${instantText(sql`r.changed_at`)} as "changedAt", r.categories`

/**
 * The last sequence whose event happened before a moment (`<`) or not after it (`<=`); 0 if none.
 * Binary search: times ascend with sequences. In a gap, the event before it decides.
 */
export function lastSequence(is: SQL, moment: string): SQL {
  const isBefore = sql`e.occurred_at ${is} ${moment}::timestamptz`
  return sql`(
    with recursive halves(low, high) as (
      select 0::bigint, sequence from tenant_clock where tenant_id = current_tenant()
      union all
      select case when e.sequence is null or ${isBefore} then h.middle else h.low end,
             case when e.sequence is null or ${isBefore} then h.high else e.sequence - 1 end
        from (select low, high, (low + high + 1) / 2 as middle from halves where low < high) h
        left join lateral (
          select e.sequence, e.occurred_at from events e
           where e.tenant_id = current_tenant() and e.sequence <= h.middle order by e.sequence desc limit 1) e on true
    )
    select max(low) from halves)`
}

/** The earliest time for which events still have documents, as a canonical instant. */
export function oldest(now: Date): string {
  return instantOf(new Date(now.getTime() - documentDays * 86_400_000))
}
