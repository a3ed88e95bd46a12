import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Tenant } from '../../core/context.ts'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { LockedRow } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import { idColumn, uuidArray } from '../../db/sql.ts'
import type { WriteStep } from '../../db/write-steps.ts'
import { collectionProblems } from './problems.ts'
import { countOf } from './read.ts'
import { type Condition, matcherOf, type Rules, rulesSchema, type Subject } from './rules.ts'
import { collectionIri } from './schema.ts'

/**
 * Decides which collections a product is in before and after a write: manual ones by choice, the others by their rules.
 */

/** The rules of all collections of a tenant, and the number of changes to any of them. */
export type TenantRules = {
  readonly version: number
  readonly collections: readonly { readonly id: string; readonly rules: Rules }[]
}

const rulesRow = {
  version: z.number(),
  collections: z
    .array(z.object({ id: z.string(), rules: rulesSchema }))
    .readonly()
    .nullable(),
}

/** The rules that this isolate has read. An entry lives as long as the cached tenant settings. */
const rulesByTenant = new WeakMap<Tenant, TenantRules>()

/** A version that no stored rules have. */
const noRules: TenantRules = { version: -1, collections: [] }

/** Reads the rules if their version differs from the cached one. */
export function rulesQuery(tenant: Tenant): DatabaseQuery<TenantRules> {
  const cachedRules = rulesByTenant.get(tenant) ?? noRules
  const rows = combineQueries({
    rules: statement(sql`select version, collections from read_rules(${cachedRules.version}::int)`, rulesRow),
  })
  return mapQuery(rows, ({ rules: [row] }) => {
    // Returns the rules from the start of this read: a concurrent request may have cached newer ones.
    if (!row?.collections) return cachedRules
    const currentRules = { version: row.version, collections: row.collections }
    rulesByTenant.set(tenant, currentRules)
    return currentRules
  })
}

const noRow = '00000000-0000-0000-0000-000000000000'

/** Aborts the write if the rules have changed since the read, and locks them until the commit. */
export function rulesGuard({ version }: TenantRules): LockedRow {
  return { kind: 'collection_rules', id: noRow, version }
}

/** Locks the rules: waits for writes that apply them, and blocks new ones until the rules have changed. */
export const rulesChangeGuard: LockedRow = { kind: 'collection_rules_change', id: noRow, version: null }

/** Every collection of a product: the manual ones in `current`, and those whose rules match. */
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
 * Collections whose rules compare `createdAt` with a time close to now.
 * The database sets the creation time, and clocks differ, so their rules may match differently after the commit.
 */
export function timeDependentCollections({ collections }: TenantRules, now: Date): string[] {
  const isCloseToNow = ({ field, value }: Condition) =>
    field === 'createdAt' && Math.abs(Date.parse(value) - now.getTime()) < maxClockSkewMs
  return collections.flatMap(({ id, rules }) => (rules.conditions.some(isCloseToNow) ? [id] : []))
}

const maxClockSkewMs = 60_000

/** The collections of a product before and after a write, and whether they show it. */
export type CollectionsChange = {
  readonly productId: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly shownBefore: boolean
  readonly shownAfter: boolean
}

/** Adds products to collections and removes them. */
export function collectionsChangeSteps(changes: readonly CollectionsChange[]): WriteStep[] {
  const rows = (from: 'before' | 'after', to: 'before' | 'after') =>
    changes.flatMap((change) =>
      change[to]
        .filter((id) => !change[from].includes(id))
        .map((id) => ({ product_id: change.productId, collection_id: id })),
    )
  const [added, removed] = [rows('before', 'after'), rows('after', 'before')]
  if (added.length === 0 && removed.length === 0) return []
  return [{ do: 'change_memberships', removed, added }]
}

/** The changes to the totals of collections. */
export function collectionsChangeTotals(changes: readonly CollectionsChange[]): Record<string, number> {
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

/** Maximum number of manual collections that a product may be in. */
export const maxChosenCollections = 250

/** The property `collections` of a parsed product body; undefined if absent. */
export function collectionsInput({ collections }: CollectionsBody): readonly string[] | undefined {
  return collections === null ? [] : collections
}

type CollectionsBody = { readonly collections?: readonly string[] | null }

/** Selects the ids of existing collections. */
export function existingCollections(
  ids: readonly string[],
): DatabaseQuery<readonly { readonly id: string }[]> {
  if (ids.length === 0) return mapQuery(noQuery, () => [])
  const query = sql`select id from collections where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
  return mapQuery(combineQueries({ found: statement(query, idColumn) }), (result) => result.found)
}

/**
 * Requires the scope for changing members if a product write adds or removes manual collections.
 * @throws 403 without `collections:write`
 */
export function requireManualScope(
  { requireScopes }: Pick<Context, 'requireScopes'>,
  requested: readonly string[] | undefined,
  current: readonly string[],
  rules: TenantRules,
): void {
  if (requested && !sameChoice(requested, current, rules)) requireScopes(['collections:write'])
}

type MembershipContext = {
  readonly current: readonly string[]
  readonly subject: Subject
  readonly existing: ReadonlySet<string>
  readonly rules: TenantRules
}

type ResolvedCollections = {
  readonly collections: readonly string[]
  /** True if the manual collections stay the same. */
  readonly sameChoice: boolean
  readonly violations: readonly Violation[]
}

/**
 * Returns every collection that a product will be in.
 * The request body replaces the manual collections. It may contain rule-based ones that match before or after the
 * write, because responses list them.
 */
export function resolveCollections(
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
  // A product that already exceeds the limit may stay in its collections.
  if (
    manualCollections(requested, rules).length >
    Math.max(maxChosenCollections, manualCollections(current, rules).length)
  ) {
    violations.push(collectionProblems.chosen_limit.at(at('collections'), { maximum: maxChosenCollections }))
  }
  return { collections, sameChoice: sameChoice(requested, current, rules), violations }
}

function sameChoice(requested: readonly string[], current: readonly string[], rules: TenantRules): boolean {
  return sameJson(manualCollections(requested, rules), manualCollections(current, rules))
}

/** The manual collections of a product, in a stable order. */
export function manualCollections(ids: readonly string[], { collections }: TenantRules): string[] {
  const byRules = new Set(collections.map(({ id }) => id))
  return ids.filter((id) => !byRules.has(id)).toSorted()
}

/** Locks the manual collections that a product enters, so that no concurrent write deletes them. */
export function entryGuards(
  before: readonly string[],
  after: readonly string[],
  { collections }: TenantRules,
): LockedRow[] {
  const exempt = new Set([...before, ...collections.map(({ id }) => id)])
  return after.filter((id) => !exempt.has(id)).map((id) => ({ kind: 'collections', id, version: null }))
}
