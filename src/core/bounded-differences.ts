import { budgets } from './budgets.ts'
import { bytesOf } from './document.ts'
import type { Difference } from './patch.ts'

/**
 * The differences that an event keeps, within what a row may be: the largest ones lose their values first, and say so. That
 * they happened, and where, is never lost; the document beside them has the value after.
 */
export function boundedDifferences(differences: readonly Difference[]): readonly Difference[] {
  const sized = differences.map((difference, index) => ({
    index,
    difference,
    bytes: bytesOf(JSON.stringify(difference)),
  }))
  let size = sized.reduce((sum, { bytes }) => sum + bytes, 0)
  if (size <= most) return differences
  const bounded = [...differences]
  for (const { index, difference, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    if (size <= most) break
    const without = { path: difference.path, before: null, after: null, omitted: true } as const
    size += bytesOf(JSON.stringify(without)) - bytes
    bounded[index] = without
  }
  return bounded
}

// Postgres writes a space behind each colon and comma.
const most = budgets.rowDocument * 0.9
