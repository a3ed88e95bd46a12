/** The collections of a product as its own writer names them: those made by hand are chosen, the others follow from rules. */
import { sql } from 'drizzle-orm'
import type { Context } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import type { Guarded } from '../../../core/write.ts'
import { statement } from '../../../db/client.ts'
import { gathered, made, nothing, type Reading } from '../../../db/reading.ts'
import { uuids } from '../../../db/rows.ts'
import { collectionIri } from './iri.ts'
import { collectionProblems } from './problems.ts'
import type { Subject } from './rules.ts'
import { sorted, type TenantRules } from './sorting.ts'

/** How many collections made by hand a product may be in. */
export const mostChosen = 250

/** The property `collections` of a written product, as its shape has read it; undefined where it was not written. */
export function writtenCollections({ collections }: Choosing): readonly string[] | undefined {
  return collections === null ? [] : collections
}

type Choosing = { readonly collections?: readonly string[] | null }

/** Which of the collections that are named there are. */
export function existingCollections(ids: readonly string[]): Reading<readonly { readonly id: string }[]> {
  if (ids.length === 0) return made(nothing, () => [])
  const found = statement<{ id: string }>(
    sql`select id from collections where tenant_id = current_tenant() and id = any(${uuids(ids)})`,
  )
  return made(gathered({ found }), (read) => read.found)
}

/**
 * Demands the scope that adding and removing members takes, where a written product enters or leaves collections made by hand.
 * @throws 403 without `collections:write`
 */
export function demandChoice(
  { demand }: Pick<Context, 'demand'>,
  written: readonly string[] | undefined,
  current: readonly string[],
  rules: TenantRules,
): void {
  if (written && !sameChoice(written, current, rules)) demand(['collections:write'])
}

type Surroundings = {
  /** Those that the product is in. */
  readonly current: readonly string[]
  /** What it will be. */
  readonly subject: Subject
  readonly existing: ReadonlySet<string>
  readonly rules: TenantRules
}

/** Where a product will be. */
type Placed = {
  readonly collections: readonly string[]
  /** Whether what it is chosen for stays the same. */
  readonly sameChoice: boolean
  readonly violations: readonly Violation[]
}

/**
 * Every collection that a product will be in. What is written replaces the choice; collections by rules may be left in it
 * where the product is in them, before or after, since that is how it was read.
 */
export function placed(
  written: readonly string[] | undefined,
  { current, subject, existing, rules }: Surroundings,
  at: (path: string) => string = (path) => path,
): Placed {
  const collections = sorted(written ?? current, subject, rules)
  if (!written) return { collections, sameChoice: true, violations: [] }
  const byRules = new Set(rules.collections.map(({ id }) => id))
  const held = new Set([...current, ...sorted([], subject, rules)])
  const violations = written.flatMap((id, index): Violation[] => {
    const path = at(`collections[${index}]`)
    if (byRules.has(id)) return held.has(id) ? [] : [collectionProblems.not_met.at(path)]
    return existing.has(id) ? [] : [validationProblems.unknown_reference.at(path, { iri: collectionIri(id) })]
  })
  // A product that is in more from before may stay in them.
  if (chosenOf(written, rules).length > Math.max(mostChosen, chosenOf(current, rules).length)) {
    violations.push(collectionProblems.chosen_limit.at(at('collections'), { maximum: mostChosen }))
  }
  return { collections, sameChoice: sameChoice(written, current, rules), violations }
}

function sameChoice(written: readonly string[], current: readonly string[], rules: TenantRules): boolean {
  return sameJson(chosenOf(written, rules), chosenOf(current, rules))
}

/** Those of a product's collections that it was chosen for, in one order. */
export function chosenOf(ids: readonly string[], { collections }: TenantRules): string[] {
  const byRules = new Set(collections.map(({ id }) => id))
  return ids.filter((id) => !byRules.has(id)).toSorted()
}

/** Keeps the collections that are entered by choice from being deleted meanwhile. */
export function entryGuards(
  before: readonly string[],
  after: readonly string[],
  { collections }: TenantRules,
): Guarded[] {
  const others = new Set([...before, ...collections.map(({ id }) => id)])
  return after.filter((id) => !others.has(id)).map((id) => ({ kind: 'collections', id, version: null }))
}
