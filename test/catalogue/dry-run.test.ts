/** Dry runs: `Service-Dry-Run: true` checks a write by all rules and by the database, and stores nothing. */
import { describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { connected, databaseUrls } from '../support/database.ts'
import { addressOf, sampleCalls } from '../support/samples.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const dry = { 'Service-Dry-Run': 'true' }

/** All rows of the shop's tenant, by table. */
async function rowsOf({ tenant }: Shop): Promise<Record<string, string>> {
  return connected(databaseUrls().ownerUrl, async (owner) => {
    const { rows: tables } = await owner.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' and c.table_schema = 'public' order by 1`,
    )
    const digests: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await owner.query<{ digest: string }>(
        // Jobs of other tests move the time of the clock.
        `select md5(coalesce(string_agg(${name === 'tenant_clock' ? 't.sequence' : 't'}::text, ',' order by t::text), '')) as digest from "${name}" t where tenant_id = $1`,
        [tenant.id],
      )
      digests[name] = String(rows[0]?.digest)
    }
    return digests
  })
}

/** A response without ids, secrets and times, which differ between two writes. */
function masked({ status, body }: Reply): unknown {
  const { dryRun: _, ...document } = body ?? {}
  const text = JSON.stringify({ status, document })
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/"whsec_[^"]+"/g, '"secret"')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')
  return JSON.parse(text)
}

// The preview of a delivery has a signature and a trace of its own.
const writes = resources
  .flatMap(({ operations }) => operations)
  .filter(({ method, name }) => method !== 'GET' && name !== 'previewWebhook')
// Deletions last, and that of the product at the end: they remove the resources of other samples.
const inOrder = [/^(?!delete)/, /^delete(?!Product$)/, /^deleteProduct$/].flatMap((pattern) =>
  writes.filter(({ name }) => pattern.test(name)),
)

/** The operations that act outside of the database, or store a file. */
const unsupported = [
  'choosePricePolicy',
  'createBulkOperation',
  'endCampaign',
  'removePricePolicy',
  'revertBulkOperation',
  'testWebhook',
  'uploadPicture',
]

describe('a dry run', () => {
  test('of each write has its response, and changes no row', { timeout: 180_000 }, async () => {
    const shop = await openShop()
    const sampleOf = await sampleCalls(shop)
    await shop.rest()
    const rejected: string[] = []
    for (const operation of inOrder) {
      const { body, ...sample } = sampleOf(operation)
      const path = addressOf(operation, sample)
      const options = {
        ...(body !== undefined && { body }),
        ...(operation.onlyIn !== undefined && { version: operation.onlyIn }),
      }
      const before = await rowsOf(shop)
      const rehearsed = await shop.request(operation.method, path, { ...options, headers: dry })
      await shop.rest()
      expect(await rowsOf(shop), operation.name).toEqual(before)
      if (rehearsed.status === 422) {
        expect(rehearsed.body.slug, operation.name).toBe('http.dry_run_unsupported')
        rejected.push(operation.name)
        continue
      }
      expect(rehearsed.headers.get('service-dry-run'), operation.name).toBe('true')
      const { headers } = await shop.get('/api/products?itemsPerPage=0')
      const performed = await shop.request(operation.method, path, options)
      const { member: events } = await shop.read(`/api/events?after=${headers.get('service-sequence')}`)
      if (operation.answers !== 'empty')
        expect.soft(masked(rehearsed), operation.name).toEqual(masked(performed))
      else expect([rehearsed.status, performed.status]).toEqual([200, 204])
      const topics = (list: { topic: string }[]) => list.map(({ topic }) => topic)
      expect.soft(topics(rehearsed.body.dryRun.events), operation.name).toEqual(topics(events))
      await shop.rest()
    }
    expect(rejected.toSorted()).toEqual(unsupported)
  })

  test('reports the events, and the prices that would change and when', async () => {
    const shop = await openShop()
    await shop.create('/api/markets', {
      key: 'fr',
      name: 'France',
      channel: 'web',
      country: 'FR',
      currency: 'EUR',
    })
    await shop.rest()
    const product = await shop.create('/api/products', {
      title: 'Lamp',
      variants: [{ saleOffers: [{ amount: '10.00', currency: 'EUR' }] }],
    })
    const [variant] = product.variants
    const sale = { variant: variant['@id'], currency: 'EUR', amount: '8.00', priority: 5 }
    const period = { validFrom: '2090-11-27T00:00:00.000000Z', validUntil: '2090-12-01T00:00:00.000000Z' }
    const { body } = await shop.post('/api/sale_offers', {
      body: { ...sale, ...period },
      headers: dry,
      status: 201,
    })
    expect(body.dryRun.events).toMatchObject([{ topic: 'sale_offer/created', resourceVersion: 1 }])
    expect(body.dryRun.priceChanges).toEqual([
      {
        market: 'fr',
        variant: variant['@id'],
        product: product['@id'],
        effectiveAt: period.validFrom,
        currency: 'EUR',
        before: '10.00',
        after: '8.00',
      },
    ])
    expect((await shop.read('/api/sale_offers')).totalItems).toBe(1)
    const archived = await shop.delete(product['@id'], { headers: dry, status: 200 })
    expect(archived.body.dryRun.priceChanges).toMatchObject([{ market: 'fr', before: '10.00', after: null }])
    const reader = await shop.token({ scope: 'products:write products:read' })
    const unseen = await shop.delete(product['@id'], { headers: dry, token: reader, status: 200 })
    expect(unseen.body.dryRun.priceChanges).toEqual([])
  })

  test('reports the conflicts that only the database finds', async () => {
    const shop = await openShop()
    await shop.create('/api/products', { title: 'A', handle: 'a', externalId: 'x' })
    const body = { title: 'B', handle: 'a' }
    const rehearsed = await shop.post('/api/products', { body, headers: dry, status: 409 })
    const performed = await shop.post('/api/products', { body, status: 409 })
    expect(rehearsed.body.slug).toBe(performed.body.slug)
    const category = await shop.create('/api/categories', { title: 'Parent' })
    await shop.create('/api/categories', { title: 'Child', parent: category['@id'] })
    await shop.delete(category['@id'], { headers: dry, status: 409 })
  })

  test('does not use its idempotency key, and a malformed header is 400', async () => {
    const shop = await openShop()
    const keyed = { 'Idempotency-Key': 'k' }
    const body = { title: 'A' }
    await shop.post('/api/products', { body, headers: { ...dry, ...keyed }, status: 201 })
    await shop.post('/api/products', { body, headers: keyed, status: 201 })
    await shop.post('/api/products', { body, headers: { 'Service-Dry-Run': 'yes' }, status: 400 })
    expect((await shop.read('/api/products')).totalItems).toBe(1)
  })

  test('of a batch reports the events of all elements', async () => {
    const shop = await openShop()
    const { member } = await shop.create('/api/products', [{ title: 'A' }, { title: 'B' }])
    const body = member.map((product: { '@id': string }) => ({ '@id': product['@id'], vendor: 'V' }))
    const reply = await shop.patch('/api/products', { body, headers: dry, status: 200 })
    expect(reply.body.member).toMatchObject([
      { vendor: 'V', version: 2 },
      { vendor: 'V', version: 2 },
    ])
    expect(reply.body.dryRun.events).toMatchObject(
      body.map((each: { '@id': string }) => ({ resource: each['@id'] })),
    )
    expect(await shop.read(member[0]['@id'])).toMatchObject({ vendor: null, version: 1 })
  })
})
