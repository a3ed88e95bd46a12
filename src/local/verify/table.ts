import type { Row } from './outcome.ts'

const signs = { passed: '✔', failed: '✘', 'not tried': '–' } as const

/** The rows as a table for people, and how many of them there are of each outcome. */
export function tableOf(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ check }) => check.length))
  const lines = rows.map(
    ({ check, outcome, seen, ms }) =>
      `${signs[outcome]} ${check.padEnd(width)}  ${outcome.padEnd(9)}  ${String(ms).padStart(6)} ms  ${seen}`,
  )
  const counts = Object.entries(countsOf(rows)).map(([outcome, count]) => `${count} ${outcome}`)
  return `${lines.join('\n')}\n\n${counts.join(', ')}`
}

/** How many rows there are of each outcome. */
export function countsOf(rows: readonly Row[]): Record<Row['outcome'], number> {
  const count = (outcome: Row['outcome']) => rows.filter((each) => each.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), 'not tried': count('not tried') }
}
