/**
 * What products embedded when their events happened. An event keeps its own resource alone, so a product's options, values
 * and variants are put together from their own events: the last of each up to that sequence, in the order that
 * all moves up to then had made. Three statements, however many events are asked for.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import type { ValueParts } from '../option-values/index.ts'
import type { OptionParts } from '../product-options/index.ts'
import type { VariantParts } from '../variants/index.ts'

/** A resource as one of its events left it. */
export type StateRow = {
  readonly productId: string
  readonly kind: string
  readonly id: string
  readonly sequence: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly document: string
}

/** A resource that came to a place among its siblings, or left them (null). */
export type MoveRow = {
  readonly productId: string
  readonly kind: string
  readonly id: string
  readonly sequence: number
  readonly requestId: string
  readonly at: number | null
  /** The option of a value that is new. */
  readonly option: string | null
}

/**
 * The statements that read the history behind some events (`sequences`: a subquery). Their rows go to `historyOf`. Variants
 * that cannot have been among a product's first (`embeddedVariants`) are not read.
 */
export function historyStatements(
  sequences: SQL,
  embeddedVariants: number,
): [Statement<MoveRow>, Statement<StateRow>] {
  const moves = sql`
    concerned as materialized (
      select coalesce(owner_id, resource_id) as product_id, min(sequence) as low, max(sequence) as high,
             bool_or(kind = 'products') as whole
        from events
       where tenant_id = current_tenant() and sequence in (${sequences}) and kind in ('products', 'product_options', 'variants')
       group by 1
    ), moves as materialized (
      select p.product_id, p.low, e.kind, e.resource_id, e.sequence, e.request_id, m.at, m.option,
             -- Only what leaves or moves lets others move up, each by one place.
             count(m.was) over (partition by p.product_id, e.kind order by e.sequence desc
                                rows between unbounded preceding and 1 preceding) as moved_since,
             lead(e.sequence) over (partition by p.product_id, e.kind, e.resource_id order by e.sequence) as until
        from concerned p
        join events e on e.tenant_id = current_tenant() and e.owner_id = p.product_id and e.sequence <= p.high and e.moved
         and (e.kind in ('product_options', 'option_values') or (e.kind = 'variants' and p.whole))
       cross join lateral (
         select max((c ->> 'before')::int) filter (where c ->> 'path' = 'position') as was,
                max((c ->> 'after')::int) filter (where c ->> 'path' = 'position') as at,
                max(c ->> 'after') filter (where c ->> 'path' = 'option') as option
           from jsonb_array_elements(e.changes) as c
          where c ->> 'path' in ('position', 'option')
       ) m
    )`
  return [
    statement<MoveRow>(sql`
      with ${moves}
      select product_id as "productId", kind, resource_id as id, sequence::float8 as sequence, request_id as "requestId", at, option
        from moves order by sequence`),
    statement<StateRow>(sql`
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
        select s.*, e.sequence from shown s join concerned p using (product_id)
          join events e on e.tenant_id = current_tenant() and e.kind = s.kind and e.resource_id = s.resource_id
           and e.sequence > p.low and e.sequence <= p.high
      )
      select s.product_id as "productId", e.kind, e.resource_id as id, e.sequence::float8 as sequence,
             e.resource_version as version,
             (select ${instantText(sql`f.occurred_at`)} from events f
               where f.tenant_id = e.tenant_id and f.kind = e.kind and f.resource_id = e.resource_id
               order by f.sequence limit 1) as "createdAt",
             ${instantText(sql`e.occurred_at`)} as "updatedAt", e.document
        from states s join events e on e.tenant_id = current_tenant() and e.sequence = s.sequence
       where e.document is not null
       order by e.sequence`),
  ]
}

/** What a product embedded at a sequence, read as far as it is asked for. */
export type Moment = {
  readonly options: () => OptionParts[]
  /** The values of an option, also of one that is deleted at this very sequence. */
  readonly values: (optionId: string) => ValueParts[]
  readonly variants: () => VariantParts[]
  readonly variantsTotal: () => number
}
/** What a product embedded at a sequence. */
export type History = (productId: string, sequence: number) => Moment

/** Puts the rows of `historyStatements` together. Cheapest when asked in ascending order. */
export function historyOf(
  moves: readonly MoveRow[],
  states: readonly StateRow[],
  embeddedVariants: number,
): History {
  const movesOf = Map.groupBy(moves, (each) => each.productId)
  const statesOf = Map.groupBy(states, (each) => each.id)
  const orders = new Map<string, Order>()
  const parsed = new Map<StateRow, object>()
  const orderAt = (productId: string, sequence: number) => {
    let order = orders.get(productId)
    if (!order || order.sequence > sequence) order = new Order(movesOf.get(productId) ?? [])
    orders.set(productId, order)
    order.advance(sequence)
    return order
  }
  const partsAt = (id: string, sequence: number, position: number) => {
    const found = (statesOf.get(id) ?? []).findLast((each) => each.sequence <= sequence)
    if (!found) return []
    const { version, createdAt, updatedAt } = found
    // Neighbouring events of a product show mostly the same.
    const kept = parsed.get(found) ?? (JSON.parse(found.document) as object)
    parsed.set(found, kept)
    return [{ ...kept, version, createdAt, updatedAt, position }]
  }
  return (productId, sequence) => {
    const idsOf = (group: string) => orderAt(productId, sequence).ids(group)
    // What an event's document holds is what its slice put into it.
    const read = <Parts>(ids: readonly string[]) =>
      ids.flatMap((id, position) => partsAt(id, sequence, position)) as Parts[]
    const values = (optionId: string) => read<ValueParts>(idsOf(optionId))
    return {
      values,
      options: () =>
        read<OptionParts>(idsOf(options)).map((option) => ({ ...option, values: values(option.id) })),
      variants: () => read<VariantParts>(idsOf(variants).slice(0, embeddedVariants)),
      variantsTotal: () => idsOf(variants).length,
    }
  }
}

const options = 'product_options'
const variants = 'variants'

/** The order of a product's options, of each option's values and of its variants, as it comes about move by move. */
class Order {
  sequence = 0
  readonly #moves: readonly MoveRow[]
  #next = 0
  readonly #groups = new Map<string, string[]>()
  readonly #groupOf = new Map<string, string>()

  constructor(moves: readonly MoveRow[]) {
    this.#moves = moves
  }

  ids(group: string): readonly string[] {
    return this.#groups.get(group) ?? []
  }

  advance(to: number): void {
    this.sequence = to
    while (this.#next < this.#moves.length && this.#moves[this.#next]!.sequence <= to) {
      // The moves of one write tell where each came to stand when all were made: from the front, none displaces another.
      const { requestId } = this.#moves[this.#next]!
      const together: MoveRow[] = []
      for (let each = this.#moves[this.#next]; each?.requestId === requestId && each.sequence <= to; ) {
        together.push(each)
        this.#next += 1
        each = this.#moves[this.#next]
      }
      for (const each of together) this.#leave(each.id)
      together.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
      for (const each of together) if (each.at !== null) this.#enter(each, each.at)
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
