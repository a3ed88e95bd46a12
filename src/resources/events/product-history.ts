import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { parseStored } from '../../core/json.ts'
import { instantText } from '../../db/columns.ts'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import type { OptionParts, ValueParts } from '../product-options/document.ts'
import type { Embedding } from '../products/document.ts'
import type { VariantParts } from '../variants/document.ts'
import { bounds, eventAt } from './event-sql.ts'

/**
 * Reconstructs the parts that products embedded at the time of their events.
 * An event stores only its own resource. The options, values and variants of a product come from their own latest
 * events up to that sequence. Their order results from all moves until then. One statement serves any number of events.
 */

/** A resource after one of its events. */
const stateColumns = {
  ...columnsOf(z.string(), 'productId', 'kind', 'id', 'createdAt', 'updatedAt'),
  sequence: z.number(),
  version: z.number(),
  /** Bytes of its document. */
  size: z.number(),
  /** Null if all documents together exceed the limit of this read. */
  document: z.string().nullable(),
}
type StateRow = RowOf<typeof stateColumns>

/** A resource that moved to a position among its siblings, or left them (null). */
const moveColumns = {
  ...columnsOf(z.string(), 'productId', 'id', 'requestId'),
  /** The row `variants_total` contains a number of variants, if their moves exceed the limit. */
  kind: z.string(),
  sequence: z.number(),
  at: z.number().nullable(),
  /** The option of a new value. */
  option: z.string().nullable(),
}
type MoveRow = RowOf<typeof moveColumns>

/** The rows of `historyQuery`. */
export type HistoryRows = { readonly moves: readonly MoveRow[]; readonly states: readonly StateRow[] }

/**
 * Reads the history for some events (`sequences`: a subquery). `historyOf` assembles it.
 * Skips variants that cannot have been among the first `embeddedVariants` of a product. Reads documents only if all
 * together fit one response of the database; otherwise it returns their sizes.
 */
export function historyQuery(sequences: SQL, embeddedVariants: number): DatabaseQuery<HistoryRows> {
  const moves = sql`
    concerned as materialized (
      select c.*, c.whole and (
               select count(*) from (
                 select from events m where m.tenant_id = current_tenant() and m.owner_id = c.product_id and m.moved
                    and m.kind = 'variants' and m.sequence <= c.high limit ${bounds.moves + 1}) as counted
             ) > ${bounds.moves} as crowded
        from (
          select coalesce(e.owner_id, e.resource_id) as product_id, min(e.sequence) as low, max(e.sequence) as high,
                 bool_or(e.kind = 'products') as whole
            from (${sequences}) as asked(sequence) cross join lateral ${eventAt(sql`asked.sequence`)} e
           where e.kind in ('products', 'product_options', 'variants')
           group by 1) c
    ), moves as materialized (
      select p.product_id, p.low, e.kind, e.resource_id, e.sequence, e.request_id, e.place_after as at, e.place_option as option,
             -- Each resource that leaves or moves lets the following ones move up by one position.
             count(e.place_before) over (partition by p.product_id, e.kind order by e.sequence desc
                                         rows between unbounded preceding and 1 preceding) as moved_since,
             lead(e.sequence) over (partition by p.product_id, e.kind, e.resource_id order by e.sequence) as until
        from concerned p cross join lateral (
          select * from events e where e.tenant_id = current_tenant() and e.owner_id = p.product_id and e.sequence <= p.high and e.moved
             and (e.kind in ('product_options', 'option_values') or (e.kind = 'variants' and p.whole and not p.crowded))
          offset 0) e
    )`
  const history = sql`
    with ${moves}, shown as (
      select distinct product_id, kind, resource_id from moves
       where (until is null or until > low)
         and (kind <> 'variants' or at - moved_since < ${embeddedVariants})
    ), states as (
      select s.*, before.sequence from shown s join concerned p using (product_id) cross join lateral (
        select e.sequence from events e
         where e.tenant_id = current_tenant() and e.kind = s.kind and e.resource_id = s.resource_id and e.sequence <= p.low
         order by e.sequence desc limit 1
      ) before
      union all
      select s.*, after.sequence from shown s join concerned p using (product_id) cross join lateral (
        select e.sequence from events e
         where e.tenant_id = current_tenant() and e.kind = s.kind and e.resource_id = s.resource_id
           and e.sequence > p.low and e.sequence <= p.high
        offset 0
      ) after
    )
    select product_id as "productId", kind, resource_id as id, sequence::float8 as sequence,
           request_id as "requestId", at, option, null::int as version, null as "createdAt", null as "updatedAt",
           null::int as size, null as document
      from moves
    union all
    select p.product_id, 'variants_total', p.product_id, e.sequence::float8, '', total.variants::int, null,
           null, null, null, null, null
      from concerned p join (${sequences}) as asked(sequence) on p.crowded
     cross join lateral ${eventAt(sql`asked.sequence`)} e
     cross join lateral (
       select count(*) filter (where m.place_before is null) - count(*) filter (where m.place_after is null) as variants
         from events m where m.tenant_id = current_tenant() and m.owner_id = p.product_id and m.moved
          and m.kind = 'variants' and m.sequence <= e.sequence
     ) total
     where e.kind = 'products' and e.resource_id = p.product_id
    union all
    select s.product_id, e.kind, e.resource_id, e.sequence::float8, null, null, null, e.resource_version,
           (select ${instantText(sql`f.occurred_at`)} from events f
             where f.tenant_id = e.tenant_id and f.kind = e.kind and f.resource_id = e.resource_id
             order by f.sequence limit 1),
           ${instantText(sql`e.occurred_at`)}, octet_length(e.document),
           case when sum(octet_length(e.document)) over () <= ${bounds.statesAtOnce} then e.document end
      from states s cross join lateral ${eventAt(sql`s.sequence`)} e
     where e.document is not null
     order by sequence`
  return mapQuery(combineQueries({ rows: statement(history, moveColumns, stateColumns) }), ({ rows }) => ({
    moves: rows.filter((row) => row.version === null),
    states: rows.filter((row) => row.version !== null),
  }))
}

