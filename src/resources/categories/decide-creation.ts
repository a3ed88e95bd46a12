/** What new categories come to, decided from what was read of those around them. */
import { freeHandle, ownHandle } from '../../core/handle.ts'
import type { Context } from '../../core/operation.ts'
import { created } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { customFieldViolations, type References } from '../content/custom-fields/index.ts'
import { depthViolations } from './depth.ts'
import { cycleViolations, type Links, linkViolations } from './links.ts'
import { claim, type Taken, type TakenNames, takenNames } from './names.ts'
import { type NewCategory, newCategoryOf } from './new-category.ts'
import { type Body, category as shape } from './schema.ts'
import type { ChildrenRow, Node } from './tree.ts'

/** A category that is to be created, and the handle that its title gives. */
export type RequestedCategory = { readonly body: Body; readonly links: Links; readonly base: string }

type Found = {
  readonly nodes: readonly Node[]
  readonly counts: readonly ChildrenRow[]
  readonly taken: readonly Taken[]
  readonly references: References
}

/** New categories, and those that exist and come below them. */
export type Decision = {
  readonly additions: readonly NewCategory[]
  readonly moved: readonly { readonly node: Node; readonly parentId: string }[]
  /** How many children of each parent stay there. */
  readonly siblings: ReadonlyMap<string | null, number>
}

/** `crowded` is true when others keep taking the derived handles. @throws Problem 409, 422 for what cannot be */
export function decide(
  context: Context,
  wanted: readonly RequestedCategory[],
  { nodes, counts, taken, references }: Found,
  crowded: boolean,
): Decision {
  const links = wanted.map((each) => each.links)
  const known = new Map(nodes.map((each) => [each.id, each]))
  const misfits = wanted.flatMap(({ body, links: { at } }) => {
    const after = created(shape, body, context.locale)
    return customFieldViolations({ fields: body.fields, before: null, after }, references, at)
  })
  refuse([...linkViolations(links, known), ...misfits])
  refuse([...cycleViolations(links, known), ...depthViolations(links, known)])
  const names = takenNames(taken)
  // Given names come first, so that none is derived that another of the request asks for.
  refuse(wanted.flatMap(({ body, links: { at } }) => claim(body, names, at)))
  const moved = links.flatMap(({ id, children = [] }) =>
    children.flatMap((child) => {
      const node = known.get(child)
      return node ? [{ node, parentId: id }] : []
    }),
  )
  return {
    additions: wanted.map((each) => {
      const handle = each.body.handle ?? derivedHandle(each, wanted, names, crowded)
      return newCategoryOf(context, each.links, { ...each.body, handle })
    }),
    moved,
    siblings: remaining(counts, moved),
  }
}

/** A handle of the title that nobody has, which is then taken. */
function derivedHandle(
  { base, links: { id } }: RequestedCategory,
  wanted: readonly RequestedCategory[],
  { handles }: TakenNames,
  crowded: boolean,
): string {
  const handle = crowded ? ownHandle(base, id) : freeHandle(base, handles, id, namesakes(wanted, base))
  handles.add(handle)
  return handle
}

function remaining(
  counts: readonly ChildrenRow[],
  moved: readonly { node: Node }[],
): ReadonlyMap<string | null, number> {
  const leaving = Map.groupBy(moved, ({ node }) => node.parentId)
  return new Map(
    counts.map(({ parentId, children }) => [parentId, children - (leaving.get(parentId)?.length ?? 0)]),
  )
}

/** How many others of a request have a title that gives the same handle. */
export function namesakes(wanted: readonly RequestedCategory[], base: string): number {
  return wanted.filter((each) => each.base === base).length - 1
}
