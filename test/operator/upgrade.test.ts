/**
 * A filled database is migrated from the first file on. The rows of a tenant are put into each table as soon as the migration that
 * makes it has run, in the columns that it has then; afterwards the service answers as it does for a tenant of today.
 */
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { kinds } from '../../src/resources/events/index.ts'
import { resources } from '../../src/resources/index.ts'
import { openWorld, type World } from '../checklist/world.ts'
import { createApp } from '../support/app.ts'
import { databaseUrls } from '../support/database.ts'
import { executionContext, rest } from '../support/later.ts'

const server = inject('ownerUrl')
const name = `upgrade_${randomUUID().slice(0, 8)}`
const ownerUrl = Object.assign(new URL(server), { pathname: name }).href
const migrations = join(import.meta.dirname, '../../migrations')
const directory = mkdtempSync(join(tmpdir(), 'upgrade-'))
let today: pg.Client
let upgraded: pg.Client
let world: World

beforeAll(async () => {
  today = new pg.Client({ connectionString: databaseUrls().ownerUrl })
  await today.connect()
  await today.query(`create database ${name}`)
  upgraded = new pg.Client({ connectionString: ownerUrl })
  await upgraded.connect()
  world = await openWorld()
  const { body: archived } = await world.shop.post('/api/products', {
    body: { title: 'Sold out', channels: ['web', 'store'] },
    status: 201,
  })
  await world.shop.delete(archived['@id'], { status: 204 })
  await world.shop.rest()
})

afterAll(async () => {
  await upgraded.end()
  await today.query(`drop database ${name} with (force)`)
  await today.end()
  rmSync(directory, { recursive: true })
})

/** Tables that are made later are filled by their migrations, from what is there, or by nobody. */
const lastOfFirstWorker = '0012_housekeeping.sql'

/** The lists of all resources. */
const lists = Object.values(kinds).flatMap(({ shape: { collection } }) =>
  !collection.includes('{') &&
  resources.some(({ operations }) =>
    operations.some(({ method, path }) => method === 'GET' && path === collection),
  )
    ? [collection]
    : [],
)

/** Tables that have rows of a tenant, in the order in which they were made. */
async function tables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and (c.relname = 'tenants' or exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))
     order by c.oid`)
  return rows.map((each) => each.name)
}

async function rowsOf(client: pg.Client, table: string): Promise<number | null> {
  const column = table === 'tenants' ? 'id' : 'tenant_id'
  return (await client.query(`select from ${table} where ${column} = $1`, [world.shop.tenant.id])).rowCount
}

/** Puts the tenant's rows of today into a table as it is now; how many they are. */
async function copy(table: string): Promise<number> {
  const { rows } = await today.query<{ row: unknown }>(
    `select to_jsonb(t) as row from ${table} t where ${table === 'tenants' ? 'id' : 'tenant_id'} = $1`,
    [world.shop.tenant.id],
  )
  const { rows: columns } = await upgraded.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const names = columns.map((each) => each.name).join(', ')
  await upgraded.query(
    `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)
      ${table === 'events' ? 'where kind in (select kind from resource_kinds) on conflict do nothing' : ''}`,
    [JSON.stringify(rows.map(({ row }) => row))],
  )
  return rows.length
}

test('a database that is filled from its first migration on serves the same after the last', async () => {
  const filled = new Map<string, number>()
  for (const file of readdirSync(migrations).sort()) {
    cpSync(join(migrations, file), join(directory, file))
    await migrate({ ownerUrl, appPassword: null, directory })
    if (file > lastOfFirstWorker) continue
    for (const table of await tables(upgraded)) {
      // Kinds of events come with their resources.
      if (filled.has('events') && table === 'events') await copy(table)
      if (!filled.has(table)) filled.set(table, await copy(table))
    }
  }
  for (const table of [
    'tenants',
    'events',
    'products',
    'variants',
    'sale_offers',
    'webhook_subscriptions',
    'product_search',
  ])
    expect(filled.get(table), table).toBeGreaterThan(0)

  // What is rendered is kept at the first read; tenants of before have a place from which on boundaries are told.
  const own = ['rendered_products', 'rendered_categories', 'sale_offer_boundaries']
  for (const table of (await tables(today)).filter((each) => !own.includes(each)))
    expect(await rowsOf(upgraded, table), table).toBe(await rowsOf(today, table))

  // Products that were archived before their channels were stored get them from their events.
  const archivedChannels = async (client: pg.Client) =>
    (
      await client.query(
        `select id, archived_channels from products where tenant_id = $1 and status = 'ARCHIVED' order by id`,
        [world.shop.tenant.id],
      )
    ).rows
  const restored = await archivedChannels(upgraded)
  expect(restored).toEqual(await archivedChannels(today))
  expect(restored).toContainEqual({ id: expect.any(String), archived_channels: ['web', 'store'] })

  const app = createApp()
  const token = await world.shop.token()
  const env = { ...world.shop.bindings, DATABASE_URL: appUrl(ownerUrl, 'test') }
  async function asked(path: string, method = 'GET', body: object | null = null) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/ld+json' }
    const request = new Request(`http://${world.shop.host}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await app.fetch(request, env, executionContext)
    return { status: answer.status, body: await answer.json() }
  }
  const paths = [
    ...lists,
    '/api/events',
    '/api/products?search=shirt',
    world.iri('product'),
    `${world.iri('product')}/variants`,
  ]
  expect(lists.length).toBeGreaterThan(6)
  for (const path of paths) {
    const { body } = await world.shop.get(path, { status: 200 })
    expect(await asked(path), path).toEqual({ status: 200, body })
  }
  const made = await asked('/api/products', 'POST', { title: 'New' })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const isThere = (client: pg.Client) =>
    client.query(`select from products where document like '%"New"%' and tenant_id = $1`, [
      world.shop.tenant.id,
    ])
  expect([(await isThere(upgraded)).rowCount, (await isThere(today)).rowCount]).toEqual([1, 0])
  await rest()
})
