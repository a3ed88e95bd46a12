import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { titledTables } from '../resources/shared/titles.ts'
import { command, Failure, flag, option, runHere, text } from './cli/command.ts'
import { connect, connectionString, demandDirect, transaction } from './cli/database.ts'
import { type SchemaFiles, type SqlFile, schemaFiles } from './schema-files.ts'

export type MigrateOptions = {
  /** Direct connection string of a role that owns the database and may create roles. */
  readonly ownerUrl: string
  /** The password that role `catalogue_app` gets; null leaves its login as it is. */
  readonly appPassword: string | null
  /** Folder of `NNNN_name.sql` files and of `functions`; the project's own by default. */
  readonly directory?: string
  /** Called with a name after it has been applied, and with a text for each part that it built again. */
  readonly onProgress?: (name: string) => void
}

/** The name of the functions, which are applied together, in `migrate()` and `pendingMigrations()`. */
const functionsName = 'functions'

/**
 * Applies the migrations that the database lacks, in order, each in a transaction of its own; then all functions in one transaction, if
 * any file changed since they were applied. Builds stored parts of an earlier shape again. Lets the Worker's role log in. Returns the names applied. Several runs wait for each other.
 * Throws an Error for an applied file that was changed or is gone, and with file and line for SQL that fails.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  demandDirect(options.ownerUrl)
  const client = await connect(options.ownerUrl)
  try {
    const files = schemaFiles(options.directory)
    const names: string[] = []
    for (let name: string | null; (name = await applyNext(client, options.ownerUrl, files)) !== null; ) {
      names.push(name)
      options.onProgress?.(name)
    }
    await revokeTemporary(client)
    for (const tenant of await tenantsWithOldParts(client)) {
      await client.query('call refresh_all_parts($1)', [tenant])
      options.onProgress?.(`stored parts of tenant ${tenant}`)
    }
    for (const tenant of await tenantsWithoutTitles(client)) {
      await addTitles(client, tenant)
      options.onProgress?.(`titles of tenant ${tenant}`)
    }
    for (const language of await changedCollations(client)) {
      await client.query(`reindex index concurrently titles_${language}`)
      await client.query(
        'update title_collations set version = title_edition(language) where language = $1',
        [language],
      )
      options.onProgress?.(`order of titles in ${language}`)
    }
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
 * Runs in a transaction, one at a time for each database. The lock ends with the transaction, so it works behind any pooler. A waiting
 * run has no open transaction: CREATE INDEX CONCURRENTLY in another run would wait for it.
 */
async function exclusively<Result>(client: pg.Client, run: () => Promise<Result>): Promise<Result> {
  const unlessTaken = async () => ((await takeLock(client)) ? { result: await run() } : null)
  for (;;) {
    const done = await transaction(client, unlessTaken)
    if (done) return done.result
    await sleep(100)
  }
}

async function takeLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isTaken: boolean }>(
    'select pg_try_advisory_xact_lock($1) as "isTaken"',
    [lockKey],
  )
  return rows[0]?.isTaken === true
}

/** Any constant will do, as long as it stays the same. */
const lockKey = 7_221_604_117

/** Applies the first migration that the database lacks, or else the functions. Returns the name; null if it lacks nothing. */
function applyNext(client: pg.Client, ownerUrl: string, files: SchemaFiles): Promise<string | null> {
  return exclusively(client, async () => {
    const created = client.query(`create table if not exists schema_migrations (
      name text primary key,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`)
    await created.catch((error) => {
      if (error.code !== '42501') throw error
      const role = new URL(ownerUrl).username
      throw new Failure(
        `${role} is not the owner of the database (${error.message}). Give its connection string.`,
      )
    })
    const history = await historyOf(client)
    checkHistory(files, history)
    const next = files.migrations.find(({ name }) => !history.migrations.has(name))
    if (next) {
      if (isConcurrent(next)) await applyConcurrently(client, ownerUrl, next)
      else await apply(client, [...files.basics, next])
      await record(client, next.name, next.sha256)
      return next.name
    }
    if (!lacksFunctions(files, history)) return null
    // Replacing a function takes no lock on tables. The limit is for a statement that does.
    await client.query(`set local lock_timeout = '5s'`)
    await apply(client, files.functions)
    await record(client, files.version, files.version)
    return functionsName
  })
}

