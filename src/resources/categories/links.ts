import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { categoryIri } from './iri.ts'
import { categoryProblems } from './problems.ts'
import type { Body } from './schema.ts'
import type { Node } from './tree.ts'

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
export function linkViolations(all: readonly Links[], known: ReadonlyMap<string, Node>): Violation[] {
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
export function cycleViolations(all: readonly Links[], known: ReadonlyMap<string, Node>): Violation[] {
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
