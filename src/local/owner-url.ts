import { dataDirectory } from './keys.ts'
import { runningPostgres } from './postgres.ts'

/**
 * The owner's connection string that a command works on: the one given, else DATABASE_URL, else that of the Postgres which
 * `npm start` runs. Throws an Error where there is none.
 */
export async function ownerUrlFrom(given: string | undefined): Promise<string> {
  const url = given ?? process.env.DATABASE_URL ?? (await runningPostgres(`${dataDirectory}/postgres`))
  if (url) return url
  throw new Error('Give --database-url or DATABASE_URL, or run "npm start" in another terminal.')
}
