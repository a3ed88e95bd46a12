import { getTableName } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import type { Statement } from './statement.ts'
import { stepStatement } from './steps.ts'

/** A row and its position in the finished order. */
type Placed = { readonly id: string; readonly position: number }

/**
 * Renumbers the children of an owner so that `moved` stand at `at` (0-based, beyond the end is the end) in the given order, and
 * everyone's position is gapless. Rows already in place are not touched.
 */
export function place(
  table: AnyPgTable,
  owner: string | null,
  moved: readonly string[] = [],
  at = 0,
): Statement {
  return placeAll(
    table,
    owner,
    moved.map((id, index) => ({ id, position: at + index })),
  )
}

/** Puts children of an owner at their final positions: the siblings that are not named keep their order and fill the places between. */
export function placeAll(table: AnyPgTable, owner: string | null, placed: readonly Placed[]): Statement {
  return stepStatement({
    do: 'place',
    table: getTableName(table),
    owner,
    moved: placed.map((each) => each.id),
    places: placed.map((each) => Math.min(each.position, farthest)),
  })
}

/** Beyond any end, with room for what follows in 32 bits. */
const farthest = 2_000_000_000