/** Reads the documents of states for which `historyQuery` returned only the sizes. */
export function childDocuments(
  sequences: readonly number[],
): Statement<{ sequence: number; document: string | null }> {
  return statement({
    sequence: stateColumns.sequence,
    document: stateColumns.document,
  })`select sequence::float8 as sequence, document from events
    where tenant_id = current_tenant() and sequence = any(${`{${sequences.join(',')}}`}::bigint[])`
}

/** The parts of an event that decide which states its document needs. */
type RenderedEvent = {
  readonly kind: string
  readonly resourceId: string
  readonly ownerId: string | null
  readonly sequence: number
  readonly document: string | null
}

/** The embedded parts of products at a sequence. */
export type History = {
  readonly at: (productId: string, sequence: number) => Embedding
  /** The states that an event's document shows in addition to its own. */
  readonly statesShown: (event: RenderedEvent) => readonly StateRow[]
  /** Adds the documents of states that were read without them. */
  readonly add: (documents: readonly { sequence: number; document: string | null }[]) => void
}

/** Assembles the rows of `historyQuery`. Fastest if called with ascending sequences. */
export function historyOf({ moves, states }: HistoryRows, embeddedVariants: number): History {
  const movesOf = Map.groupBy(moves, (move) => move.productId)
  const statesOf = Map.groupBy(states, (state) => state.id)
  const documents = new Map(states.map((state) => [state.sequence, state.document]))
  const orders = new Map<string, Order>()
  // The resource that stored an event's document defines its type.
  const parsedDocuments = new Map<StateRow, ReturnType<typeof JSON.parse>>()
  const orderAt = (productId: string, sequence: number) => {
    let order = orders.get(productId)
    if (!order || order.sequence > sequence) order = new Order(movesOf.get(productId) ?? [])
    orders.set(productId, order)
    order.advance(sequence)
    return order
  }
  const stateAt = (id: string, sequence: number) =>
    (statesOf.get(id) ?? []).findLast((state) => state.sequence <= sequence)
  const partsOf = <Parts>({ state, position }: Placed): Parts[] => {
    const document = documents.get(state.sequence)
    if (!document) return []
    const { version, createdAt, updatedAt } = state
    // Consecutive events of a product mostly show the same states.
    const parts: Parts = parsedDocuments.get(state) ?? parseStored<Parts>(document)
    parsedDocuments.set(state, parts)
    return [{ ...parts, version, createdAt, updatedAt, position }]
  }
  const selectAt = (productId: string, sequence: number) => {
    const order = orderAt(productId, sequence)
    const placedIn = (group: string) =>
      order.ids(group).flatMap((id, position) => {
        const state = stateAt(id, sequence)
        return state ? [{ state, position }] : []
      })
    const optionsAt = placedIn(optionsKind)
    const valuesAt = new Map(order.ids(optionsKind).map((id) => [id, placedIn(id)]))
    const areValuesOmitted = areValuesTooLarge([...valuesAt.values()].flat())
    const variantsAt = areValuesOmitted
      ? []
      : firstWithin(bounds.variants, placedIn(variantsKind).slice(0, embeddedVariants))
    return { order, placedIn, optionsAt, valuesAt, areValuesOmitted, variantsAt }
  }
  return {
    at(productId, sequence) {
      const embedding = selectAt(productId, sequence)
      const valuesIn = (all: readonly Placed[], isOmitted: boolean) =>
        isOmitted
          ? { values: [], valuesTotal: all.length }
          : { values: all.flatMap(partsOf<ValueParts>), valuesTotal: all.length }
      const valuesOf = (optionId: string, only: readonly string[] | undefined) => {
        const all = embedding.valuesAt.get(optionId) ?? []
        if (!only) return valuesIn(all, embedding.areValuesOmitted)
        return valuesIn(
          all.filter(({ state }) => only.includes(state.id)),
          false,
        )
      }
      return {
        valuesOf(optionId) {
          const all = embedding.placedIn(optionId)
          return valuesIn(all, areValuesTooLarge(all))
        },
        options: (only) =>
          embedding.optionsAt
            .flatMap(partsOf<OptionParts>)
            .map((option) => ({ ...option, ...valuesOf(option.id, only) })),
        variants: () => embedding.variantsAt.flatMap(partsOf<VariantParts>),
        variantsTotal: () => {
          const totalRow = movesOf
            .get(productId)
            ?.find((move) => move.kind === variantsTotalKind && move.sequence === sequence)
          return totalRow?.at ?? embedding.order.ids(variantsKind).length
        },
      }
    },
    statesShown({ kind, resourceId, ownerId, sequence, document }) {
      if (document === null) return []
      const { placedIn, optionsAt, valuesAt, areValuesOmitted, variantsAt } = selectAt(
        ownerId ?? resourceId,
        sequence,
      )
      const statesIn = (all: readonly Placed[]) => all.map(({ state }) => state)
      const placedValues = placedIn(resourceId)
      if (kind === optionsKind) return areValuesTooLarge(placedValues) ? [] : statesIn(placedValues)
      const all = statesIn([...valuesAt.values()].flat())
      if (kind === 'products')
        return [...statesIn(optionsAt), ...(areValuesOmitted ? [] : all), ...statesIn(variantsAt)]
      if (kind !== variantsKind) return []
      const { optionValueIds } = parseStored<VariantParts>(document)
      return [...statesIn(optionsAt), ...all.filter(({ id }) => optionValueIds.includes(id))]
    },
    add(more) {
      for (const { sequence, document } of more) documents.set(sequence, document)
    },
  }
}

