/**
 * The end of a write, under the lock of the tenant's clock: rows are given version and times as they are written, so that they
 * need not be written once more to be stamped.
 */
import type { Statement } from './statement.ts'
import { joined, joinedFrom, stepStatement } from './steps.ts'

/** A change of a row, as commit() is told of it. */
type Change = {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly action: 'created' | 'updated' | 'deleted'
}

/** The statements of a write with its commit at their end: the clock is taken in front of the first row that it stamps. */
export function clocked(
  statements: readonly Statement[],
  changes: readonly Change[],
  commit: Statement,
): Statement[] {
  const plain = [...statements, commit]
  const stamped = [...stampedAtOnce(statements, changes), commit]
  const first = stamped.findIndex((each, index) => each !== plain[index])
  return (first < 0 ? null : joinedFrom(stamped, first)) ?? joined(plain)
}

/** The same statements, in which rows come with the version that they then have and their place among the changes. */
function stampedAtOnce(statements: readonly Statement[], changes: readonly Change[]): Statement[] {
  const open = stampsOf(changes)
  return statements.map((each) => {
    if (!each.rows) return each
    const { table, rows } = each.rows
    const action = each.rows.do === 'insert' ? 'created' : 'updated'
    const found = rows.map(({ id }) => {
      const key = keyOf(action, table, id)
      const stamp = open.get(key) ?? null
      // What is written again keeps what it was given first.
      open.delete(key)
      return stamp
    })
    if (found.every((stamp) => stamp === null)) return each
    return stepStatement({
      ...each.rows,
      rows: rows.map((row, index) => ({ ...row, ...(found[index] && { version: found[index].version }) })),
      places: found.map((stamp) => stamp?.place ?? null),
    })
  })
}

type Stamp = { readonly place: number; readonly version: number }

/** The stamps of all that changes once; what changes twice ends as commit() stamps it. */
function stampsOf(changes: readonly Change[]): Map<string, Stamp> {
  const placed = changes.map((change, place) => ({ ...change, place }))
  const resources = Map.groupBy(placed, ({ kind, id }) => `${kind} ${id}`)
  const once = [...resources.values()].filter((each) => each.length === 1).flat()
  return new Map(
    once.map(({ action, kind, id, place, version }) => [keyOf(action, kind, id), { place, version }]),
  )
}

const keyOf = (action: Change['action'], kind: string, id: unknown) => `${action} ${kind} ${id}`
