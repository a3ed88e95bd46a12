import { budgets } from './budgets.ts'
import { bytesOf } from './document.ts'
import type { Change } from './patch.ts'

/**
 * The changes that an event keeps, within what a row may be: the largest ones lose their values first, and say so. That
 * they happened, and where, is never lost; the document beside them has the value after.
 */
export function boundedChanges(changes: readonly Change[]): readonly Change[] {
  const sized = changes.map((change, index) => ({ index, change, bytes: bytesOf(JSON.stringify(change)) }))
  let size = sized.reduce((sum, { bytes }) => sum + bytes, 0)
  if (size <= most) return changes
  const bounded = [...changes]
  for (const { index, change, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    if (size <= most) break
    const without = { path: change.path, before: null, after: null, omitted: true } as const
    size += bytesOf(JSON.stringify(without)) - bytes
    bounded[index] = without
  }
  return bounded
}

// Postgres writes a space behind each colon and comma.
const most = budgets.rowDocument * 0.9
