/** What a written category comes to, decided from what was read of it and of those around it. */
import { sameJson } from '../../core/patch.ts'
import { validationProblems } from '../../core/problems/index.ts'
import type { Rewrite } from '../../core/rewrite.ts'
import { type State, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { customFieldViolations, type References } from '../content/custom-fields/index.ts'
import type { CategoryParts } from './document.ts'
import { cycleViolations, type Links, linksOf, linkViolations } from './links.ts'
import { claim, type Taken, takenNames } from './names.ts'
import { type Body, category as shape } from './schema.ts'
import type { Node } from './tree.ts'

/** Beyond any end, for a place at the end. */
export const atEnd = 2_147_483_647

/** What shall become of a category. */
export type RequestedChange = {
  readonly id: string
  readonly body: Body
  readonly rewrite: Rewrite<typeof shape>
}

/** What was read beside the category itself. */
export type Around = {
  readonly nodes: readonly Node[]
  readonly siblings: readonly { readonly siblings: number }[]
  readonly taken: readonly Taken[]
  readonly references: References
}

/** What changes of a category; null is what stays. */
export type Decision = {
  /** As it was, its children all and by id. */
  readonly own: Omit<CategoryParts, 'children'> & { readonly children: readonly string[] }
  readonly before: State<typeof shape>
  readonly state: State<typeof shape> | null
  readonly children: readonly string[] | null
  readonly added: readonly Node[]
  readonly dropped: readonly Node[]
  readonly moves: { readonly from: string | null; readonly parentId: string | null } | null
  readonly position: number | null
}

/** @throws Problem 409, 422 for what cannot be; null where nothing changes */
export function decide(wanted: RequestedChange, own: CategoryParts, around: Around): Decision | null {
  const { id, body, rewrite } = wanted
  const links = linksOf(id, body, (property) => property)
  const known = new Map(around.nodes.map((each) => [each.id, each]))
  const before = stateOf(shape, readWhole(own))
  const { state, violations } = rewrite.apply(before)
  refuse([
    ...violations,
    ...customFieldViolations({ fields: body.fields, before, after: state }, around.references),
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...linkViolations([links], known),
  ])
  refuse(cycleViolations([links], known))
  refuse(claim(body, takenNames(around.taken), links.at))

  const moves = movesOf(own, links)
  const [{ siblings } = { siblings: 1 }] = around.siblings
  const position = placeOf(body, moves ? null : { own: own.position, last: siblings - 1 })
  const current = idsOf(own)
  const children = links.children && !sameJson(links.children, current) ? links.children : null
  const writesState = !sameJson(before, state)
  if (!writesState && !children && !moves && position === null) return null
  const nodesOf = (ids: readonly string[]) => ids.flatMap((each) => known.get(each) ?? [])
  return {
    own: { ...own, children: current },
    before,
    state: writesState ? state : null,
    children,
    added: children ? nodesOf(children.filter((each) => !current.includes(each))) : [],
    dropped: children ? nodesOf(current.filter((each) => !children.includes(each))) : [],
    moves,
    position,
  }
}

function movesOf({ parentId }: CategoryParts, links: Links): Decision['moves'] {
  if (links.parentId === undefined || links.parentId === parentId) return null
  return { from: parentId, parentId: links.parentId }
}

/** Children are read as ids here. */
function idsOf({ children }: CategoryParts): string[] {
  return (children ?? []).map((each) => (typeof each === 'string' ? each : each.id))
}

/** What is asked for alone is read whatever it weighs. */
function readWhole({ document, ...parts }: CategoryParts) {
  if (document === null) throw new Error('a category was read without its document')
  return { ...parts, document }
}

/** Where a written position puts the category; null where it stays or, newly under a parent, comes last anyway. */
function placeOf({ position }: Body, stays: { own: number; last: number } | null): number | null {
  if (position === undefined) return null
  const wanted = typeof position === 'number' && position >= 0 ? Math.min(position, atEnd) : atEnd
  if (!stays) return wanted === atEnd ? null : wanted
  return Math.min(wanted, stays.last) === stays.own ? null : wanted
}
