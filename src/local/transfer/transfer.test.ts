import { execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Thing, wholeCatalogue } from '../../../test/catalogue/whole-catalogue.ts'
import { databaseUrls } from '../../../test/support/database.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { copyOf } from '../../../test/support/sqlite-copy.ts'
import { localSecretKeys } from '../../env.ts'
import { runChecks } from '../cli/checks.ts'
import { noProgress, type Progress } from '../cli/output.ts'
import { countChecks } from '../doctor/counts.ts'
import { exportCatalogue } from './export.ts'
import { linesOf } from './file.ts'
import { restoreCatalogue } from './restore.ts'
import { enterTenant, movedKinds } from './tables.ts'

const locales = ['en-US', 'fr-FR', 'de-DE'] as const
const directory = mkdtempSync(join(tmpdir(), 'moving-'))
const file = join(directory, 'shop.ndjson')
let shop: Shop
let items: readonly string[]

beforeAll(async () => {
  const catalogue = await wholeCatalogue()
  shop = catalogue.shop
  items = catalogue.items
  await addHistory()
}, 60_000)

afterAll(() => rmSync(directory, { recursive: true }))

const made = async (path: string, body: unknown): Promise<Thing & { id: string }> =>
  await shop.create(path, body)

/** States that no create can produce, only a sequence of changes. */
async function addHistory(): Promise<void> {
  const category = await made('/api/categories', { title: 'Gone' })
  const gone = await made('/api/products', {
    title: 'Lamp',
    handle: 'lamp',
    externalId: 'lamp',
    channels: ['web'],
    categories: [category['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'L' }] }],
    variants: [{ sku: 'LAMP', optionValues: [{ option: 'Size', value: 'S' }] }],
  })
  const [variant] = gone.variants as [Thing]
  await made('/api/sale_offers', { variant: variant['@id'], currency: 'EUR', amount: '19.90' })
  const collection = await made('/api/collections', { title: 'Chosen' })
  await made(`${collection['@id']}/products`, { product: gone['@id'] })
  const ruled = await made('/api/collections', {
    title: 'Of a category that is gone',
    rules: {
      match: 'ANY',
      conditions: [{ field: 'category', operator: 'EQUALS', value: category['@id'] }],
    },
  })
  await shop.delete(gone['@id'], { status: 204 })
  await shop.delete(category['@id'], { status: 204 })
  const again = await made('/api/products', {
    title: 'Lamp',
    handle: 'lamp',
    externalId: 'lamp',
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }, { title: 'L' }] }],
    variants: ['S', 'M', 'L'].map((value) => ({
      sku: `LAMP-${value}`,
      optionValues: [{ option: 'Size', value }],
    })),
  })
  const [small, medium] = again.variants as [Thing, Thing]
  const offer = await made('/api/purchase_offers', {
    variant: small['@id'],
    supplier: 'mill',
    currency: 'EUR',
    cost: '4.50',
  })
  const campaign = await made('/api/campaigns', { name: 'Winter', externalId: 'winter' })
  await made('/api/sale_offers', {
    variant: small['@id'],
    currency: 'EUR',
    amount: '20.00',
    status: 'ARCHIVED',
    campaign: campaign['@id'],
  })
  await made('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR', name: 'France' })
  await made('/api/search_synonyms', { locale: 'en-US', sets: [['sofa', 'couch']] })
  await shop.update(small['@id'], { status: 'ARCHIVED' })
  await shop.update(offer['@id'], { status: 'ARCHIVED' })
  await made(`${again['@id']}/variants`, { optionValues: [{ option: 'Size', value: 'S' }] })
  await shop.update(medium['@id'], { position: 0 })
  for (const title of ['Third', 'First', 'Second'])
    await made('/api/categories', { title, position: title === 'First' ? 0 : -1 })
  for (const status of ['ACTIVE', 'PAUSED']) {
    const body = {
      topic: 'product/*',
      callbackUrl: 'http://127.0.0.1:9/hook',
      status,
      includeFields: ['title'],
    }
    await made('/api/webhook_subscriptions', { ...body, locale: 'fr-FR', version: '2026-10' })
  }
  await shop.update(again['@id'], { handle: 'lamp-2' })
  const titles = Array.from({ length: 20 }, (_, index) => ({ title: `Many ${index}` }))
  await shop.create('/api/products', titles)
  await shop.rest()
  expect(ruled.id).toBeTruthy()
}

