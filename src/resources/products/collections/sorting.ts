/** Which collections a product is in, before and after a write: by choice what it was, by rules what it now is. */
import { sql } from 'drizzle-orm'
import type { Tenant } from '../../../core/context.ts'
import type { Guarded } from '../../../core/write.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { gathered, made, type Reading } from '../../../db/reading.ts'
import { stepStatement } from '../../../db/steps.ts'
import type { Condition, Rules } from './conditions.ts'
import { judgeOf, type Subject } from './rules.ts'
import { countOf } from './store.ts'

/** The rules of all of a tenant's collections, and how many times any of them changed. */
export type TenantRules = {
  readonly version: number
  readonly collections: readonly { readonly id: string; readonly rules: Rules }[]
}

type RulesRow = Omit<TenantRules, 'collections'> & { readonly collections: TenantRules['collections'] | null }

/** What this isolate has read, for as long as it keeps the tenant's settings. */
const known = new WeakMap<Tenant, TenantRules>()

/** Of a version that no rules have. */
const unread: TenantRules = { version: -1, collections: [] }

/** Reads the rules that this isolate does not know already: their version tells. */
export function rulesReading(tenant: Tenant): Reading<TenantRules> {
  const last = known.get(tenant) ?? unread
  const rows = gathered({
    rules: statement<RulesRow>(sql`select version, collections from read_rules(${last.version}::int)`),
  })
  return made(rows, ({ rules: [row] }) => {
    // Not what is known by now: another request may have read later than this one.
    if (!row?.collections) return last
    const read = { version: row.version, collections: row.collections }
    known.set(tenant, read)
    return read
  })
}

const noRow = '00000000-0000-0000-0000-000000000000'

/** Proves that no rules have changed since they were read, and lets none change until the write is done. */
export function rulesGuard({ version }: TenantRules): Guarded {
  return { kind: 'collection_rules', id: noRow, version }
}

/** Locks the rules: waits for writes that sort products by them, and holds back others until they have changed. */
export const rulesChangeGuard: Guarded = { kind: 'collection_rules_change', id: noRow, version: null }

/** Every collection of a product: those that it was chosen for among `current`, and those whose rules it meets. */
export function sorted(
  current: readonly string[],
  subject: Subject,
  { collections }: TenantRules,
): readonly string[] {
  const byRules = new Set(collections.map((each) => each.id))
  const chosen = current.filter((each) => !byRules.has(each))
  const isMet = judgeOf(subject)
  const met = collections.flatMap(({ id, rules }) => (isMet(rules) ? [id] : []))
  return [...chosen, ...met].toSorted()
}

/**
 * Collections whose rules may say otherwise once the database has stamped a new product's creation: they ask for a
 * moment close to now, and clocks differ.
 */
export function undecided({ collections }: TenantRules, now: Date): string[] {
  const close = ({ field, value }: Condition) =>
    field === 'createdAt' && Math.abs(Date.parse(value) - now.getTime()) < mostClocksDiffer
  return collections.flatMap(({ id, rules }) => (rules.conditions.some(close) ? [id] : []))
}

const mostClocksDiffer = 60_000

/** A product with its collections before and after a write, and whether it was and is shown in them. */
export type Sorting = {
  readonly productId: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly shownBefore: boolean
  readonly shownAfter: boolean
}

/** Puts products into collections and takes them out. */
export function sortingStatements(sortings: readonly Sorting[]): Statement[] {
  const rows = (from: 'before' | 'after', to: 'before' | 'after') =>
    sortings.flatMap((each) =>
      each[to]
        .filter((id) => !each[from].includes(id))
        .map((id) => ({ product_id: each.productId, collection_id: id })),
    )
  const [entered, left] = [rows('before', 'after'), rows('after', 'before')]
  if (entered.length === 0 && left.length === 0) return []
  return [stepStatement({ do: 'sort_products', left, entered })]
}

/** By how much the counts of collections move. */
export function sortingTotals(sortings: readonly Sorting[]): Record<string, number> {
  const totals: Record<string, number> = {}
  const add = (ids: readonly string[], amount: number) => {
    for (const id of ids) totals[countOf(id)] = (totals[countOf(id)] ?? 0) + amount
  }
  for (const { before, after, shownBefore, shownAfter } of sortings) {
    if (shownBefore) add(before, -1)
    if (shownAfter) add(after, 1)
  }
  return totals
}
