import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { created, defaultText, render, type State, stateOf, type TextUpdate } from '../../core/state.ts'
import { problemOfViolation, throwViolations } from '../../core/violations.ts'
import { customFieldViolations, metaobjectIdsOf, type References } from '../fields/custom-fields.ts'
import { namesInUse, type TakenName } from '../shared/names.ts'
import { positionIn } from '../shared/properties.ts'
import type { CategoryParts } from './document.ts'
import { categoryProblems } from './problems.ts'
import { type Body, categoryIri, maximumLevels, category as shape } from './schema.ts'
import type { ChildrenRow, Node } from './tree.ts'

/** The parent and children in a request body; undefined for absent properties. */
export type Links = {
  readonly id: string
  readonly parentId: string | null | undefined
  readonly children: readonly string[] | undefined
  /** Returns the path of a property of this category in the body. */
  readonly at: (property: string) => string
}

export function linksOf(
  id: string,
  { parent, children }: Pick<Body, 'parent' | 'children'>,
  at: (property: string) => string,
): Links {
  return { id, parentId: parent, children: children === null ? [] : children, at }
}

export function idsOfLinks(all: readonly Links[]): string[] {
  return [
    ...new Set(all.flatMap(({ parentId, children = [] }) => (parentId ? [parentId, ...children] : children))),
  ]
}

/** Violations that each link shows alone: unknown references and duplicate children. */
function linkViolations(all: readonly Links[], nodes: ReadonlyMap<string, Node>): Violation[] {
  const childIds = new Set<string>()
  return all.flatMap(({ id, parentId, children = [], at }) => {
    const unknownReference = (path: string, referredId: string) =>
      nodes.has(referredId) || referredId === id
        ? []
        : [validationProblems.unknown_reference.at(path, { iri: categoryIri(referredId) })]
    return [
      ...(parentId ? unknownReference(at('parent'), parentId) : []),
      ...children.flatMap((child, index) => {
        const path = `${at('children')}[${index}]`
        if (childIds.has(child)) return [validationProblems.duplicate_item.at(path)]
        childIds.add(child)
        return unknownReference(path, child)
      }),
    ]
  })
}

/** Violations for categories that would become their own ancestors, at the property that causes the cycle. */
function cycleViolations(all: readonly Links[], nodes: ReadonlyMap<string, Node>): Violation[] {
  const parents = new Map([...nodes.values()].map((node) => [node.id, node.parentId]))
  // Omitted children become roots. Listed children move under their new parent, unless their own `parent` overrides it.
  for (const { id, children } of all) {
    if (children) for (const node of nodes.values()) if (node.parentId === id) parents.set(node.id, null)
  }
  for (const { id, children = [] } of all) for (const child of children) parents.set(child, id)
  for (const { id, parentId } of all) if (parentId !== undefined) parents.set(id, parentId)
  return all.flatMap(({ id, children = [], at }) => {
    const ownIndex = children.indexOf(id)
    if (ownIndex >= 0) return [categoryProblems.cycle.at(`${at('children')}[${ownIndex}]`)]
    const visited = new Set<string>()
    for (
      let ancestor = parents.get(id) ?? null;
      ancestor !== null && !visited.has(ancestor);
      ancestor = parents.get(ancestor) ?? null
    ) {
      visited.add(ancestor)
      const index = children.indexOf(ancestor)
      if (index >= 0) return [categoryProblems.cycle.at(`${at('children')}[${index}]`)]
      if (ancestor === id) return [categoryProblems.cycle.at(at('parent'))]
    }
    return []
  })
}

const nameProblems = {
  handle: categoryProblems.handle_taken,
  externalId: categoryProblems.external_id_taken,
}

/** Larger than any position: places the category at the end. */
export const endPosition = 2_147_483_647

/** The requested change of a category. */
export type RequestedChange = {
  readonly id: string
  readonly body: Body
  readonly textUpdate: TextUpdate<typeof shape>
}

