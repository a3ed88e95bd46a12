import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'

export type MigrateOptions = {
  /** Direct connection string of a role that owns the database and may create roles. */
  readonly ownerUrl: string
  /** The password that role `catalogue_app` gets; null leaves its login as it is. */
  readonly appPassword: string | null
  /** Folder of `NNNN_name.sql` files; the project's own when absent. */
  readonly directory?: string
  /** Called with a file's name after it has been applied. */
  readonly onProgress?: (name: string) => void
}

/**
 * Applies the migrations that the database has not had yet, in order, each in a transaction of its own, and lets
 * the Worker's role log in. Returns the names applied. Several may run at once: they wait for each other.
 * Throws an Error for an applied file that was changed or is gone, and with file and line for SQL that fails.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  demandDirect(options.ownerUrl)
  const client = new pg.Client({ connectionString: options.ownerUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    const files = migrationFiles(options.directory ?? migrationsDirectory)
    const names: string[] = []
    for (let name: string | null; (name = await applyNext(client, files)) !== null; ) {
      names.push(name)
      options.onProgress?.(name)
    }
    await fillRecordedTerms(client)
    await revokeTemporary(client)
    const { appPassword } = options
    if (appPassword !== null) {
      await exclusively(client, async () => {
        await client.query(`alter role catalogue_app login password ${client.escapeLiteral(appPassword)}`)
      })
    }
    return names
  } finally {
    await client.end()
  }
}

/**
 * Refuses a pooler's connection string: it gives each transaction another session and cuts long ones; Neon's console shows it first.
 * Throws an Error that says what to give.
 */
export function demandDirect(ownerUrl: string): void {
  const { hostname } = new URL(ownerUrl)
  if (!hostname.includes('-pooler')) return
  throw new Error(
    `${hostname} is Neon's pooler. This needs the direct connection string: the same without "-pooler", which the ` +
      'console shows when "Connection pooling" is switched off.',
  )
}

/** Runs in a transaction, one at a time for each database. The lock ends with it, so that it holds behind any pooler. */
async function exclusively<Result>(client: pg.Client, run: () => Promise<Result>): Promise<Result> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lockKey])
    const result = await run()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Applies the first file that the database has not had, and answers its name; null when it has had them all. */
function applyNext(client: pg.Client, files: readonly MigrationFile[]): Promise<string | null> {
  return exclusively(client, async () => {
    await client.query(`create table if not exists schema_migrations (
      name text primary key,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`)
    const applied = await appliedMigrations(client)
    checkHistory(files, applied)
    const next = files.find(({ name }) => !applied.has(name))
    if (next) await apply(client, next)
    return next?.name ?? null
  })
}

/** Offers whose events are read in one transaction: their rows are locked meanwhile. */
const offersAtOnce = 500

/**
 * Reads what events from before `migrations/0025_recorded_terms.sql` tell of sale offers into what is kept of them since. What was
 * read before it was stopped stays: the next run goes on.
 */