const optionsKind = 'product_options'
const variantsKind = 'variants'
const variantsTotalKind = 'variants_total'

/** A state and its position among its siblings. */
type Placed = { readonly state: StateRow; readonly position: number }

/** True if option values exceed the limit of one event. */
function areValuesTooLarge(values: readonly Placed[]): boolean {
  return values.reduce((sum, { state }) => sum + state.size, 0) > bounds.values
}

/** The first states that fit a number of bytes. */
function firstWithin(maxBytes: number, states: readonly Placed[]): readonly Placed[] {
  let size = 0
  const end = states.findIndex(({ state }) => {
    size += state.size
    return size > maxBytes
  })
  return states.slice(0, end < 0 ? states.length : end)
}

/** The order of a product's options, of each option's values, and of its variants. Replays the moves one by one. */
class Order {
  sequence = 0
  readonly #moves: readonly MoveRow[]
  #next = 0
  readonly #groups = new Map<string, string[]>()
  readonly #groupOf = new Map<string, string>()

  constructor(moves: readonly MoveRow[]) {
    this.#moves = moves.filter((move) => move.kind !== variantsTotalKind)
  }

  ids(group: string): readonly string[] {
    return this.#groups.get(group) ?? []
  }

  advance(to: number): void {
    this.sequence = to
    for (
      let first = this.#moves[this.#next];
      first && first.sequence <= to;
      first = this.#moves[this.#next]
    ) {
      // The moves of one write contain final positions. Inserting them from the front displaces none of them.
      const { requestId } = first
      const moves: MoveRow[] = []
      for (let move: MoveRow | undefined = first; move?.requestId === requestId && move.sequence <= to; ) {
        moves.push(move)
        this.#next += 1
        move = this.#moves[this.#next]
      }
      for (const move of moves) this.#leave(move.id)
      moves.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
      for (const move of moves) if (move.at !== null) this.#enter(move, move.at)
    }
  }

  #leave(id: string): void {
    const group = this.#groups.get(this.#groupOf.get(id) ?? '')
    const at = group?.indexOf(id) ?? -1
    if (at >= 0) group?.splice(at, 1)
  }

  #enter(move: MoveRow, at: number): void {
    const name =
      this.#groupOf.get(move.id) ?? move.option?.slice(move.option.lastIndexOf('/') + 1) ?? move.kind
    this.#groupOf.set(move.id, name)
    const group = this.#groups.get(name) ?? []
    this.#groups.set(name, group)
    group.splice(at, 0, move.id)
  }
}
