/** Where new categories come to stand among their siblings: as if each had been created after the one before it. */

import type { Statement } from '../../db/client.ts'
import { place, placeAll } from '../../db/place.ts'
import { categories } from './table.ts'
import { childrenOf } from './tree.ts'

/** A new category and its written position; null is the end. */
export type Placing = {
  readonly id: string
  readonly parentId: string | null
  readonly position: number | null
}

/**
 * Moves rows that were appended in this order to their positions, in one statement for each parent, however many siblings
 * there are. `siblings` counts those that were there when it was read: the ends of a bulk are before whoever came since.
 */
export function placements(
  placings: readonly Placing[],
  siblings: ReadonlyMap<string | null, number>,
): Statement[] {
  return [...Map.groupBy(placings, (each) => each.parentId)].flatMap(([parentId, family]) => {
    const [first, ...others] = family
    const condition = childrenOf(parentId)
    if (family.every(({ position }) => position === null)) return []
    if (others.length === 0) return [place(categories, condition, [first!.id], first!.position!)]
    return [placeAll(categories, condition, positionsOf(family, siblings.get(parentId) ?? 0))]
  })
}

function positionsOf(family: readonly Placing[], before: number) {
  const order: (string | null)[] = Array.from({ length: before }, () => null)
  for (const { id, position } of family) order.splice(position ?? order.length, 0, id)
  return order.flatMap((id, position) => (id === null ? [] : [{ id, position }]))
}
