import type { Statement } from '../../db/client.ts'
import { closeGaps, type Node, refuseCycles, reparent, settleLevels } from './tree.ts'

/** The categories that come below another, that leave it, and where it goes itself. */
type Moves = {
  readonly added: readonly Node[]
  readonly dropped: readonly Node[]
  readonly to: { readonly from: string | null; readonly parentId: string | null } | null
}

/** The statements that move categories in the tree; nothing where nothing moves. */
export function moveStatements(id: string, { added, dropped, to }: Moves): Statement[] {
  const ids = (nodes: readonly Node[]) => nodes.map((each) => each.id)
  const moved = [...ids(added), ...ids(dropped), ...(to ? [id] : [])]
  if (moved.length === 0) return []
  const left = new Set(added.map((each) => each.parentId))
  if (to) left.add(to.from)
  return [
    ...reparent(ids(added), id),
    ...reparent(ids(dropped), null),
    ...(to ? reparent([id], to.parentId) : []),
    refuseCycles([id]),
    settleLevels(moved),
    ...closeGaps([...left]),
  ]
}
