/** Receivers that answer late, never, or without an end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { attemptsInBackground } from '../../src/resources/webhooks/dispatch/deliver.ts'
import { openWorld, type Receipt, type World } from '../support/webhooks.ts'

const noContent = () => new Response(null, { status: 204 })
const atHealthy = (receipts: readonly Receipt[]) => receipts.filter(({ url }) => url.includes('healthy'))
const atHanging = (receipts: readonly Receipt[]) => receipts.filter(({ url }) => url.includes('hanging'))

/** Subscribes a healthy and a hanging receiver on different hosts. `release` makes the hanging one answer. */
async function subscribeBoth(world: World): Promise<{ release: () => void }> {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  await world.subscribe({ callbackUrl: 'https://hanging.shop.dev/in' })
  await world.subscribe({ callbackUrl: 'https://healthy.shop.dev/in' })
  world.answer = async ({ url }) => {
    if (url.includes('hanging')) await promise
    return noContent()
  }
  return { release }
}

async function createProducts(world: World, count: number): Promise<{ '@id': string }[]> {
  const body = Array.from({ length: count }, (_, index) => ({ title: `P${index}` }))
  return (await world.shop.create('/api/products', body)).member
}

/** Hands over batches until a condition holds. It does not wait for attempts in the background. */
async function consumeUntil(world: World, condition: () => boolean): Promise<void> {
  for (const started = performance.now(); !condition(); ) {
    if (performance.now() - started > 10_000) throw new Error('the condition does not hold after 10 s')
    if (!(await world.consumeBatch())) await sleep(10)
  }
}

test('a batch of 25 messages returns while one receiver hangs, and the other receives everything', async () => {
  const world = await openWorld()
  const { release } = await subscribeBoth(world)
  await createProducts(world, 13)
  await world.settled()
  const deliveries = await world.deliveries()
  const messages = deliveries.slice(0, 25).map(({ id }) => ({
    body: { tenant: world.shop.tenant.id, delivery: String(id) },
    at: world.runtime.now().getTime(),
    attempts: 1,
  }))
  expect(messages).toHaveLength(25)
  world.messages.splice(0, Number.POSITIVE_INFINITY, ...messages)

  await world.consumeBatch()
  expect(world.batchesInBackground).toBe(1)
  await consumeUntil(world, () => atHealthy(world.receipts).length === 13)
  expect(world.batchesInBackground).toBeGreaterThan(0)
  expect(atHanging(world.receipts)).toHaveLength(10)

  release()
  await world.drain()
  expect(atHanging(world.receipts)).toHaveLength(13)
  expect(new Set((await world.deliveries()).map(({ status }) => status))).toEqual(new Set(['DELIVERED']))
})

test('an isolate that dies in the background loses no delivery', async () => {
  const world = await openWorld()
  const { release } = await subscribeBoth(world)
  await createProducts(world, 1)
  await consumeUntil(world, () => world.batchesInBackground === 1)
  expect(world.messages).toEqual([])

  // The first attempt never continues from here on. Its lease ends after 45 s, and the cron finds the delivery.
  world.answer = noContent
  world.pass(46_000)
  await world.cron()
  await consumeUntil(world, () => atHanging(world.receipts).length === 2)
  await expect
    .poll(async () => (await world.deliveries()).map(({ status }) => status))
    .toEqual(['DELIVERED', 'DELIVERED'])
  const [first, second] = atHanging(world.receipts)
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  expect((await world.attempts()).map(({ number, http_status }) => [number, http_status])).toEqual(
    expect.arrayContaining([
      [1, null],
      [2, 204],
    ]),
  )
  release()
  await world.drain()
})

test('a 200 with an endless body is delivered at once, and the next delivery of the resource follows', async () => {
  const world = await openWorld()
  await world.subscribe()
  let cancelled = 0
  world.answer = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(10)),
        cancel() {
          cancelled += 1
        },
      }),
    )
  const [product] = await createProducts(world, 1)
  await world.shop.update(product!['@id'], { vendor: 'Acme' })
  await world.drain()
  expect(world.receipts.map(({ body }) => body.version)).toEqual([1, 2])
  expect(await world.deliveries()).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }])
  expect(cancelled).toBe(2)
})

