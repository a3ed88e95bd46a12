import { sql } from 'drizzle-orm'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { freeHandle, ownHandle } from '../../core/slug.ts'
import { created, defaultText, render, type State, stateOf, type TextUpdate } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { type Statement, statement } from '../../db/query.ts'
import { textArray } from '../../db/write-steps.ts'
import { customFieldViolations, metaobjectIdsOf, type References } from '../fields/custom-fields.ts'
import type { CategoryParts } from './document.ts'
import { categoryProblems } from './problems.ts'
import type { ChildrenRow, NewRow, Node } from './read.ts'
import { type Body, categoryIri, maximumLevels, category as shape } from './schema.ts'

/** What a write says about a category's place: its parent and its children; undefined where it says nothing. */
export type Links = {
  readonly id: string
  readonly parentId: string | null | undefined
  readonly children: readonly string[] | undefined
  /** The path of a property of this category in the body. */
  readonly at: (property: string) => string
}

/** The links that a body writes. */
export function linksOf(
  id: string,
  { parent, children }: Pick<Body, 'parent' | 'children'>,
  at: (property: string) => string,
): Links {
  return { id, parentId: parent, children: children === null ? [] : children, at }
}

/** All ids that links name. */
export function linked(all: readonly Links[]): string[] {
  return [
    ...new Set(all.flatMap(({ parentId, children = [] }) => (parentId ? [parentId, ...children] : children))),
  ]
}

/** What is wrong with links by themselves: unknown references, a child twice. */
function linkViolations(all: readonly Links[], known: ReadonlyMap<string, Node>): Violation[] {
  const claimed = new Set<string>()
  return all.flatMap(({ id, parentId, children = [], at }) => {
    const unknown = (path: string, each: string) =>
      known.has(each) || each === id
        ? []
        : [validationProblems.unknown_reference.at(path, { iri: categoryIri(each) })]
    return [
      ...(parentId ? unknown(at('parent'), parentId) : []),
      ...children.flatMap((child, index) => {
        const path = `${at('children')}[${index}]`
        if (claimed.has(child)) return [validationProblems.duplicate_item.at(path)]
        claimed.add(child)
        return unknown(path, child)
      }),
    ]
  })
}

/** Categories that would come to stand above themselves, told at the property that puts them there. */
function cycleViolations(all: readonly Links[], known: ReadonlyMap<string, Node>): Violation[] {
  const parents = new Map([...known.values()].map((each) => [each.id, each.parentId]))
  // Children that are left out become roots; those listed come under their new parent, which a parent of their own overrules.
  for (const { id, children } of all) {
    if (children) for (const each of known.values()) if (each.parentId === id) parents.set(each.id, null)
  }
  for (const { id, children = [] } of all) for (const child of children) parents.set(child, id)
  for (const { id, parentId } of all) if (parentId !== undefined) parents.set(id, parentId)
  return all.flatMap(({ id, children = [], at }) => {
    const itself = children.indexOf(id)
    if (itself >= 0) return [categoryProblems.cycle.at(`${at('children')}[${itself}]`)]
    const seen = new Set<string>()
    for (let up = parents.get(id) ?? null; up !== null && !seen.has(up); up = parents.get(up) ?? null) {
      seen.add(up)
      const index = children.indexOf(up)
      if (index >= 0) return [categoryProblems.cycle.at(`${at('children')}[${index}]`)]
      if (up === id) return [categoryProblems.cycle.at(at('parent'))]
    }
    return []
  })
}

/** A name that another category has. */
export type Taken = { readonly kind: 'handle' | 'externalId'; readonly value: string }
type Names = { readonly handle?: string | null; readonly externalId?: string | null }

