/** Connections of local commands to a database, as its owner. */
import pg from 'pg'
import { runningPostgres } from '../postgres.ts'
import { usedService } from '../running.ts'
import { Failure, option, reasonOf, text } from './command.ts'

export const connectionString = text.refine(
  (value) => /^postgres(?:ql)?:$/.test(URL.parse(value)?.protocol ?? ''),
  'is a connection string: postgresql://owner:password@host/name',
)

/** The option `--database-url` of commands that also work on the Postgres of `npm start`. */
export const databaseUrl = option(
  'URL',
  `the owner's direct connection string (default: the variable DATABASE_URL, then the Postgres of "npm start")`,
  connectionString.optional(),
  'DATABASE_URL',
)

/** The option `--tenant` of commands that work on the database. */
export const tenantName = option(
  'NAME',
  'the tenant: one of its hosts, the first label of its primary host, or its id',
  text,
)

/** @throws Failure for a pooler's connection string: it gives each transaction another session, and ends long ones */
export function demandDirect(ownerUrl: string): void {
  const { hostname } = new URL(ownerUrl)
  if (!hostname.includes('-pooler')) return
  throw new Failure(
    `${hostname} is Neon's pooler. This needs the direct connection string: the same without "-pooler", which the ` +
      'console shows when "Connection pooling" is switched off.',
  )
}

/** Error codes of a missing table, column or function. */
const missingObject = /^42(?:P01|703|883)$/

/** @throws Failure without a connection */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect().catch((error) => {
    // The server would keep a connection without a password open for a minute.
    void client.end()
    const reason = reasonOf(error)
    const hasPassword = !reason.includes('client password must be a string')
    throw new Failure(
      `No connection to the database: ${hasPassword ? reason : 'the connection string has no password.'}`,
    )
  })
  return client
}

/** Connects, and disconnects at the end. @throws Failure without a connection */
export async function connected<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Connects as the owner, to `url` or to the Postgres of `npm start`. @throws Failure also if the database lacks migrations
 */
export async function withDatabase<Result>(
  url: string | undefined,
  work: (client: pg.Client, ownerUrl: string) => Promise<Result>,
): Promise<Result> {
  const ownerUrl = await ownerUrlFrom(url)
  demandDirect(ownerUrl)
  return connected(ownerUrl, async (client) => {
    try {
      return await work(client, ownerUrl)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !missingObject.test(error.code ?? '')) throw error
      const hint = 'npm run migrate -- --database-url URL'
      throw new Failure(`The database lacks migrations (${error.message}): ${hint}`)
    }
  })
}

/** Runs in a transaction, and with `tenant` as that tenant; null sees the rows of none. */
export async function transaction<Result>(
  client: pg.ClientBase,
  run: () => Promise<Result>,
  {
    begin = 'begin',
    tenant,
    end = 'commit',
  }: { begin?: string; tenant?: string | null; end?: 'commit' | 'rollback' } = {},
): Promise<Result> {
  await client.query(begin)
  try {
    if (tenant !== undefined) await client.query(`select set_config('app.tenant', $1, true)`, [tenant ?? ''])
    const result = await run()
    await client.query(end)
    return result
  } catch (error) {
    // Without a connection, Postgres rolls back.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Runs in a read-only transaction. Each statement may take 30 seconds, so that checks of a large database end. */
export function reading<Result>(client: pg.ClientBase, run: () => Promise<Result>): Promise<Result> {
  const begin = `begin read only; set local statement_timeout = '30s'`
  return transaction(client, run, { begin, end: 'rollback' })
}

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
async function ownerUrlFrom(given: string | undefined): Promise<string> {
  const url = given ?? process.env.DATABASE_URL
  if (url) return url
  const started = await runningPostgres(`${(await usedService()).directory}/postgres`)
  if (url === undefined && started) {
    const { host, pathname } = new URL(started)
    // Not the output, which may be JSON.
    console.error(`Database: ${pathname.slice(1)} at ${host} (that of "npm start")`)
    return started
  }
  throw new Error('Give --database-url or DATABASE_URL, or run "npm start" in another terminal.')
}
