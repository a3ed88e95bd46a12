/** A suspended tenant responds 503 everywhere; its deliveries wait, and none of them is lost. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { asOwner, connected, databaseUrls } from '../support/database.ts'
import { hear } from '../support/lines.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { openWorld } from '../support/webhooks.ts'

const suspend = (id: string) =>
  asOwner(`update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1`, [id])
const resume = (id: string) =>
  asOwner(`update tenants set status = 'ACTIVE', suspended_at = null where id = $1`, [id])

describe('every request', () => {
  let shop: Shop
  beforeEach(async () => {
    shop = await openShop()
    await suspend(shop.tenant.id)
  })
  afterEach(() => void vi.restoreAllMocks())

  const paths = [
    ...['/', '/docs', '/admin', '/admin/index.js', '/api', '/api/openapi.json', '/api/contexts/Product'],
    ...['/.well-known/oauth-protected-resource', '/api/products', '/api/products/x', '/mcp', '/nowhere'],
  ]

  test('gets a problem of its own, in the requested language, and no log line', async () => {
    const heard = hear()
    const authorization = `Bearer ${await shop.token()}`
    for (const [method, path] of [
      ...paths.map((each) => ['GET', each] as const),
      ['POST', '/api/products'] as const,
      ['POST', '/mcp'] as const,
      ['DELETE', '/api/products/x'] as const,
      ['OPTIONS', '/api/products'] as const,
    ]) {
      for (const token of [null, authorization]) {
        const headers = new Headers({ 'service-locale': 'fr-FR' })
        if (token) headers.set('authorization', token)
        const answer = await shop.fetch(new Request(`http://${shop.host}${path}`, { method, headers }))
        expect(answer.status, `${method} ${path}`).toBe(503)
        expect(answer.headers.get('retry-after')).toBe('300')
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
        expect(await answer.json()).toMatchObject({
          slug: 'server.tenant_suspended',
          code: 'SRV-1007',
          message: 'Ce catalogue est actuellement suspendu. Veuillez contacter son exploitant.',
        })
      }
    }
    expect(heard.all()).toEqual([])
  })

  test('but for a preflight, so that a page of another site may read why', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    const url = `http://${shop.host}/api/products`
    expect((await shop.fetch(new Request(url, { method: 'OPTIONS', headers }))).status).toBe(204)
    const answer = await shop.fetch(new Request(url, { headers }))
    expect(answer.status).toBe(503)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('webhooks are not sent while it is suspended, and all of them after', async () => {
  const world = await openWorld()
  const { shop } = world
  await world.subscribe({ topic: 'product/*' })
  const before = await shop.create('/api/products', { title: 'Before' })
  await world.drain()
  await world.settled()
  expect(world.receipts.map(({ body }) => body['@id'])).toEqual([before['@id']])
  // On its way when it is suspended; one more is committed by a Worker that does not know of it yet.
  world.answer = () => new Response(null, { status: 500 })
  const failing = await shop.create('/api/products', { title: 'Failing' })
  await world.drain()
  await world.settled()
  const attempts = world.receipts.length
  await suspend(shop.tenant.id)
  const late = await shop.create('/api/products', { title: 'Late' })
  world.answer = () => new Response(null, { status: 204 })
  for (let hours = 0; hours < 100; hours += 20) {
    world.pass(20 * 3_600_000)
    await world.settled()
    await world.cron()
    await world.drain()
  }
  expect(world.receipts).toHaveLength(attempts)
  await resume(shop.tenant.id)
  await world.cron()
  await world.drain()
  const ids = world.receipts.slice(attempts).map(({ body }) => body['@id'])
  expect(ids.toSorted()).toEqual([failing['@id'], late['@id']].toSorted())
  expect((await world.deliveries()).map(({ status }) => status)).toEqual([
    'DELIVERED',
    'DELIVERED',
    'DELIVERED',
  ])
})

test('nothing of it is found by what recurs, nor deleted for its age until it had time to be delivered', async () => {
  const world = await openWorld()
  const { id } = world.shop.tenant
  await world.subscribe()
  await world.shop.get('/api/products', { status: 200 })
  await suspend(id)
  await world.shop.create('/api/products', { title: 'Late' })
  await world.settled()
  const found = (query: string) =>
    connected(databaseUrls().ownerUrl, async (client) => {
      const { rows } = await client.query(`select id from ${query} as id where id = $1`, [id])
      return rows.length === 1
    })
  const withWork = `tenants_with_work('infinity', null, 1000000)`
  const ages = { keys: 'infinity', documents: 'infinity', deliveries: 'infinity', heldDeliveries: 'infinity' }
  const toTidy = `tenants_to_tidy('${JSON.stringify(ages)}', null, 1000000)`
  expect([await found(withWork), await found(toTidy)]).toEqual([false, false])
  await asOwner(
    `update tenants set status = 'ACTIVE', suspended_at = null, kept_until = now() + interval '4 days' where id = $1`,
    [id],
  )
  expect([await found(withWork), await found(toTidy)]).toEqual([true, false])
  await asOwner('update tenants set kept_until = now() where id = $1', [id])
  expect(await found(toTidy)).toBe(true)
})