/** Changes of every sort, each of which the pages of an export may have passed already, or not. */
async function* changes(): AsyncGenerator<void> {
  for (let round = 0; ; round += 1) {
    const text = { title: `Round ${round}`, description: `Again ${round}` }
    const parent = await made('/api/categories', text)
    yield
    const child = await made('/api/categories', { ...text, parent: parent['@id'], position: 0 })
    yield
    const collection = await made('/api/collections', text)
    const product = await made('/api/products', {
      ...text,
      categories: [child['@id']],
      collections: [collection['@id']],
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }, { title: 'L' }] }],
      variants: ['S', 'M'].map((value) => ({
        optionValues: [{ option: 'Size', value }],
        saleOffers: [{ currency: 'EUR', amount: '9.90' }],
      })),
    })
    yield
    const [option] = product.options as [{ values: [Thing, Thing, Thing] }]
    const [first] = product.variants as [Thing]
    await shop.delete(option.values[2]['@id'], { status: 204 })
    await shop.update(option.values[1]['@id'], { position: 0 })
    yield
    await shop.update(first['@id'], { status: 'ARCHIVED' })
    await shop.update(product['@id'], { title: `Manche ${round}` }, { locale: 'fr-FR' })
    yield
    await shop.delete(collection['@id'], { status: 204 })
    if (round % 2 === 0) await shop.delete(product['@id'], { status: 204 })
    yield
    for (const each of items.slice(0, 2)) await shop.update(each, { vendor: `V ${round}` })
    yield
  }
}

async function connected<Result>(
  host: string,
  ask: (client: pg.Client, tenant: Awaited<ReturnType<typeof enterTenant>>) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrls().ownerUrl })
  await client.connect()
  try {
    return await ask(client, await enterTenant(client, host))
  } finally {
    await client.end()
  }
}

const exported = (progress: Progress = noProgress) =>
  connected(shop.host, (client, tenant) => exportCatalogue(client, tenant, file, { progress, pageRows: 7 }))

const restoredInto = (target: Shop, progress: Progress = noProgress, path = file) =>
  connected(target.host, (client, tenant) =>
    restoreCatalogue({ client, tenant, secretKeys: localSecretKeys, progress }, path),
  )

const brokenAt = (place: string): Progress => ({
  ...noProgress,
  advance(kind) {
    if (kind === place) throw new Error(`broken at ${place}`)
  },
})

/** Everything that a reader may see of a catalogue, in every language, but for stamps. */
async function everything({ get }: Shop): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  const kept = async (path: string, locale: string) => {
    const members: Thing[] = []
    let total: unknown = null
    for (let next: string | undefined = path; next; ) {
      const { body } = await get(next, { locale, status: 200 })
      members.push(...body.member)
      total = body.totalItems
      next = body.view?.next
    }
    seen[`${locale} ${path}`] = { total, members: unstamped(members) }
    return members
  }
  for (const locale of locales) {
    const products = [
      ...(await kept('/api/products?itemsPerPage=100', locale)),
      ...(await kept('/api/products?itemsPerPage=100&status=ARCHIVED', locale)),
    ]
    // Active ones are in the product itself.
    for (const { '@id': path, options } of products)
      if (Array.isArray(options) && options.length > 0) await kept(`${path}/variants?status=ARCHIVED`, locale)
    for (const list of [
      'categories',
      'metaobjects',
      'metaobject_definitions',
      'option_values',
      'campaigns',
      'markets',
      'search_synonyms',
    ])
      await kept(`/api/${list}?itemsPerPage=100`, locale)
    for (const offers of ['sale_offers', 'purchase_offers']) {
      await kept(`/api/${offers}?itemsPerPage=100`, locale)
      await kept(`/api/${offers}?itemsPerPage=100&status=ARCHIVED`, locale)
    }
    const collections = await kept('/api/collections?itemsPerPage=100', locale)
    for (const { '@id': path } of collections) await kept(`${path}/products?itemsPerPage=100`, locale)
    await kept('/api/products?q=lamp', locale)
    await kept('/api/products?q=chemise', locale)
  }
  expect(Object.keys(seen).length).toBeGreaterThan(50)
  return seen
}

