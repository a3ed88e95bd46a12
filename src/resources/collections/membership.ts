import { sql } from 'drizzle-orm'
import type { Tenant } from '../../core/context.ts'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { LockedRow } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  type Statement,
  statement,
} from '../../db/query.ts'
import { stepStatement, uuidArray } from '../../db/write-steps.ts'
import { collectionProblems } from './problems.ts'
import { countOf } from './read.ts'
import { type Condition, matcherOf, type Rules, type Subject } from './rules.ts'
import { collectionIri } from './schema.ts'

/** Which collections a product is in, before and after a write: by choice what it was, by rules what it now is. */

/** The rules of all of a tenant's collections, and how many times any of them changed. */
export type TenantRules = {
  readonly version: number
  readonly collections: readonly { readonly id: string; readonly rules: Rules }[]
}

type RulesRow = Omit<TenantRules, 'collections'> & { readonly collections: TenantRules['collections'] | null }

/** What this isolate has read, for as long as it keeps the tenant's settings. */
const rulesByTenant = new WeakMap<Tenant, TenantRules>()

/** Of a version that no rules have. */
const noRules: TenantRules = { version: -1, collections: [] }

/** Reads the rules that this isolate does not know already: their version tells. */
export function rulesQuery(tenant: Tenant): DatabaseQuery<TenantRules> {
  const cachedRules = rulesByTenant.get(tenant) ?? noRules
  const rows = combineQueries({
    rules: statement<RulesRow>(sql`select version, collections from read_rules(${cachedRules.version}::int)`),
  })
  return mapQuery(rows, ({ rules: [row] }) => {
    // Not what is known by now: another request may have read later than this one.
    if (!row?.collections) return cachedRules
    const currentRules = { version: row.version, collections: row.collections }
    rulesByTenant.set(tenant, currentRules)
    return currentRules
  })
}

const noRow = '00000000-0000-0000-0000-000000000000'

/** Proves that no rules have changed since they were read, and lets none change until the write is done. */
export function rulesGuard({ version }: TenantRules): LockedRow {
  return { kind: 'collection_rules', id: noRow, version }
}

/** Locks the rules: waits for writes that sort products by them, and holds back others until they have changed. */
export const rulesChangeGuard: LockedRow = { kind: 'collection_rules_change', id: noRow, version: null }

/** Every collection of a product: those that it was chosen for among `current`, and those whose rules it meets. */
function collectionsOf(
  current: readonly string[],
  subject: Subject,
  { collections }: TenantRules,
): readonly string[] {
  const byRules = new Set(collections.map((collection) => collection.id))
  const chosen = current.filter((collectionId) => !byRules.has(collectionId))
  const isMatch = matcherOf(subject)
  const matched = collections.flatMap(({ id, rules }) => (isMatch(rules) ? [id] : []))
  return [...chosen, ...matched].toSorted()
}

/**
 * Collections whose rules may say otherwise once the database has stamped a new product's creation: they ask for a
 * moment close to now, and clocks differ.
 */
export function undecided({ collections }: TenantRules, now: Date): string[] {
  const isCloseToNow = ({ field, value }: Condition) =>
    field === 'createdAt' && Math.abs(Date.parse(value) - now.getTime()) < maxClockSkewMs
  return collections.flatMap(({ id, rules }) => (rules.conditions.some(isCloseToNow) ? [id] : []))
}

const maxClockSkewMs = 60_000

/** A product with its collections before and after a write, and whether it was and is shown in them. */
export type Sorting = {
  readonly productId: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly shownBefore: boolean
  readonly shownAfter: boolean
}

/** Puts products into collections and takes them out. */
export function sortingStatements(changes: readonly Sorting[]): Statement[] {
  const rows = (from: 'before' | 'after', to: 'before' | 'after') =>
    changes.flatMap((change) =>
      change[to]
        .filter((id) => !change[from].includes(id))
        .map((id) => ({ product_id: change.productId, collection_id: id })),
    )
  const [added, removed] = [rows('before', 'after'), rows('after', 'before')]
  if (added.length === 0 && removed.length === 0) return []
  return [stepStatement({ do: 'sort_products', left: removed, entered: added })]
}

