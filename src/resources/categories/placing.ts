/** Where new categories come to stand among their siblings: as if each had been created after the one before it. */

import type { Statement } from '../../db/client.ts'
import { place, placeAll } from '../../db/place.ts'
import { categories } from './table.ts'

/** A new category and its written position; null is the end. */
export type Placing = {
  readonly id: string
  readonly parentId: string | null
  readonly position: number | null
}

/**
 * Moves rows that were appended in this order to their positions, family by family. `siblings` counts those that were there when
 * it was read: the ends of a bulk are before whoever came since.
 */
export function placements(
  placings: readonly Placing[],
  siblings: ReadonlyMap<string | null, number>,
): Statement[] {
  const [first, ...others] = placings
  if (first && others.length === 0 && first.position !== null)
    return [place(categories, first.parentId, [first.id], first.position)]
  const families = [...Map.groupBy(placings, (each) => each.parentId)].filter(([, family]) =>
    family.some(({ position }) => position !== null),
  )
  return families.map(([parentId, family]) =>
    placeAll(categories, parentId, positionsOf(family, siblings.get(parentId) ?? 0)),
  )
}

function positionsOf(family: readonly Placing[], before: number) {
  const order: (string | null)[] = Array.from({ length: before }, () => null)
  for (const { id, position } of family) order.splice(position ?? order.length, 0, id)
  return order.flatMap((id, position) => (id === null ? [] : [{ id, position }]))
}
