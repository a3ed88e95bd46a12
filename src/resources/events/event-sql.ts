import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Difference } from '../../core/patch.ts'
import type { StoredActor } from '../../core/trace.ts'
import { instantText } from '../../db/columns.ts'
import type { CategoryParts } from '../categories/document.ts'
import { documentDays } from './schema.ts'

/**
 * How much is read of events. Sizes of what is kept decide, in Postgres, which tells them without reading the texts. They are
 * sizes of rows that never change, so an event is shown alike each time, whatever else is read with it.
 */

/** Bytes, of what is kept, that are read; together a batch of them is within what the database answers. */
export const bounds = {
  /** An event's own document. Rows are smaller; some are older than their budget. */
  document: 4_000_000,
  /** The categories that a variant's event shows: beyond, no more of them than which ones they are. */
  categories: 1_000_000,
  /** Own documents and changes of all events that are read at once; the first is read whatever it is. */
  page: 4_000_000,
  /** Changes of all events of a page that shows no documents; the first is read whatever it is. */
  changes: 8_000_000,
  /** What the products of these events embedded, when it is read at once with them; else in a second trip, … */
  statesAtOnce: 3_000_000,
  /** … of so much at most, but for one event. */
  states: 5_000_000,
  /** The option values of one event. */
  values: 3_000_000,
  /** The variants of one event: as many of the first as that. */
  variants: byteLimits.event,
  /** What telling a move or an owned event takes. */
  row: 200,
  /** Moves of a product's variants from which their order is told; a product with more shows none, but how many there are. */
  moves: 20_000,
  /** What is shown of an event beside its document and its changes, and the longer names of older versions. */
  envelope: 4_000,
} as const

/** An event as it is kept. */
export type EventRow = {
  readonly id: string
  readonly sequence: number
  readonly topic: string
  readonly kind: string
  readonly resourceId: string
  /** The product of an option, a value or a variant. */
  readonly ownerId: string | null
  readonly version: number
  readonly occurredAt: string
  /** The moment that it tells of, where it is of no change. */
  readonly effectiveAt: string | null
  /** Of such an event, when the resource was last changed. */
  readonly changedAt: string | null
  /** When the resource was created. */
  readonly createdAt: string
  readonly actor: StoredActor
  readonly apiVersion: string
  readonly requestId: string
  readonly changes: readonly Difference[]
  /** Bytes of its changes. */
  readonly changesSize: number
  /** What the event keeps of the resource; null when it is too old, too large, or not asked for. */
  readonly document: string | null
  /** Its own document alone is more than is ever read. */
  readonly isTooLarge: boolean
  /** Of a variant's event: the categories that its product was in. */
  readonly categories: readonly CategoryParts[] | null
}

/** Values of differences that are left out where all those of an event, made before they were bounded, are too many bytes. */
const boundedDifferences = sql`case when e.changes_size <= ${byteLimits.rowDocument} then e.changes else (
    select jsonb_agg(case when octet_length(c::text) <= 2000 then c
             else jsonb_build_object('path', c -> 'path', 'before', null, 'after', null, 'omitted', true) end order by n)
      from jsonb_array_elements(e.changes) with ordinality as each(c, n)) end`

/** Bytes of an event's changes as `auditColumns` reads them, roughly. */
export const changesRead = sql`least(e.changes_size, ${byteLimits.rowDocument})`

/** The event of a sequence, looked up by itself: joined, the planner goes by how many it believes there to be. */
export const eventAt = (sequence: SQL) =>
  sql`(select * from events e where e.tenant_id = current_tenant() and e.sequence = ${sequence} limit 1)`

/** The columns of an event without its document; `e` is its row. */
export const auditColumns = sql`e.id, e.sequence::float8 as sequence, e.topic, e.kind, e.resource_id as "resourceId",
  e.owner_id as "ownerId", e.resource_version as version, ${instantText(sql`e.occurred_at`)} as "occurredAt",
  ${instantText(sql`e.effective_at`)} as "effectiveAt",
  e.actor, e.api_version as "apiVersion", e.request_id as "requestId", ${boundedDifferences} as changes,
  ${changesRead} as "changesSize"`

/** The categories in a product's document `of` without theirs, where they are too large to be read. */
const categoriesUnread = (of: SQL) => sql`(
  select jsonb_agg(c || '{"document": null, "translations": null, "metaobjects": null, "children": null}' order by n)
    from jsonb_array_elements(${of}::jsonb -> 'categories') with ordinality as each(c, n))`

/** The event of a variant's product, `p`, that follows the variant's own, `e`: they were written together. */
export const nextOfProduct = (columns: SQL) => sql`(select ${columns} from events p
  where p.tenant_id = e.tenant_id and p.kind = 'products' and p.resource_id = e.owner_id and p.sequence > e.sequence
  order by p.sequence limit 1)`

/**
 * Selects events by a subquery of sequences. A variant's write touches its product in the same transaction, so the product's
 * next event has the categories; the first event of a resource tells when it was created. Of a product that is too large,
 * categories are read without their documents and nothing of what its fields refer to; of anything else, no document.
 */
export function eventsQuery(sequences: SQL, now: Date): SQL {
  return sql`
    select ${auditColumns},
           case when kept.is_young and octet_length(kept.document) <= ${bounds.document} then kept.document end as document,
           coalesce(kept.is_young and octet_length(kept.document) > ${bounds.document}, false) as "isTooLarge",
           (select ${instantText(sql`f.occurred_at`)} from events f
             where f.tenant_id = e.tenant_id and f.kind = e.kind and f.resource_id = e.resource_id
             order by f.sequence limit 1) as "createdAt",
           case when e.effective_at is not null then (
             select ${instantText(sql`f.occurred_at`)} from events f
              where f.tenant_id = e.tenant_id and f.kind = e.kind and f.resource_id = e.resource_id
                and f.sequence < e.sequence and f.effective_at is null
              order by f.sequence desc limit 1) end as "changedAt",
           case when e.kind = 'variants' then ${nextOfProduct(sql`case when octet_length(p.document) <= ${bounds.categories}
             then p.document::jsonb -> 'categories' else ${categoriesUnread(sql`p.document`)} end`)} end as categories
      from (${sequences}) as asked(sequence)
     cross join lateral ${eventAt(sql`asked.sequence`)} e
     cross join lateral (
       select e.occurred_at >= ${oldest(now)}::timestamptz as is_young,
              case when e.kind = 'products' and octet_length(e.document) > ${bounds.document}
                   then ((e.document::jsonb - 'metaobjects') || jsonb_build_object('categories', ${categoriesUnread(sql`e.document`)}))::text
                   else e.document end as document
     ) kept`
}

/**
 * The last sequence whose event happened before a moment (`<`) or not after it (`<=`), 0 when there is none: found by halves,
 * since sequences have no gaps and times ascend with them.
 */
export function lastSequence(is: SQL, moment: string): SQL {
  const isBefore = sql`e.occurred_at ${is} ${moment}::timestamptz`
  return sql`(
    with recursive halves(low, high) as (
      select 0::bigint, sequence from tenant_clock where tenant_id = current_tenant()
      union all
      select case when ${isBefore} then h.middle else h.low end, case when ${isBefore} then h.high else h.middle - 1 end
        from (select low, high, (low + high + 1) / 2 as middle from halves where low < high) h
        join events e on e.tenant_id = current_tenant() and e.sequence = h.middle
    )
    select max(low) from halves)`
}

/** The moment from which events still have their documents, as a canonical instant. */
export function oldest(now: Date): string {
  return instantOf(new Date(now.getTime() - documentDays * 86_400_000))
}