async function apply(client: pg.Client, files: readonly SqlFile[]): Promise<void> {
  for (const file of files) await run(client, file, file.sql)
}

async function run(client: pg.Client, { name, sql }: SqlFile, statements: string): Promise<void> {
  try {
    await client.query(statements)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    const start = sql.indexOf(statements)
    const line = error.position ? `:${sql.slice(0, start + Number(error.position)).split('\n').length}` : ''
    const extra = [error.detail, error.hint, error.where].filter(Boolean).join('\n')
    throw new Error(`migrations/${name}${line}: ${error.message} (${error.code})${extra && `\n${extra}`}`, {
      cause: error,
    })
  }
}

/** Whether a file builds or drops an index while the table is in use, which Postgres does outside of a transaction only. */
const isConcurrent = ({ sql }: SqlFile) => /^[^-\n]*\bindex concurrently\b/im.test(sql)

/** Runs the statements of a file one by one on a second connection, while the transaction of the first one has the lock. */
async function applyConcurrently(client: pg.Client, ownerUrl: string, file: SqlFile): Promise<void> {
  // Postgres ends no session that has waited for a large index.
  await client.query('set local idle_in_transaction_session_timeout = 0')
  const second = await connect(ownerUrl)
  try {
    for (const statement of file.sql.split(/(?<=;[ \t]*)\n/))
      if (statement.trim()) await run(second, file, statement)
  } finally {
    await second.end()
  }
}

async function record(client: pg.Client, name: string, sha256: string): Promise<void> {
  await client.query(
    `insert into schema_migrations (name, sha256) values ($1, $2) on conflict (name) do update set applied_at = now()`,
    [name, sha256],
  )
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

/**
 * The tenants with stored parts of products or categories in another shape than the functions store now. The Worker reads their rows
 * instead, which takes longer, until these parts are built again.
 */
async function tenantsWithOldParts(client: pg.Client): Promise<string[]> {
  const { rows: functions } = await client.query(`select where to_regprocedure('parts_format()') is not null`)
  if (functions.length === 0) return []
  const { rows } = await client.query<{ id: string }>(
    `select tenant_id as id from product_parts where format <> parts_format()
      union select tenant_id from category_parts where format <> parts_format() order by id`,
  )
  return rows.map(({ id }) => id)
}

/** The tenants with rows that lack a title: those from before the table of titles. Later rows get theirs from triggers. */
async function tenantsWithoutTitles(client: pg.Client): Promise<string[]> {
  const { rows: functions } = await client.query(
    `select where to_regprocedure('add_titles(text, uuid, int)') is not null`,
  )
  if (functions.length === 0) return []
  const tenants = titledTables.map(
    (table) =>
      `select r.tenant_id as id from ${table} r
        where not exists (select from titles t where t.tenant_id = r.tenant_id and t.kind = '${table}' and t.id = r.id)`,
  )
  const { rows } = await client.query<{ id: string }>(`${tenants.join(' union ')} order by id`)
  return rows.map(({ id }) => id)
}

/** Adds the titles that rows of a tenant lack, in steps that commit. */
export async function addTitles(client: pg.Client, tenant: string): Promise<void> {
  await client.query(`select set_config('app.tenant', $1, false)`, [tenant])
  for (const table of titledTables) {
    let last: string | null = '00000000-0000-0000-0000-000000000000'
    while (last !== null) {
      const added: pg.QueryResult<{ last: string | null }> = await client.query(
        'select add_titles($1, $2, 1000) as last',
        [table, last],
      )
      last = added.rows[0]?.last ?? null
    }
  }
}

/** The languages whose collation is another version than the one that the index of titles was built with. */
export async function changedCollations(client: pg.ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query(
    `select where to_regclass('title_collations') is not null and to_regprocedure('title_edition(text)') is not null`,
  )
  if (tables.length === 0) return []
  const { rows } = await client.query<{ language: string }>(
    'select language from title_collations where version <> title_edition(language) order by language',
  )
  return rows.map(({ language }) => language)
}

/** The Worker's connection string: the server and database of the owner's, and role `catalogue_app`. */
export function appUrl(ownerUrl: string, appPassword: string): string {
  const url = new URL(ownerUrl)
  url.username = 'catalogue_app'
  url.password = encodeURIComponent(appPassword)
  return url.href
}

/**
 * The names that `migrate()` would apply, in order. Reads only. Throws an Error for an applied file that was changed or is gone.
 */
export async function pendingMigrations(client: pg.ClientBase, directory?: string): Promise<string[]> {
  const files = schemaFiles(directory)
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  )
  const history: History = rows[0]?.exists
    ? await historyOf(client)
    : { migrations: new Map(), version: null }
  checkHistory(files, history)
  const pending = files.migrations.flatMap(({ name }) => (history.migrations.has(name) ? [] : [name]))
  return lacksFunctions(files, history) ? [...pending, functionsName] : pending
}

