import { counting, type Database } from '../db/client.ts'
import { type About, type LineName, log, noRequest } from './log.ts'

/** Lines of work that nobody waits for an answer of. */
type WorkLine = Extract<
  LineName,
  | 'later_failed'
  | 'relay_failed'
  | 'sweep_failed'
  | 'rebuild_failed'
  | 'locale_change_failed'
  | 'housekeeping_failed'
>

/** Runs work with a database, and logs what it throws with its time and the statements that it sent; then throws it on. */
export async function watched<Result>(
  line: WorkLine,
  about: Partial<About>,
  database: Database,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const started = performance.now()
  const counted = counting(database)
  try {
    return await work(counted)
  } catch (error) {
    const durationMs = performance.now() - started
    log(line, { ...noRequest, ...about, durationMs, statements: counted.statements }, {}, error)
    throw error
  }
}