/** Without values that a restore creates again; times of creation stay. */
function unstamped(value: unknown, more: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each) => unstamped(each, more))
  if (typeof value !== 'object' || value === null) return value
  const names = ['version', 'updatedAt', 'pricesCompleteAt', ...more]
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !names.includes(name))
      .map(([name, each]) => [name, unstamped(each, more)]),
  )
}

test('a catalogue moves whole, though it changes and both ways break off', { timeout: 120_000 }, async () => {
  await expect(exported(brokenAt('variants'))).rejects.toThrow('broken at variants')
  // The last line was not finished when the power failed.
  truncateSync(file, statSync(file).size - 7)
  // Some changes are before the read position, the others follow during the read.
  const first = changes()
  for (let step = 0; step < 7; step += 1) await first.next()
  const [target, other] = [await openShop({ locales }), await openShop({ locales })]
  await expect(restoredInto(target)).rejects.toThrow('shop.ndjson: the export is not whole')

  let going = true
  const written = (async () => {
    for await (const _ of changes()) if (!going) return
  })()
  const during = await exported()
  for (let step = 0; step < 7; step += 1) await first.next()
  const between = await exported(brokenAt('products (changes)')).catch((error: Error) => error)
  expect(between).toMatchObject({ message: 'broken at products (changes)' })
  const second = await exported()
  going = false
  await written
  await shop.rest()
  expect(during).toMatchObject({ resumed: true })
  expect(during.sequence).toBeGreaterThan(during.since)
  expect(second.since).toBe(during.sequence)
  expect(second.sequence).toBeGreaterThan(during.sequence)

  // The file has the database's content at the sequence of its last line, whatever came before and after.
  await expect(restoredInto(target, brokenAt('sale_offers'))).rejects.toThrow('broken')
  await expect(restoredInto(target, brokenAt('variants (events)'))).rejects.toThrow('broken')
  const none = await target.read('/api/products')
  expect(none).toMatchObject({ totalItems: 0, member: [] })
  const whole = await restoredInto(target)
  expect(whole.kinds.filter(({ same }) => !same)).toEqual([])
  expect(await restoredInto(target)).toMatchObject({ equal: true })

  const still = await exported()
  const feed = await shop.read('/api/events?itemsPerPage=0')
  expect(feed.totalItems).toBe(still.sequence)
  const last = [...linesOf(file)].at(-1)?.text ?? ''
  expect(JSON.parse(last)).toMatchObject({ kind: 'end', sequence: still.sequence })
  const done = await restoredInto(other)
  expect(done.kinds.filter(({ same }) => !same)).toEqual([])
  expect(done.kinds.every(({ exported: rows, written: made }) => rows > 0 && rows === made)).toBe(true)
  await other.rest()
  const [before, after] = await Promise.all([shop, other].map(everything))
  expect(after).toEqual(before)
  for (const tenant of [shop, target, other]) {
    const context = { tenant: tenant.tenant.id }
    const counted = await connected(shop.host, (owner) => runChecks(countChecks, { ...context, owner }))
    expect(counted.filter(({ state }) => state === 'fail')).toEqual([])
  }
  await subscribes(other)
  await follows(other)
  expect(await other.read('/api/products/by-handle/lamp')).toMatchObject({ handle: 'lamp-2' })
  await bringsChannelsBack(other)
})