/** The rows loaded in addition to the category. */
export type RelatedRows = {
  readonly nodes: readonly Node[]
  readonly siblings: readonly { readonly siblings: number }[]
  readonly taken: readonly TakenName[]
  readonly references: References
}

/** The changes of a category; null for unchanged parts. */
export type ChangeDecision = {
  /** The category before the change, with all children by id. */
  readonly current: Omit<CategoryParts, 'children'> & { readonly children: readonly string[] }
  readonly before: State<typeof shape>
  readonly state: State<typeof shape> | null
  readonly children: readonly string[] | null
  readonly added: readonly Node[]
  readonly dropped: readonly Node[]
  readonly moves: { readonly from: string | null; readonly parentId: string | null } | null
  readonly position: number | null
}

/** Decides a change of a category. Returns null if nothing changes. @throws Problem 409, 422 */
export function decideChange(
  request: RequestedChange,
  category: CategoryParts,
  related: RelatedRows,
): ChangeDecision | null {
  const { id, body, textUpdate } = request
  const links = linksOf(id, body, (property) => property)
  const nodes = new Map(related.nodes.map((node) => [node.id, node]))
  const before = stateOf(shape, withDocument(category))
  const { state, violations } = textUpdate.apply(before)
  throwViolations([
    ...violations,
    ...customFieldViolations({ fields: body.fields, before, after: state }, related.references),
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...linkViolations([links], nodes),
  ])
  throwViolations(cycleViolations([links], nodes))
  throwViolations(namesInUse(related.taken).reserveAll(body, nameProblems))

  const moves = movesOf(category, links)
  const [{ siblings } = { siblings: 1 }] = related.siblings
  const position = newPositionOf(body, moves ? null : { current: category.position, last: siblings - 1 })
  const childIds = idsOf(category)
  const children = links.children && !sameJson(links.children, childIds) ? links.children : null
  const isStateChanged = !sameJson(before, state)
  if (!isStateChanged && !children && !moves && position === null) return null
  const nodesOf = (ids: readonly string[]) => ids.flatMap((nodeId) => nodes.get(nodeId) ?? [])
  return {
    current: { ...category, children: childIds },
    before,
    state: isStateChanged ? state : null,
    children,
    added: children ? nodesOf(children.filter((childId) => !childIds.includes(childId))) : [],
    dropped: children ? nodesOf(childIds.filter((childId) => !children.includes(childId))) : [],
    moves,
    position,
  }
}

function movesOf({ parentId }: CategoryParts, links: Links): ChangeDecision['moves'] {
  if (links.parentId === undefined || links.parentId === parentId) return null
  return { from: parentId, parentId: links.parentId }
}

/** Children are always read as ids here. */
function idsOf({ children }: CategoryParts): string[] {
  return (children ?? []).map((child) => (typeof child === 'string' ? child : child.id))
}

/** The document is always read here, because a single category has no byte limit. */
function withDocument({ document, ...parts }: CategoryParts) {
  if (document === null) throw new Error('a category was read without its document')
  return { ...parts, document }
}

/** The new position; null if the category stays in place or would be last under a new parent anyway. */
function newPositionOf({ position }: Body, stays: { current: number; last: number } | null): number | null {
  if (position === undefined) return null
  const requested = positionIn(position, endPosition)
  if (!stays) return requested === endPosition ? null : requested
  return Math.min(requested, stays.last) === stays.current ? null : requested
}

/** 422 `category.too_deep` at a path. */
export function tooDeep(path: string): Error {
  return problemOfViolation(categoryProblems.too_deep.at(path, { maximum: maximumLevels }))
}

/** Violations for new categories below the deepest allowed level. */
function depthViolations(links: readonly Links[], nodes: ReadonlyMap<string, Node>) {
  return links.flatMap(({ parentId, at }) => {
    const parent = parentId ? nodes.get(parentId) : undefined
    return parent && parent.level + 1 >= maximumLevels
      ? [categoryProblems.too_deep.at(at('parent'), { maximum: maximumLevels })]
      : []
  })
}