/** Finds out which names others than the category itself have. */
export function takenStatement(
  handles: readonly string[],
  externalIds: readonly string[],
  except: string | null = null,
): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from categories
     where tenant_id = current_tenant() and handle = any(${textArray(handles)}) and id is distinct from ${except}::uuid
    union all
    select 'externalId', external_id from categories
     where tenant_id = current_tenant() and external_id = any(${textArray(externalIds)}) and id is distinct from ${except}::uuid`)
}

/** The names that are not free, by their kind. */
type TakenNames = { readonly handles: Set<string>; readonly externalIds: Set<string> }

/** The names that were found. */
function takenNames(taken: readonly Taken[]): TakenNames {
  const of = (kind: Taken['kind']) =>
    new Set(taken.flatMap((each) => (each.kind === kind ? [each.value] : [])))
  return { handles: of('handle'), externalIds: of('externalId') }
}

export function textsIn(values: readonly (string | null | undefined)[]): string[] {
  return values.filter((each) => typeof each === 'string')
}

/** Claims a handle and an external id, which must be free, so that they are taken; within a request the later of two namesakes is refused. */
function claim(
  { handle, externalId }: Names,
  taken: TakenNames,
  at: (property: string) => string,
): Violation[] {
  const found: Violation[] = []
  if (typeof handle === 'string') {
    if (taken.handles.has(handle)) found.push(categoryProblems.handle_taken.at(at('handle'), { handle }))
    taken.handles.add(handle)
  }
  if (typeof externalId === 'string') {
    if (taken.externalIds.has(externalId)) {
      found.push(categoryProblems.external_id_taken.at(at('externalId'), { externalId }))
    }
    taken.externalIds.add(externalId)
  }
  return found
}

/** What a written category comes to, decided from what was read of it and of those around it. */

/** Beyond any end, for a place at the end. */
export const atEnd = 2_147_483_647

/** What shall become of a category. */
export type RequestedChange = {
  readonly id: string
  readonly body: Body
  readonly rewrite: TextUpdate<typeof shape>
}

/** What was read beside the category itself. */
export type Around = {
  readonly nodes: readonly Node[]
  readonly siblings: readonly { readonly siblings: number }[]
  readonly taken: readonly Taken[]
  readonly references: References
}

/** What changes of a category; null is what stays. */
export type ChangeDecision = {
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
export function decideChange(
  wanted: RequestedChange,
  own: CategoryParts,
  around: Around,
): ChangeDecision | null {
  const { id, body, rewrite } = wanted
  const links = linksOf(id, body, (property) => property)
  const known = new Map(around.nodes.map((each) => [each.id, each]))
  const before = stateOf(shape, readWhole(own))
  const { state, violations } = rewrite.apply(before)
  throwViolations([
    ...violations,
    ...customFieldViolations({ fields: body.fields, before, after: state }, around.references),
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...linkViolations([links], known),
  ])
  throwViolations(cycleViolations([links], known))
  throwViolations(claim(body, takenNames(around.taken), links.at))

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

function movesOf({ parentId }: CategoryParts, links: Links): ChangeDecision['moves'] {
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

/** 422 `category.too_deep` at a path. */
export function tooDeep(path: string): Error {
  const values = { maximum: maximumLevels }
  return categoryProblems.too_deep(values, { violations: [categoryProblems.too_deep.at(path, values)] })
}

/** New categories that would stand below the deepest level. */
function depthViolations(links: readonly Links[], known: ReadonlyMap<string, Node>) {
  return links.flatMap(({ parentId, at }) => {
    const parent = parentId ? known.get(parentId) : undefined
    return parent && parent.level + 1 >= maximumLevels
      ? [categoryProblems.too_deep.at(at('parent'), { maximum: maximumLevels })]
      : []
  })
}

/** A new category: its row, its links, and where among its siblings it shall stand. */
export type NewCategory = {
  readonly links: Links
  readonly state: State<typeof shape>
  readonly row: NewRow
  readonly position: number | null
}

/** Makes a new category of a written one. */
function newCategoryOf(context: Context, links: Links, body: Body): NewCategory {
  const { locales } = context.tenant
  const state = created(shape, body, context.locale)
  const { id } = links
  return {
    links,
    state,
    position: typeof body.position === 'number' && body.position >= 0 ? body.position : null,
    row: {
      id,
      external_id: state.values.externalId,
      handle: String(state.values.handle),
      title: defaultText(state, 'title', locales) ?? '',
      parent_id: links.parentId ?? null,
      metaobject_ids: metaobjectIdsOf(state.values.fields),
      document: render(shape, { iri: categoryIri(id), id }, state, locales),
      translations: state.translations,
    },
  }
}

/** What new categories come to, decided from what was read of those around them. */

/** A category that is to be created, and the handle that its title gives. */
export type RequestedCategory = { readonly body: Body; readonly links: Links; readonly base: string }

type Found = {
  readonly nodes: readonly Node[]
  readonly counts: readonly ChildrenRow[]
  readonly taken: readonly Taken[]
  readonly references: References
}

/** New categories, and those that exist and come below them. */
export type CreationDecision = {
  readonly additions: readonly NewCategory[]
  readonly moved: readonly { readonly node: Node; readonly parentId: string }[]
  /** How many children of each parent stay there. */
  readonly siblings: ReadonlyMap<string | null, number>
}

/** `crowded` is true when others keep taking the derived handles. @throws Problem 409, 422 for what cannot be */
export function decideCreation(
  context: Context,
  wanted: readonly RequestedCategory[],
  { nodes, counts, taken, references }: Found,
  crowded: boolean,
): CreationDecision {
  const links = wanted.map((each) => each.links)
  const known = new Map(nodes.map((each) => [each.id, each]))
  const misfits = wanted.flatMap(({ body, links: { at } }) => {
    const after = created(shape, body, context.locale)
    return customFieldViolations({ fields: body.fields, before: null, after }, references, at)
  })
  throwViolations([...linkViolations(links, known), ...misfits])
  throwViolations([...cycleViolations(links, known), ...depthViolations(links, known)])
  const names = takenNames(taken)
  // Given names come first, so that none is derived that another of the request asks for.
  throwViolations(wanted.flatMap(({ body, links: { at } }) => claim(body, names, at)))
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
