import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { demoTenants, ensureTenant } from './local-tenants.ts'
import { appUrl, migrate, migrateCommand } from './migrate.ts'

const server = inject('ownerUrl')
let directory: string
let ownerUrl: string
let name: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'migrations-'))
  mkdirSync(join(directory, 'functions'))
  name = `migrate_${process.pid}_${Date.now()}`
  await query(server, `create database ${name}`)
  ownerUrl = Object.assign(new URL(server), { pathname: name }).href
})

afterEach(async () => {
  rmSync(directory, { recursive: true })
  await query(server, `drop database ${name} with (force)`)
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

function write(files: Record<string, string>): void {
  for (const [file, sql] of Object.entries(files)) writeFileSync(join(directory, file), sql)
}

const run = () => migrate({ ownerUrl, appPassword: null, directory })

test('files are applied in order and once', async () => {
  write({ '0002_b.sql': 'alter table t add b int', '0001_a.sql': 'create table t ()', 'notes.md': 'no' })
  expect(await run()).toEqual(['0001_a.sql', '0002_b.sql'])
  write({ '0003_c.sql': 'alter table t add c int' })
  expect(await run()).toEqual(['0003_c.sql'])
  expect(await run()).toEqual([])
})

test('two at once apply each file once', async () => {
  write({ '0001_a.sql': 'create table t ()', '0002_b.sql': 'select pg_sleep(0.2)' })
  const applied = await Promise.all([run(), run()])
  expect(applied.flat().sort()).toEqual(['0001_a.sql', '0002_b.sql'])
})

test('each file is applied under a lock of its own transaction, since a pooler keeps no session', async () => {
  const locks = `select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`
  write({
    '0001_a.sql': 'select pg_advisory_unlock_all()',
    '0002_b.sql': `do $$ begin assert exists (${locks}), 'no lock'; end $$`,
  })
  expect(await run()).toEqual(['0001_a.sql', '0002_b.sql'])
})

test("Neon's pooled connection string is refused with the one to use", async () => {
  const pooled = 'postgresql://owner:secret@ep-cool-darkness-123456-pooler.eu-central-1.aws.neon.tech/neondb'
  await expect(migrate({ ownerUrl: pooled, appPassword: null, directory })).rejects.toThrow(
    /-pooler.*the same without "-pooler"/,
  )
})

test('a file that fails changes nothing, keeps the files before it, and is reported with its line', async () => {
  write({ '0001_a.sql': 'create table t ()', '0002_b.sql': 'create table u ();\n\nselect nothing' })
  await expect(run()).rejects.toThrow(/^migrations\/0002_b\.sql:3: column "nothing" does not exist \(42703\)/)
  expect(
    await query(ownerUrl, `select to_regclass('t') is null as t, to_regclass('u') is null as u`),
  ).toEqual([{ t: false, u: true }])
  write({ '0002_b.sql': 'create table u ()' })
  expect(await run()).toEqual(['0002_b.sql'])
})

test('a file that cannot be recorded leaves nothing of itself', async () => {
  write({ '0001_a.sql': 'create table t (); drop table schema_migrations' })
  await expect(run()).rejects.toMatchObject({ code: '42P01' })
  expect(await query(ownerUrl, `select to_regclass('t') as t`)).toEqual([{ t: null }])
})

test('an applied file that was changed is refused', async () => {
  write({ '0001_a.sql': 'create table t ()' })
  await run()
  write({ '0001_a.sql': 'create table t (a int)' })
  await expect(run()).rejects.toThrow('migrations/0001_a.sql was changed after it had been applied')
})

const returning = (value: string) =>
  `create or replace function f() returns text language sql return '${value}'`

test('applies all functions after the migrations, and again when a function or a migration is new', async () => {
  write({ '0001_a.sql': 'create table t (a int)', 'functions/10_f.sql': returning('first') })
  write({
    'functions/20_g.sql': `create or replace function g() returns bigint language sql return (select count(a) from t)`,
  })
  expect(await run()).toEqual(['0001_a.sql', 'functions'])
  expect(await run()).toEqual([])
  write({ 'functions/10_f.sql': returning('second') })
  expect(await run()).toEqual(['functions'])
  expect(await query(ownerUrl, 'select f()')).toEqual([{ f: 'second' }])
  write({ '0002_b.sql': 'create table u ()' })
  expect(await run()).toEqual(['0002_b.sql', 'functions'])
  write({ 'functions/10_f.sql': returning('first') })
  rmSync(join(directory, 'functions/20_g.sql'))
  expect(await run()).toEqual(['functions'])
})

test('applies functions again that return to an earlier text', async () => {
  write({ 'functions/10_f.sql': returning('first') })
  await run()
  write({ 'functions/10_f.sql': returning('second') })
  await run()
  write({ 'functions/10_f.sql': returning('first') })
  expect(await run()).toEqual(['functions'])
  expect(await run()).toEqual([])
  expect(await query(ownerUrl, 'select f()')).toEqual([{ f: 'first' }])
})

test('applies basic functions before the migrations that need them', async () => {
  write({
    'functions/00_basics.sql': `create or replace function one() returns int language sql immutable return 1`,
    '0001_a.sql': 'create table t (a int, b int generated always as (a + one()) stored)',
  })
  expect(await run()).toEqual(['0001_a.sql', 'functions'])
})

test('rolls back all functions when one fails, and names its file and line', async () => {
  write({ 'functions/10_f.sql': returning('first'), 'functions/20_g.sql': 'select 1;\nselect nothing' })
  await expect(run()).rejects.toThrow(/^migrations\/functions\/20_g\.sql:2: column "nothing" does not exist/)
  expect(await query(ownerUrl, `select to_regprocedure('f()') as f`)).toEqual([{ f: null }])
})

test('stops instead of waiting for a lock while it applies functions', async () => {
  write({ 'functions/10_f.sql': `do $$ begin assert current_setting('lock_timeout') = '5s'; end $$` })
  expect(await run()).toEqual(['functions'])
})

test('builds an index while another run waits and a write is in progress', async () => {
  write({ '0001_a.sql': 'create table t (a int); create table u ()' })
  await run()
  const writer = new pg.Client({ connectionString: ownerUrl })
  await writer.connect()
  try {
    await writer.query('begin; insert into t values (1)')
    write({
      '0002_b.sql':
        "set lock_timeout = '1min';\ndrop index concurrently if exists t_a;\n-- For a filter.\ncreate index concurrently t_a on t (a);\n",
    })
    const runs = Promise.all([run(), run()])
    await expect
      .poll(() =>
        query(
          ownerUrl,
          `select from pg_stat_activity where query like '%concurrently t_a%' and wait_event_type = 'Lock'`,
        ),
      )
      .toHaveLength(1)
    await writer.query('insert into t values (2)')
    await writer.query('commit')
    expect((await runs).flat()).toEqual(['0002_b.sql'])
  } finally {
    await writer.end()
  }
  expect(await query(ownerUrl, `select indisvalid from pg_index where indexrelid = 't_a'::regclass`)).toEqual(
    [{ indisvalid: true }],
  )
})

test('an applied file that is gone is refused', async () => {
  write({ '0001_a.sql': '', '0002_b.sql': '' })
  await run()
  rmSync(join(directory, '0002_b.sql'))
  await expect(run()).rejects.toThrow(
    'has had migrations/0002_b.sql, which is not here (for local data only, start with --fresh)',
  )
})

test('a file in front of an applied one is refused', async () => {
  write({ '0002_b.sql': '' })
  await run()
  write({ '0001_a.sql': '' })
  await expect(run()).rejects.toThrow('migrations/0001_a.sql comes before 0002_b.sql')
})

test('two files with one number are refused', async () => {
  write({ '0001_a.sql': '', '0001_b.sql': '' })
  await expect(run()).rejects.toThrow('Two migrations have the number 0001')
})

test("the service's role logs in with a password of any characters", async () => {
  write({ '0001_a.sql': 'select 1' })
  const role = `migrate_role_${process.pid}`
  await query(server, `create role ${role} nologin`)
  try {
    const url = Object.assign(new URL(appUrl(ownerUrl, `p'"\\@:/ %é`)), { username: role })
    await query(server, `alter role ${role} login password 'p''"\\@:/ %é'`)
    expect(await query(url.href, 'select current_user::text as role')).toEqual([{ role }])
  } finally {
    await query(server, `drop role ${role}`)
  }
})

test("the project's own migrations make a database in which demo tenants are found by host", async () => {
  const { rows } = await withTenants()
  expect(rows).toEqual([
    { id: demoTenants[0]!.id, locales: ['en-US', 'fr-FR', 'de-DE', 'es-ES'], timeZone: 'Europe/Paris' },
  ])
})

test('builds stored parts of another shape again, tenant by tenant', async () => {
  await withTenants()
  const [acme] = demoTenants
  await insertRows(acme!.id)
  await query(ownerUrl, `call refresh_all_parts('${acme!.id}')`)
  await query(ownerUrl, `update product_parts set format = 0, parts = '{}'`)
  await query(ownerUrl, `update category_parts set format = 0, parts = '{}'`)
  const progress: string[] = []
  const again = () => migrate({ ownerUrl, appPassword: null, onProgress: (name) => progress.push(name) })
  expect(await again()).toEqual([])
  expect(progress).toEqual([`stored parts of tenant ${acme!.id}`])
  const documents = `select parts -> 'document' ->> 'title' as title from product_parts
    union all select parts -> 'document' ->> 'title' from category_parts`
  expect(await query(ownerUrl, documents)).toEqual([{ title: 'Mug' }, { title: 'Cups' }])
  await again()
  expect(progress).toHaveLength(1)
})

test('builds the index of titles again after a new version of a collation, and adds the titles of older rows', async () => {
  await withTenants()
  const [acme] = demoTenants
  await insertRows(acme!.id)
  // A write after the migration has added the titles of its row.
  await query(ownerUrl, `delete from titles where kind = 'products'`)
  await query(ownerUrl, `update title_collations set version = '1' where language = 'sv'`)
  const fileOf = `select relfilenode::text as file from pg_class where relname = 'titles_sv'`
  const before = await query(ownerUrl, fileOf)
  const progress: string[] = []
  const again = () => migrate({ ownerUrl, appPassword: null, onProgress: (name) => progress.push(name) })
  await again()
  expect(progress).toEqual([`titles of tenant ${acme!.id}`, 'order of titles in sv'])
  expect(await query(ownerUrl, fileOf)).not.toEqual(before)
  const titles = 'select distinct title from titles order by title'
  expect(await query(ownerUrl, titles)).toEqual([{ title: 'Cups' }, { title: 'Mug' }])
  await again()
  expect(progress).toHaveLength(2)
})

/** A product and a category, as rows. */
async function insertRows(tenant: string) {
  await query(
    ownerUrl,
    `insert into products (tenant_id, id, handle, status, title, document, translations)
       values ('${tenant}', '01900000-0000-7000-8000-000000000001', 'mug', 'ACTIVE', 'Mug', '{"title": "Mug"}', '{"en-US": {"title": "Mug"}}');
     insert into categories (tenant_id, id, handle, title, document, translations, position, level)
       values ('${tenant}', '01900000-0000-7000-8000-000000000002', 'cups', 'Cups', '{"title": "Cups"}', '{"en-US": {"title": "Cups"}}', 0, 0)`,
  )
}

async function withTenants() {
  await migrate({ ownerUrl, appPassword: null })
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    for (const tenant of [...demoTenants, ...demoTenants]) await ensureTenant(client, tenant, { keys: [] })
    return await client.query(
      `select f->>'id' as id, f->'locales' as locales, f->>'timeZone' as "timeZone" from tenant_by_host('acme.localhost') as f`,
    )
  } finally {
    await client.end()
  }
}

test('with --json, the command prints one object with the names that it applied and the languages that it indexed', async () => {
  const run = async () => {
    const printed: string[] = []
    const surroundings = { print: (text: string) => printed.push(text), printError: () => {}, env: {} }
    await migrateCommand.run(['--database-url', ownerUrl, '--json'], surroundings)
    return printed.map((text) => JSON.parse(text))
  }
  const applied = expect.arrayContaining(['0001_schema.sql', 'functions'])
  expect(await run()).toEqual([{ applied, rebuilt: [], appPasswordSet: false }])
  await query(ownerUrl, `update title_collations set version = '1' where language = 'sv'`)
  expect(await run()).toEqual([{ applied: [], rebuilt: ['order of titles in sv'], appPasswordSet: false }])
})

test('the command names the connection string of the Worker, a missing password, and a role that is not the owner', async () => {
  const [printed, errors]: [string[], string[]] = [[], []]
  // The password of all tests, because the role belongs to the whole server.
  const run = (url: string) =>
    migrateCommand.run(['--database-url', url, '--app-password', 'test'], {
      print: (text) => printed.push(text),
      printError: (text) => errors.push(text),
      env: {},
    })
  expect(await run(ownerUrl)).toBe(0)
  const worker = appUrl(ownerUrl, 'PASSWORD')
  expect(printed.at(-1)).toBe(`catalogue_app can log in. DATABASE_URL of the Worker: ${worker}`)
  await run(appUrl(ownerUrl, 'test'))
  await run(Object.assign(new URL(ownerUrl), { password: '' }).href)
  expect(errors).toEqual([
    expect.stringMatching(
      /^catalogue_app is not the owner of the database \(permission denied .*\)\. Give its/,
    ),
    'No connection to the database: the connection string has no password.',
  ])
})
