/**
 * Migrates a filled database. The rows of a tenant are copied into the tables of the first migration; then all others and the functions
 * are applied. Afterwards the service answers as it does for the original tenant.
 */

import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { kinds } from '../../src/resources/events/topics.ts'
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
  // The first migration has no tables for these.
  await world.shop.update(world.iri('saleOffer'), { campaign: null })
  for (const name of ['campaign', 'spareCampaign']) await world.shop.delete(world.iri(name), { status: 204 })
  await world.shop.delete(world.iri('market'), { status: 204 })
  await world.shop.delete(world.iri('searchSynonyms'), { status: 204 })
  await world.shop.rest()
  // Its events had no locale.
  await today.query('update events set locale = null where tenant_id = $1', [world.shop.tenant.id])
})

afterAll(async () => {
  await upgraded.end()
  await today.query(`drop database ${name} with (force)`)
  await today.end()
  rmSync(directory, { recursive: true })
})

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
    `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows.map(({ row }) => row))],
  )
  return rows.length
}

test('serves the same after later migrations of a filled database', async () => {
  const first = '0001_schema.sql'
  const basics = 'functions/00_basics.sql'
  for (const file of [first, basics]) cpSync(join(migrations, file), join(directory, file))
  await migrate({ ownerUrl, appPassword: null, directory })
  const filled = new Map<string, number>()
  const triggers = (state: 'enable' | 'disable') =>
    upgraded.query(
      `do $$ declare owner regclass; begin
         for owner in select distinct tgrelid::regclass from pg_trigger where not tgisinternal
         loop execute format('alter table %s ${state} trigger user', owner); end loop; end $$`,
    )
  // One snapshot: the background work of other tests serves all tenants of this database.
  await today.query('begin isolation level repeatable read')
  // The triggers' rows are copied, and their functions are not there yet.
  await upgraded.query('begin')
  await triggers('disable')
  for (const table of await tables(upgraded)) filled.set(table, await copy(table))
  await upgraded.query('set constraints all immediate')
  await triggers('enable')
  // Stored parts have an earlier shape before the migrations.
  await upgraded.query('update product_parts set format = format - 1')
  await upgraded.query('commit')
  cpSync(migrations, directory, { recursive: true })
  expect(await migrate({ ownerUrl, appPassword: null, directory })).toContain('functions')
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

  // The next minute computes the price index.
  const unlike = ['variant_prices', 'product_prices', 'price_rebuilds']
  for (const table of (await tables(today)).filter((name) => !unlike.includes(name)))
    expect(await rowsOf(upgraded, table), table).toBe(await rowsOf(today, table))
  await today.query('commit')

  const withoutMoment = (body: unknown) =>
    JSON.parse(JSON.stringify(body, (name, value) => (name === 'pricesCompleteAt' ? null : value)))
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
    return { status: answer.status, body: withoutMoment(await answer.json()) }
  }
  const paths = [
    ...lists,
    '/api/events',
    '/api/products?q=shirt',
    world.iri('product'),
    `${world.iri('product')}/variants`,
  ]
  expect(lists.length).toBeGreaterThan(6)
  for (const path of paths) {
    const body = await world.shop.read(path)
    expect(await asked(path), path).toEqual({ status: 200, body: withoutMoment(body) })
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