type History = {
  /** The checksums of the applied migrations. */
  readonly migrations: ReadonlyMap<string, string>
  /** The version of the functions that were applied last; null if none were. */
  readonly version: string | null
}

async function historyOf(client: pg.ClientBase): Promise<History> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by applied_at, name',
  )
  const isMigration = ({ name }: { name: string }) => /^\d/.test(name)
  return {
    migrations: new Map(rows.filter(isMigration).map(({ name, sha256 }) => [name, sha256])),
    version: rows.findLast((row) => !isMigration(row))?.name ?? null,
  }
}

const lacksFunctions = ({ functions, version }: SchemaFiles, history: History) =>
  functions.length > 0 && version !== history.version

function checkHistory({ migrations }: SchemaFiles, { migrations: applied }: History): void {
  const names = new Set(migrations.map(({ name }) => name))
  const numbers = new Set<string>()
  for (const { name, sha256 } of migrations) {
    const number = name.slice(0, 4)
    if (numbers.has(number)) throw new Error(`Two migrations have the number ${number}.`)
    numbers.add(number)
    const recorded = applied.get(name)
    if (recorded !== undefined && recorded !== sha256) {
      throw new Error(
        `migrations/${name} was changed after it had been applied to this database. ` +
          'Restore it and write a new migration (or, for local data only, start with --fresh).',
      )
    }
  }
  const last = [...applied.keys()].toSorted().at(-1) ?? ''
  for (const name of applied.keys()) {
    if (!names.has(name))
      throw new Error(
        `This database has had migrations/${name}, which is not here (for local data only, start with --fresh).`,
      )
  }
  const late = migrations.find(({ name }) => name < last && !applied.has(name))
  if (late)
    throw new Error(
      `migrations/${late.name} comes before ${last}, which has been applied: give it a new number.`,
    )
}

/** `npm run migrate`. */
export const migrateCommand = command({
  name: 'migrate',
  summary:
    'Applies the missing migrations and the SQL functions to a Postgres database (15 or newer, or Neon), and builds stored parts of an older format again.',
  examples: ['npm run migrate -- --database-url postgresql://…'],
  options: {
    'database-url': option(
      'URL',
      "the owner's direct connection string, not a pooler's",
      connectionString,
      'DATABASE_URL',
    ),
    'app-password': option(
      'PASSWORD',
      'the new password of role catalogue_app, which the Worker uses; without it, the login of the role stays unchanged',
      text.optional(),
      'APP_PASSWORD',
    ),
    json: flag(
      'prints one JSON object: the names applied, the stored parts and indexes built again, and whether the role can log in with a new password',
    ),
  },
  notes: [
    'Migrations only go forward. The command can be run again at any time, also after an interruption.',
  ],
  async run({ 'database-url': ownerUrl, 'app-password': appPassword = null, json }, { print, printError }) {
    const show = json ? printError : print
    const done: string[] = []
    const onProgress = (name: string) => {
      done.push(name)
      show(`✔ ${name}`)
    }
    const names = await migrate({ ownerUrl, appPassword, onProgress })
    if (json) {
      const rebuilt = done.filter((name) => !names.includes(name))
      print(JSON.stringify({ applied: names, rebuilt, appPasswordSet: appPassword !== null }))
      return 0
    }
    print(names.length === 0 ? 'No migration is missing.' : `${names.length} applied.`)
    if (appPassword !== null)
      print(`catalogue_app can log in. DATABASE_URL of the Worker: ${appUrl(ownerUrl, 'PASSWORD')}`)
    return 0
  },
})

if (import.meta.main) await runHere(migrateCommand)
