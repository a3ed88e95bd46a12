import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runningPostgres, startPostgres } from './postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
const directory = join(folder, 'data')
const module = fileURLToPath(new URL('./postgres.ts', import.meta.url).href)

// The account that runs Postgres for root must be able to enter.
beforeAll(() => chmodSync(folder, 0o755))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Another process that starts Postgres there and says where it listens. */
async function otherProcess(options: object) {
  const script = `const { startPostgres } = await import(${JSON.stringify(module)})
    console.log((await startPostgres(${JSON.stringify(options)})).ownerUrl); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ownerUrl = await new Promise<string>((resolve) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()))
  })
  return { ownerUrl, kill: () => child.kill('SIGKILL') }
}

test('data outlives a stop', async () => {
  const first = await startPostgres({ directory })
  await query(first.ownerUrl, 'create table kept (n int); insert into kept values (1)')
  await first.stop()
  const second = await startPostgres({ directory })
  try {
    expect(await query(second.ownerUrl, 'select n from kept')).toEqual([{ n: 1 }])
    // Commands find it.
    expect(await runningPostgres(directory)).toBe(second.ownerUrl)
  } finally {
    await second.stop()
  }
  expect(await runningPostgres(directory)).toBeNull()
})

test('a lock file whose process id belongs to another process is ignored', async () => {
  const stranger = await startPostgres({ directory: `${folder}-stranger`, throwaway: true })
  try {
    const [pid] = readFileSync(join(stranger.directory, 'postmaster.pid'), 'utf8').split('\n')
    writeFileSync(join(directory, 'postmaster.pid'), `${pid}\n${directory}\n`)
    const { ownerUrl, stop } = await startPostgres({ directory })
    try {
      expect(await query(ownerUrl, 'select n from kept')).toEqual([{ n: 1 }])
    } finally {
      await stop()
    }
  } finally {
    await stranger.stop()
  }
})

test('it sorts by code point and knows accented letters', async () => {
  const { ownerUrl, stop } = await startPostgres({ directory })
  try {
    const rows = await query(
      ownerUrl,
      `select upper('é') as upper, 'Z' < 'a' as bytes, 'É' ~ '\\w' as letter`,
    )
    expect(rows).toEqual([{ upper: 'É', bytes: true, letter: true }])
  } finally {
    await stop()
  }
})

test('killing the process that started it stops it, and the next start has its data', async () => {
  const other = await otherProcess({ directory })
  await query(other.ownerUrl, 'create table survived ()')
  other.kill()
  const next = await startPostgres({ directory })
  try {
    expect(await query(next.ownerUrl, `select to_regclass('survived')::text as name`)).toEqual([
      { name: 'survived' },
    ])
    await expect(query(other.ownerUrl, 'select 1')).rejects.toThrow('ECONNREFUSED')
  } finally {
    await next.stop()
  }
})

test('the owner makes roles and databases, sees past row security, and is no superuser', async () => {
  const { ownerUrl, stop } = await startPostgres({ directory: `${folder}-owner`, throwaway: true })
  try {
    expect(
      await query(
        ownerUrl,
        `select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,
                (select datdba = r.oid from pg_database where datname = current_database()) as owns
           from pg_roles r where rolname = current_user`,
      ),
    ).toEqual([
      {
        rolsuper: false,
        rolcreaterole: true,
        rolcreatedb: true,
        rolbypassrls: true,
        rolreplication: false,
        owns: true,
      },
    ])
  } finally {
    await stop()
  }
})

test('a fresh start is empty', async () => {
  const { ownerUrl, stop } = await startPostgres({ directory, fresh: true })
  try {
    expect(await query(ownerUrl, `select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
  } finally {
    await stop()
  }
})

test('a throwaway server leaves no folder, even when the process that started it is killed', async () => {
  const away = join(tmpdir(), `postgres-away-${process.pid}`)
  const other = await otherProcess({ directory: away, throwaway: true })
  expect(existsSync(away)).toBe(true)
  other.kill()
  await expect.poll(() => existsSync(away), { timeout: 10_000 }).toBe(false)
})

test('a used port is reported with the log of the server', async () => {
  const { ownerUrl, stop } = await startPostgres({ directory: `${folder}-one`, throwaway: true })
  try {
    const port = Number(new URL(ownerUrl).port)
    await expect(startPostgres({ directory: `${folder}-two`, port, throwaway: true })).rejects.toThrow(
      /Address already in use/,
    )
  } finally {
    await stop()
  }
})