/** The row of a category without its place in the tree, which the database computes. */
export function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const { locales } = context.tenant
  return {
    id,
    externalId: state.values.externalId,
    handle: String(state.values.handle),
    title: defaultText(state, 'title', locales) ?? '',
    metaobjectIds: metaobjectIdsOf(state.values.fields),
    document: render(shape, { iri: categoryIri(id), id }, state, locales),
    translations: state.translations,
  }
}

/** A new category: its row, its links, and its position among its siblings. */
export type NewCategory = {
  readonly links: Links
  readonly state: State<typeof shape>
  readonly row: ReturnType<typeof rowOf> & { readonly parentId: string | null }
  readonly position: number | null
}

function newCategoryOf(context: Context, links: Links, body: Body): NewCategory {
  const state = created(shape, body, context.locale)
  const { id } = links
  return {
    links,
    state,
    position: typeof body.position === 'number' && body.position >= 0 ? body.position : null,
    row: { ...rowOf(context, id, state), parentId: links.parentId ?? null },
  }
}

/** A category to create, and the handle derived from its title. */
export type RequestedCategory = { readonly body: Body; readonly links: Links; readonly base: string }

type CreationInputs = {
  readonly nodes: readonly Node[]
  readonly counts: readonly ChildrenRow[]
  readonly taken: readonly TakenName[]
  readonly references: References
}

/** New categories, and existing categories that move below them. */
export type CreationDecision = {
  readonly additions: readonly NewCategory[]
  readonly moved: readonly { readonly node: Node; readonly parentId: string }[]
  /** The number of remaining children of each parent. */
  readonly siblings: ReadonlyMap<string | null, number>
}

/**
 * Decides which rows to create and move. `isRetried` is true after a lost race.
 * @throws Problem 409, 422
 */
export function decideCreation(
  context: Context,
  requests: readonly RequestedCategory[],
  { nodes: nodeRows, counts, taken, references }: CreationInputs,
  isRetried: boolean,
): CreationDecision {
  const links = requests.map((request) => request.links)
  const nodes = new Map(nodeRows.map((node) => [node.id, node]))
  const fieldViolations = requests.flatMap(({ body, links: { at } }) => {
    const after = created(shape, body, context.locale)
    return customFieldViolations({ fields: body.fields, before: null, after }, references, at)
  })
  throwViolations([...linkViolations(links, nodes), ...fieldViolations])
  throwViolations([...cycleViolations(links, nodes), ...depthViolations(links, nodes)])
  const names = namesInUse(taken)
  // Reserves explicit handles first, so that no derived handle conflicts with one in the same request.
  throwViolations(requests.flatMap(({ body, links: { at } }) => names.reserveAll(body, nameProblems, at)))
  const moved = links.flatMap(({ id, children = [] }) =>
    children.flatMap((child) => {
      const node = nodes.get(child)
      return node ? [{ node, parentId: id }] : []
    }),
  )
  return {
    additions: requests.map(({ body, base, links }) => {
      const handle =
        body.handle ?? names.reserveHandle(base, links.id, isRetried, countSameBase(requests, base))
      return newCategoryOf(context, links, { ...body, handle })
    }),
    moved,
    siblings: remainingChildren(counts, moved),
  }
}

function remainingChildren(
  counts: readonly ChildrenRow[],
  moved: readonly { node: Node }[],
): ReadonlyMap<string | null, number> {
  const leaving = Map.groupBy(moved, ({ node }) => node.parentId)
  return new Map(
    counts.map(({ parentId, children }) => [parentId, children - (leaving.get(parentId)?.length ?? 0)]),
  )
}

/** Counts the other categories of a request whose titles derive the same handle. */
export function countSameBase(requests: readonly RequestedCategory[], base: string): number {
  return requests.filter((request) => request.base === base).length - 1
}
