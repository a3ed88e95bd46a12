import { dataDirectory } from './keys.ts'
import { runningPostgres } from './postgres.ts'

/**
 * Whether a command works on the database that `npm start` runs: only if the caller names no database. An address on this machine proves
 * nothing, because a tunnel to production has one, too. `given` is --database-url.
 */
export function isDevelopment(given: string | undefined): boolean {
  return given === undefined && !process.env.DATABASE_URL
}

/**
 * The owner's connection string that a command works on: the one given, else DATABASE_URL, else that of the Postgres which
 * `npm start` runs. Throws an Error if it does not run.
 */
export async function ownerUrlFrom(given: string | undefined): Promise<string> {
  const url = given ?? process.env.DATABASE_URL ?? (await runningPostgres(`${dataDirectory}/postgres`))
  if (url) return url
  throw new Error('Give --database-url or DATABASE_URL, or run "npm start" in another terminal.')
}
