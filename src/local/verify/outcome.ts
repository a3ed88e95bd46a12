/** What comes of a check: what it returns was seen and is right; anything else is thrown. */

/** The service did something other than it promises. */
export class Failed extends Error {}

/** The check cannot be made from here, or was not asked for. */
export class NotTried extends Error {}

/** A row of the table. */
export type Row = {
  readonly check: string
  readonly outcome: 'passed' | 'failed' | 'not tried'
  readonly seen: string
  readonly ms: number
}

/** Runs a check, and tells what came of it. */
export async function rowOf(check: string, run: () => Promise<string>): Promise<Row> {
  const started = performance.now()
  const row = (outcome: Row['outcome'], seen: string): Row => ({
    check,
    outcome,
    seen,
    ms: Math.round(performance.now() - started),
  })
  try {
    return row('passed', await run())
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    return row(error instanceof NotTried ? 'not tried' : 'failed', reason)
  }
}
