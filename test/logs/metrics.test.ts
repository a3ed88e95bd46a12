/** Data points with a bound data set. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { metricsOf } from '../../src/core/metrics.ts'
import { analyse } from '../support/analytics.ts'
import { createApp } from '../support/app.ts'
import { openShop } from '../support/shop.ts'
import { openWorld } from '../support/webhooks.ts'

function dataset() {
  const points: AnalyticsEngineDataPoint[] = []
  return { points, METRICS: { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) } }
}

test('a request is one point: tenant, operation, version, status, duration, statements and bytes', async () => {
  const { points, METRICS } = dataset()
  const shop = await openShop({ bindings: { METRICS } })
  const { id } = shop.tenant
  const list = await shop.get('/api/products', { status: 200 })
  await shop.get('/api/products', { headers: { 'if-none-match': list.headers.get('etag') }, status: 304 })
  await shop.request('HEAD', '/api/products', { status: 200 })
  await shop.post('/api/products', { body: {}, version: '2026-04', status: 422 })
  await shop.get('/api/products/x', { token: null, status: 401 })
  await shop.get('/api/nothing', { status: 404 })
  await shop.get('/api/openapi.json', { token: null, status: 200 })
  await shop.fetch(new Request('http://nobody.test/api/products'))
  await shop.fetch(new Request('http://nobody.test/health'))
  const blobs = points.map((point) => point.blobs)
  expect(blobs).toEqual([
    ['request', id, 'listProducts', '200', '2026-10'],
    ['request', id, 'listProducts', '304', '2026-10'],
    ['request', id, 'listProducts', '200', '2026-10'],
    ['request', id, 'createProducts', '422', '2026-04'],
    ['request', id, 'getProduct', '401', '2026-10'],
    ['request', id, null, '404', '2026-10'],
    ['request', id, '/api/openapi.json', '200', '2026-10'],
    ['request', null, 'listProducts', '404', null],
    ['request', null, '/health', '200', null],
  ])
  expect(points.map((point) => point.indexes)).toEqual([...Array(7).fill([id]), [''], ['']])
  const doubles = points.map((point) => point.doubles ?? [])
  for (const [durationMs] of doubles) expect(durationMs).toBeGreaterThan(0)
  // The first one looked the tenant up, too.
  expect(doubles.map(([, statements]) => statements)).toEqual([2, 1, 1, 0, 0, 0, 0, 1, 0])
  const bytes = doubles.map(([, , each]) => each)
  expect(bytes.slice(0, 3)).toEqual([new TextEncoder().encode(list.text).length, 0, 0])
  expect(bytes[3]).toBeGreaterThan(300)
  expect(bytes[6]).toBeGreaterThan(100_000)
})

test('each attempt of a delivery is one point, with its result', async () => {
  const { points, METRICS } = dataset()
  const world = await openWorld()
  Object.assign(world.runtime, { metrics: metricsOf(METRICS) })
  await world.subscribe({ topic: 'product/*' })
  world.answer = () => {
    world.pass(70)
    return new Response(null, { status: world.receipts.length > 1 ? 204 : 500 })
  }
  await world.shop.create('/api/products', { title: 'A' })
  await world.drain()
  world.pass(60_000)
  await world.drain()
  const { id } = world.shop.tenant
  expect(points).toEqual([
    { indexes: [id], blobs: ['delivery', id, 'product/created', 'http_status', '2026-10'], doubles: [70] },
    { indexes: [id], blobs: ['delivery', id, 'product/created', 'delivered', '2026-10'], doubles: [70] },
  ])
})

test('without a data set every request succeeds, and an invalid binding is rejected', async () => {
  await (await openShop({ app: createApp() })).get('/api/products', { status: 200 })
  const odd = await openShop({ bindings: { METRICS: {} } })
  await odd.get('/api/products', { status: 503 })
})

test('the alerts on data points find failing and slow operations, receivers that fail, and flooding tenants', async () => {
  const { points, METRICS } = dataset()
  const metrics = metricsOf(METRICS)
  const common = { tenant: 'a', version: '2026-10', statements: 1, bytes: 1 }
  metrics.request({
    ...common,
    tenant: 'd',
    operation: 'good',
    status: 200,
    durationMs: 5,
    statements: 30_001,
  })
  for (let n = 0; n < 100; n += 1) {
    metrics.request({ ...common, operation: 'failing', status: n > 97 ? 503 : 200, durationMs: 5 })
    metrics.request({ ...common, operation: 'slow', status: 404, durationMs: n > 97 ? 2_500 : 5 })
    metrics.request({ ...common, operation: 'good', status: 200, durationMs: 5 })
    const outcome = (failures: number) => (n < failures ? 'timeout' : 'delivered')
    metrics.delivery({ ...common, tenant: 'b', topic: 'product/created', outcome: outcome(50), latencyMs: 5 })
    metrics.delivery({ ...common, tenant: 'c', topic: 'product/created', outcome: outcome(40), latencyMs: 5 })
  }
  const queries = readFileSync(
    join(import.meta.dirname, '../../.github/monitoring/alerts.sql'),
    'utf8',
  ).split(';')
  const alerts = await analyse(points, queries.slice(0, -1))
  expect(alerts).toEqual([
    [{ operation: 'failing', requests: '100.0', share: expect.stringMatching(/^0\.020*$/) }],
    [{ operation: 'slow', requests: '100.0', p99: 2_500 }],
    [{ tenant: 'b', attempts: '100.0', share: expect.stringMatching(/^0\.50*$/) }],
    [{ tenant: 'd', requests: '1.0', statements: 30_001 }],
  ])
})