/** A product that was archived before it moved has the same channels when it is restored in its new tenant. */
async function bringsChannelsBack(other: Shop): Promise<void> {
  const list = await other.read('/api/products?handle=lamp&status=ARCHIVED')
  const [lamp] = list.member as [Thing]
  expect(lamp.channels).toEqual([])
  const body = { status: 'ACTIVE', handle: 'lamp-again', externalId: 'lamp-again' }
  const restored = await other.update(lamp['@id'], body)
  expect(restored).toMatchObject({ status: 'ACTIVE', channels: ['web'] })
}

/** The feed of the restored catalogue lists all of it, and continues from there. */
async function follows(other: Shop): Promise<void> {
  const list = await other.read('/api/products?q=lamp')
  const [product] = list.member as [Thing & { variants: Thing[]; options: Thing[] }]
  expect(product.variants).toHaveLength(3)
  await other.update(product['@id'], { vendor: 'Later' })
  const events = await other.read(`/api/events?resource=${product['@id']}`)
  expect(events.member.map((each: Thing) => each.topic)).toEqual(['product/created', 'product/updated'])
  for (const { document } of events.member as { document: typeof product }[]) {
    // To an event, its resource was created when its first event happened.
    expect(unstamped(document.variants, ['createdAt'])).toEqual(unstamped(product.variants, ['createdAt']))
    expect(unstamped(document.options, ['createdAt'])).toEqual(unstamped(product.options, ['createdAt']))
  }
  const whole = await other.read('/api/events?itemsPerPage=100')
  expect(whole.member.every((each: Thing) => each.document !== null)).toBe(true)
  // Each event refers to earlier ones.
  const { variant, category } = await copyOf(other)
  expect([variant, category].every((rows) => rows!.length > 2)).toBe(true)
}

/** Restored subscriptions are paused, and have secrets of their own. */
async function subscribes(other: Shop): Promise<void> {
  const [before, after] = await Promise.all(
    [shop, other].map(async ({ get }) => (await get('/api/webhook_subscriptions')).body.member as Thing[]),
  )
  // Their `version` is that of payloads. Attempts in the source may continue.
  const shown = ({ updatedAt: _, failingSince: __, ...each }: Thing) => ({ ...each, status: 'PAUSED' })
  expect(after?.map(shown)).toEqual(before?.map(shown))
  expect(after?.map(({ status }) => status)).toEqual(['PAUSED', 'PAUSED'])
  const { rows } = await connected(other.host, (client, { id }) =>
    client.query(
      `select (select count(*)::int from webhook_subscriptions a join webhook_subscriptions b using (id, secret)
                where a.tenant_id = $1 and b.tenant_id <> $1) as secrets,
              (select count(*)::int from events where tenant_id = $1 and fanned_out_at is null) as news`,
      [id],
    ),
  )
  expect(rows).toEqual([{ secrets: 0, news: 0 }])
  expect(readFileSync(file, 'utf8')).not.toMatch(/"secret"|whsec_|v1\./)
}

test('what does not fit is refused before anything is written', async () => {
  const empty = await openShop()
  await expect(restoredInto(empty)).rejects.toThrow(
    `lacks languages that the file has: de-DE. Add them: npm run tenant -- update ${empty.host} --add-locale de-DE`,
  )
  const french = await openShop({ locales: ['fr-FR', 'en-US', 'de-DE'] })
  await expect(restoredInto(french)).rejects.toThrow(`The file's first language is en-US`)
  const filled = await openShop({ locales })
  await filled.post('/api/categories', { body: { title: 'Own' }, status: 201 })
  await expect(restoredInto(filled)).rejects.toThrow('it has rows of categories that the file has not')
  const path = join(directory, 'other.ndjson')
  appendFileSync(path, '{"kind": "other"}\n')
  await expect(restoredInto(filled, noProgress, path)).rejects.toThrow(
    'other.ndjson:1: is no line of an export',
  )
  const { migration } = JSON.parse([...linesOf(file)].at(0)?.text ?? '')
  const forged = join(directory, 'forged.ndjson')
  const beside = { events: [{ sequence: 1 }] }
  const header = {
    kind: 'export',
    format: 1,
    migration,
    sequence: 0,
    tenant: { host: 'h', name: 'n', locales },
  }
  appendFileSync(forged, `${JSON.stringify(header)}\n`)
  appendFileSync(forged, `${JSON.stringify({ kind: 'products', id: shop.tenant.id, row: {}, beside })}\n`)
  appendFileSync(forged, `${[...linesOf(file)].at(-1)?.text}\n`)
  await expect(restoredInto(filled, noProgress, forged)).rejects.toThrow(
    'forged.ndjson:2: products has rows of events, which do not belong there',
  )
  const older = join(directory, 'older.ndjson')
  appendFileSync(older, readFileSync(forged, 'utf8').replace(migration, '0001_schema.sql'))
  await expect(restoredInto(filled, noProgress, older)).rejects.toThrow(
    `The file is of a database at 0001_schema.sql; this one is at ${migration}.`,
  )
  await expect(
    connected(filled.host, (client, tenant) =>
      exportCatalogue(client, tenant, file, { progress: noProgress }),
    ),
  ).rejects.toThrow(`The file is an export of ${shop.host}`)
})

