/** The runbook “Changing the region”: its steps copy a filled database into another server, while it changes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreDemo } from '../../src/local/demo.ts'
import { doctorCommand } from '../../src/local/doctor/command.ts'
import { demoTenants, ensureTenant } from '../../src/local/local-tenants.ts'
import { appUrl, migrateCommand } from '../../src/local/migrate.ts'
import { type LocalPostgres, startPostgres } from '../../src/local/postgres.ts'
import { tenantCommand } from '../../src/local/tenant/command.ts'
import { runbook } from '../support/runbooks.ts'

const directory = mkdtempSync(join(tmpdir(), 'region-'))
const servers: LocalPostgres[] = []
let former: pg.Client
let present: pg.Client

const superuserUrl = ({ ownerUrl }: LocalPostgres) =>
  Object.assign(new URL(ownerUrl), { username: 'postgres', password: 'postgres' }).href

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  return client
}

beforeAll(async () => {
  const path = `${directory}-former`
  const unprepared = await startPostgres({ directory: path })
  const client = await connect(superuserUrl(unprepared))
  await client.query('alter system set wal_level = logical')
  await client.query('alter role catalogue_owner replication')
  await client.end()
  await unprepared.stop()
  servers.push(await startPostgres({ directory: path }))
  servers.push(await startPostgres({ directory: `${directory}-present`, throwaway: true }))
  former = await connect(servers[0]!.ownerUrl)
  // Neon's owner may create subscriptions, and bypasses row security.
  present = await connect(superuserUrl(servers[1]!))
})
afterAll(async () => {
  for (const client of [former, present]) await client.end()
  for (const server of servers) await server.stop()
  for (const name of ['', '-former', '-present'])
    rmSync(`${directory}${name}`, { recursive: true, force: true })
})

/** Runs a command that the runbook names. */
async function run({ run }: typeof migrateCommand | typeof tenantCommand, ...args: readonly string[]) {
  const out: string[] = []
  const surroundings = {
    print: (line: string) => out.push(line),
    printError() {},
    env: {},
    ask: async () => null,
  }
  return { code: await run(args, surroundings), out: out.join('\n') }
}

/** The rows of every table but those that migrations fill, as text. */
async function rowsOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname <> 'schema_migrations' order by 1`,
  )
  const contents = new Map<string, string>()
  for (const { name } of tables) {
    const { rows } = await client.query(
      `select coalesce(string_agg(t::text, chr(10) order by t::text), '') as text from ${name} t`,
    )
    contents.set(name, rows[0].text)
  }
  return contents
}

const zero = (client: pg.Client, query: string | undefined) =>
  expect
    .poll(async () => Object.values((await client.query(query ?? '')).rows[0]).map(Number), {
      timeout: 60_000,
    })
    .toEqual([0])

test('a database moves to another server with every row, its tenants suspended meanwhile', async () => {
  const { text, blocks } = runbook('Changing the region')
  const [publication, copying, lag] = blocks
  const [oldUrl, newUrl] = [servers[0]!.ownerUrl, servers[1]!.ownerUrl]
  for (const url of [oldUrl, newUrl])
    expect(await run(migrateCommand, '--database-url', url, '--app-password', 'test')).toMatchObject({
      code: 0,
    })
  const restore = async (tenant: (typeof demoTenants)[number], name: 'acme' | 'globex') => {
    await ensureTenant(former, tenant, { keys: [] })
    expect(await restoreDemo(former, name, { tenantId: tenant.id, port: 80 })).toBeGreaterThan(200)
  }
  const [acme, globex] = demoTenants
  await restore(acme!, 'acme')

  await former.query(publication ?? '')
  const [, subscription = ''] = /`(create subscription [^`]+)`/.exec(text) ?? []
  await present.query(subscription.replace('<old owner URL>', oldUrl))
  // Written while the tables are copied.
  await restore(globex!, 'globex')
  await zero(present, copying)

  const suspended = await run(tenantCommand, 'suspend-all', '--database-url', oldUrl)
  expect(suspended).toMatchObject({ code: 0, out: expect.stringMatching(/^2 tenants suspended/) })
  await zero(former, lag)
  expect(text).toContain('`drop subscription moving`')
  await present.query('drop subscription moving')
  const moved = await rowsOf(present)
  expect(moved).toEqual(await rowsOf(former))
  for (const table of [
    'events',
    'products',
    'product_search',
    'titles',
    'sale_offer_terms',
    'webhook_deliveries',
    'tenant_clock',
  ])
    expect(moved.get(table), table).toMatch(/./)

  const urls = ['--database-url', newUrl, '--worker-url', appUrl(newUrl, 'test')]
  const checks = [
    'migrations',
    'role',
    'row security',
    'seen from outside',
    'totals',
    'search',
    'stored parts',
    'collations',
  ]
  const checked = await run(doctorCommand, ...urls, ...checks.flatMap((name) => ['--only', name]))
  expect(checked, checked.out).toMatchObject({ code: 0 })
  const [undo = ''] = /resume-all .*$/m.exec(suspended.out) ?? []
  expect(text).toContain('`npm run tenant -- resume-all`')
  expect(await run(tenantCommand, ...undo.split(' '), '--database-url', newUrl)).toMatchObject({
    out: '2 tenants served again within a minute.',
  })
})
