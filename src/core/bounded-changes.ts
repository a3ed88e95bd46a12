import { budgets } from './budgets.ts'
import { bytesOf } from './document.ts'
import type { Change } from './patch.ts'

/**
 * The changes that an event keeps, within what a row may be: the largest ones lose their values first, and say so. That
 * they happened, and where, is never lost; the document beside them has the value after.
 */
export function boundedChanges(changes: readonly Change[]): readonly Change[] {
  const sizes = changes.map((each) => bytesOf(JSON.stringify(each)))
  let size = sizes.reduce((sum, each) => sum + each, 0)
  if (size <= most) return changes
  const bounded = [...changes]
  const largestFirst = changes.map((_, index) => index).sort((a, b) => sizes[b]! - sizes[a]!)
  for (const index of largestFirst) {
    if (size <= most) break
    const without = { path: changes[index]!.path, before: null, after: null, omitted: true } as const
    size += bytesOf(JSON.stringify(without)) - sizes[index]!
    bounded[index] = without
  }
  return bounded
}

// Postgres writes a space behind each colon and comma.
const most = budgets.rowDocument * 0.9