async function fillRecordedTerms(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select to_regprocedure('fill_sale_offer_terms(int)') as known`)
  if (rows[0]?.known === null) return
  for (let more = true; more; ) {
    const { rows } = await client.query('select fill_sale_offer_terms($1) as more', [offersAtOnce])
    more = rows[0]?.more === true
  }
}

/**
 * Takes the right to create temporary tables from every role but the database's owner. A right on a database is in none of its tables: a
 * copy made by pg_dump lacks the revocation, and so each run repeats it. `npm run doctor` reports it if the connection's role may not.
 */
async function revokeTemporary(client: pg.Client): Promise<void> {
  await exclusively(client, async () => {
    const { rows } = await client.query<{ database: string }>(
      `select current_database() as database from pg_roles
        where rolname = 'catalogue_app' and has_database_privilege(oid, current_database(), 'temporary')`,
    )
    const [found] = rows
    if (!found) return
    await client.query(
      `revoke temporary on database ${client.escapeIdentifier(found.database)} from public, catalogue_app`,
    )
  })
}

/** The Worker's connection string beside the owner's: same server and database, role `catalogue_app`. */
export function appUrl(ownerUrl: string, appPassword: string): string {
  const url = new URL(ownerUrl)
  url.username = 'catalogue_app'
  url.password = encodeURIComponent(appPassword)
  return url.href
}

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url).href)

/**
 * The names of the migrations that the database has not had yet, in order. Reads only. Throws an Error for an applied file that was
 * changed or is gone.
 */
export async function pendingMigrations(
  client: pg.ClientBase,
  directory = migrationsDirectory,
): Promise<string[]> {
  const files = migrationFiles(directory)
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  )
  const applied = rows[0]?.exists ? await appliedMigrations(client) : new Map<string, string>()
  checkHistory(files, applied)
  return files.flatMap(({ name }) => (applied.has(name) ? [] : [name]))
}

/** The checksums of the files that the database has had. */
async function appliedMigrations(client: pg.ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  )
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]))
}

/** Any constant will do, as long as it stays the same. */
const lockKey = 7_221_604_117

type MigrationFile = {
  readonly name: string
  readonly sql: string
  readonly sha256: string
  /** Checksums of former texts that made the same, and that databases may have had: `-- Was <sha256>` in the file. */
  readonly former: readonly string[]
}

function migrationFiles(directory: string): MigrationFile[] {
  return readdirSync(directory)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(`${directory}/${name}`, 'utf8')
      const former = [...sql.matchAll(/^-- Was ([0-9a-f]{64})\b/gm)].flatMap(([, sha256]) => sha256 ?? [])
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex'), former }
    })
}

function checkHistory(files: readonly MigrationFile[], applied: ReadonlyMap<string, string>): void {
  const numbers = new Set<string>()
  for (const { name, sha256, former } of files) {
    const number = name.slice(0, 4)
    if (numbers.has(number)) throw new Error(`Two migrations have the number ${number}.`)
    numbers.add(number)
    const had = applied.get(name)
    if (had !== undefined && had !== sha256 && !former.includes(had)) {
      throw new Error(
        `migrations/${name} was changed after it had been applied to this database. ` +
          'Restore it and write a new migration (or, for local data only, start with --fresh).',
      )
    }
  }
  const last = [...applied.keys()].at(-1) ?? ''
  const known = new Set(files.map(({ name }) => name))
  for (const name of applied.keys()) {
    if (!known.has(name)) throw new Error(`This database has had migrations/${name}, which is not here.`)
  }
  const late = files.find(({ name }) => name < last && !applied.has(name))
  if (late)
    throw new Error(
      `migrations/${late.name} comes before ${last}, which has been applied: give it a new number.`,
    )
}

async function apply(client: pg.Client, { name, sql, sha256 }: MigrationFile): Promise<void> {
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    const line = error.position ? `:${sql.slice(0, Number(error.position)).split('\n').length}` : ''
    const extra = [error.detail, error.hint, error.where].filter(Boolean).join('\n')
    throw new Error(`migrations/${name}${line}: ${error.message} (${error.code})${extra && `\n${extra}`}`, {
      cause: error,
    })
  }
}

const help = `Brings a Postgres database (15 or newer, or Neon) up to date. Forward only; safe to run again, also where it was
stopped: it goes on where it was.

  npm run migrate -- [--database-url URL] [--app-password PASSWORD]

  --database-url URL        direct connection string of the owner, not a pooler's; DATABASE_URL when absent
  --app-password PASSWORD   lets role catalogue_app, which the Worker uses, log in with it;
                            APP_PASSWORD when absent; without either the role's login stays as it is
  --help                    this text
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'database-url': { type: 'string' },
      'app-password': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(help)
  const ownerUrl = values['database-url'] ?? process.env.DATABASE_URL
  if (!ownerUrl) throw new Error('Give --database-url or DATABASE_URL. See --help.')
  const appPassword = values['app-password'] ?? process.env.APP_PASSWORD ?? null
  const names = await migrate({ ownerUrl, appPassword, onProgress: (name) => console.log(`✔ ${name}`) })
  console.log(names.length === 0 ? 'Nothing to do.' : `${names.length} applied.`)
  if (appPassword !== null) console.log('catalogue_app can log in.')
}

if (import.meta.main) {
  main().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