test('an error of the queue during slow attempts loses no outcome, and the cron finds the successors', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const world = await openWorld()
  const { release } = await subscribeBoth(world)
  const [product] = await createProducts(world, 1)
  await world.shop.update(product!['@id'], { vendor: 'Acme' })
  await world.settled()

  const { queue } = world.runtime
  const brokenQueue = { sendBatch: () => Promise.reject(new Error('the queue is not available')) }
  Object.assign(world.runtime, { queue: brokenQueue })
  await world.consumeBatch()
  await expect.poll(() => error.mock.calls.length).toBeGreaterThan(0)
  Object.assign(world.runtime, { queue })
  release()
  await world.drain()
  const events = error.mock.calls.map(([line]) => JSON.parse(String(line)).event)
  expect(new Set(events)).toEqual(new Set(['dispatch_failed']))
  expect((await world.attempts()).map(({ http_status }) => http_status)).not.toContain(null)

  world.pass(121_000)
  await world.cron()
  await world.drain()
  expect(atHealthy(world.receipts).map(({ body }) => body.version)).toEqual([1, 2])
  expect(atHanging(world.receipts).map(({ body }) => body.version)).toEqual([1, 2])
})

test('a batch waits for its receivers while the isolate has no room for attempts in the background', async () => {
  const world = await openWorld()
  const { release } = await subscribeBoth(world)
  const others = Array.from({ length: 200 }, () => ({ body: null }))
  expect(attemptsInBackground.add(others, world.runtime.now())).toBe(true)
  await createProducts(world, 1)
  let isOver = false
  const batch = world.consumeBatch().then(() => {
    isOver = true
  })
  await expect.poll(() => atHealthy(world.receipts).length).toBe(1)
  await sleep(1_200)
  expect(isOver).toBe(false)
  for (const claim of others) attemptsInBackground.end(claim)
  await batch
  expect(world.batchesInBackground).toBe(1)
  release()
  await world.drain()
})

test('a failure that arrives after its lease is logged and changes nothing else', async () => {
  const world = await openWorld()
  const { id } = await world.subscribe()
  const { promise: late, resolve: release } = Promise.withResolvers<Response>()
  world.answer = () => (world.receipts.length === 1 ? late : noContent())
  await createProducts(world, 1)
  await consumeUntil(world, () => world.batchesInBackground === 1)
  world.pass(46_000)
  await world.cron()
  await consumeUntil(world, () => world.receipts.length === 2)
  await expect.poll(async () => (await world.deliveries())[0]?.status).toBe('DELIVERED')

  release(new Response(null, { status: 410 }))
  await world.drain()
  expect(await world.attempts()).toMatchObject([{ http_status: 410 }, { http_status: 204 }])
  expect(await world.deliveries()).toMatchObject([{ status: 'DELIVERED' }])
  expect(await world.subscription(id)).toMatchObject({ status: 'ACTIVE', failing_since: null })
})

test('a last attempt that fails after its lease is logged as the final failure once', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const world = await openWorld()
  await world.subscribe()
  const { promise: late, resolve: release } = Promise.withResolvers<Response>()
  world.answer = () => late
  await createProducts(world, 1)
  await world.settled()
  await world.owner('update webhook_deliveries set attempts = 11 where tenant_id = $1')
  await consumeUntil(world, () => world.batchesInBackground === 1)
  world.pass(46_000)
  await world.cron()
  expect(await world.deliveries()).toMatchObject([{ status: 'FAILED', attempts: 12 }])

  release(new Response(null, { status: 500 }))
  await world.drain()
  expect(warn.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
    { event: 'delivery_given_up', reason: 'unheard_of' },
  ])
})

test('the latency of an attempt does not include the look-up of its host', async () => {
  const world = await openWorld()
  await world.subscribe()
  const { fetch } = world.runtime.callbacks
  Object.assign(world.runtime.callbacks, {
    fetch: async (...request: Parameters<typeof fetch>) => {
      if (String(request[0]).startsWith('https://dns.test/')) world.pass(2_000)
      return fetch(...request)
    },
  })
  world.answer = () => {
    world.pass(70)
    return noContent()
  }
  await createProducts(world, 1)
  await world.drain()
  expect(await world.attempts()).toMatchObject([{ milliseconds: 70, http_status: 204 }])
})

test('outcomes that end while others are being recorded are recorded together', async () => {
  const world = await openWorld()
  await world.subscribe()
  await createProducts(world, 10)
  await world.settled()
  let recordings = 0
  const { database } = world.runtime
  Object.assign(world.runtime, {
    database: {
      open(tenantId: string | null) {
        const session = database.open(tenantId)
        const write: typeof session.write = (queries) => {
          if ('recorded' in queries) recordings += 1
          return session.write(queries)
        }
        return { ...session, write }
      },
    },
  })
  await world.drain()
  expect((await world.deliveries()).map(({ status }) => status)).toEqual(Array(10).fill('DELIVERED'))
  expect(recordings).toBeLessThan(6)
})