test('the commands say what they did, and their exit codes whether it was all', {
  timeout: 60_000,
}, async () => {
  const [one, other] = [await openShop({ locales }), await openShop({ locales })]
  await one.post('/api/products', { body: { title: 'Mug' }, status: 201 })
  const path = join(directory, 'commands.ndjson')
  const key = { WEBHOOK_SECRET_KEY: localSecretKeys[0] }
  const run = (name: string, args: readonly string[], secret = key) => {
    const env = { ...process.env, DATABASE_URL: databaseUrls().ownerUrl, ...secret }
    const script = fileURLToPath(import.meta.resolve(`./${name}.ts`))
    return promisify(execFile)(process.execPath, [script, ...args], { env })
  }
  const done = await run('export', ['--tenant', one.host, '--file', path, '--json'])
  expect(JSON.parse(done.stdout)).toMatchObject({ file: path, tenant: one.host, resumed: false })
  expect(done.stderr).toMatch(/^ *\d+ % {2}products$/m)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  // The address is one of this machine, as that of a tunnel to production is.
  const withoutKey = await run('restore', [path, '--tenant', other.host], { WEBHOOK_SECRET_KEY: '' }).catch(
    (error) => error,
  )
  expect(withoutKey).toMatchObject({ code: 2, stderr: expect.stringContaining('Set WEBHOOK_SECRET_KEY') })
  const { stdout } = await run('restore', [path, '--tenant', other.host])
  expect(stdout).toContain('The tenant has the rows of the file.')
  await other.create('/api/categories', { title: 'More' })
  const [more, unknown] = await Promise.all([
    run('restore', [path, '--tenant', other.host, '--into-filled']).catch((error) => error),
    run('export', ['--tenant', 'nobody']).catch((error) => error),
  ])
  expect(more).toMatchObject({ code: 1, stdout: expect.stringContaining('The tenant differs from the file') })
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no tenant nobody.') })
})

test('every table of tenants moves, or is listed as one that stays', async () => {
  const stays = [
    'tenant_clock',
    'tenant_totals',
    'events',
    'idempotency_keys',
    'collection_rules',
    'housekeeping',
    'tenant_epochs',
    'bulk_operations',
    'bulk_operation_pieces',
    'bulk_operation_results',
  ]
  const derived = [
    'locale_changes',
    'product_parts',
    'category_parts',
    'product_values',
    'titles',
    'sale_offer_terms',
    'sale_offer_boundaries',
    'variant_prices',
    'product_prices',
    'price_rebuilds',
  ]
  const ofDeliveries = ['collection_rebuilds', 'webhook_deliveries', 'webhook_attempts', 'webhook_hosts']
  const moves = movedKinds.flatMap(({ name, beside }) => [name, ...Object.keys(beside)])
  const { rows } = await connected(shop.host, (client) =>
    client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_policy p on p.polrelid = c.oid where p.polname = 'tenant'
          and c.relforcerowsecurity`,
    ),
  )
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    [...moves, ...stays, ...derived, ...ofDeliveries].toSorted(),
  )
})