/** By how much the counts of collections move. */
export function sortingTotals(changes: readonly Sorting[]): Record<string, number> {
  const totals: Record<string, number> = {}
  const add = (ids: readonly string[], amount: number) => {
    for (const id of ids) totals[countOf(id)] = (totals[countOf(id)] ?? 0) + amount
  }
  for (const { before, after, shownBefore, shownAfter } of changes) {
    if (shownBefore) add(before, -1)
    if (shownAfter) add(after, 1)
  }
  return totals
}

/** The collections of a product as its own writer names them: those made by hand are chosen, the others follow from rules. */

/** How many collections made by hand a product may be in. */
export const maxChosenCollections = 250

/** The property `collections` of a written product, as its shape has read it; undefined where it was not written. */
export function writtenCollections({ collections }: CollectionsBody): readonly string[] | undefined {
  return collections === null ? [] : collections
}

type CollectionsBody = { readonly collections?: readonly string[] | null }

/** Which of the collections that are named there are. */
export function existingCollections(
  ids: readonly string[],
): DatabaseQuery<readonly { readonly id: string }[]> {
  if (ids.length === 0) return mapQuery(noQuery, () => [])
  const collections = statement<{ id: string }>(
    sql`select id from collections where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`,
  )
  return mapQuery(combineQueries({ found: collections }), (result) => result.found)
}

/**
 * Demands the scope that adding and removing members takes, where a written product enters or leaves collections made by hand.
 * @throws 403 without `collections:write`
 */
export function requireChoice(
  { demand }: Pick<Context, 'demand'>,
  requested: readonly string[] | undefined,
  current: readonly string[],
  rules: TenantRules,
): void {
  if (requested && !sameChoice(requested, current, rules)) demand(['collections:write'])
}

type MembershipContext = {
  /** Those that the product is in. */
  readonly current: readonly string[]
  /** What it will be. */
  readonly subject: Subject
  readonly existing: ReadonlySet<string>
  readonly rules: TenantRules
}

/** Where a product will be. */
type ResolvedCollections = {
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
  requested: readonly string[] | undefined,
  { current, subject, existing, rules }: MembershipContext,
  at: (path: string) => string = (path) => path,
): ResolvedCollections {
  const collections = collectionsOf(requested ?? current, subject, rules)
  if (!requested) return { collections, sameChoice: true, violations: [] }
  const byRules = new Set(rules.collections.map(({ id }) => id))
  const allowed = new Set([...current, ...collectionsOf([], subject, rules)])
  const violations = requested.flatMap((id, index): Violation[] => {
    const path = at(`collections[${index}]`)
    if (byRules.has(id)) return allowed.has(id) ? [] : [collectionProblems.not_met.at(path)]
    return existing.has(id) ? [] : [validationProblems.unknown_reference.at(path, { iri: collectionIri(id) })]
  })
  // A product that is in more from before may stay in them.
  if (chosenOf(requested, rules).length > Math.max(maxChosenCollections, chosenOf(current, rules).length)) {
    violations.push(collectionProblems.chosen_limit.at(at('collections'), { maximum: maxChosenCollections }))
  }
  return { collections, sameChoice: sameChoice(requested, current, rules), violations }
}

function sameChoice(requested: readonly string[], current: readonly string[], rules: TenantRules): boolean {
  return sameJson(chosenOf(requested, rules), chosenOf(current, rules))
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
): LockedRow[] {
  const exempt = new Set([...before, ...collections.map(({ id }) => id)])
  return after.filter((id) => !exempt.has(id)).map((id) => ({ kind: 'collections', id, version: null }))
}
