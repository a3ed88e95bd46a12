/** Which subscriptions get deliveries, when, how often, and in which order. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { openWorld, type Receipt, type World } from '../support/webhooks.ts'

const minute = 60_000
const hour = 60 * minute
const created = async (world: World, title = 'Shirt') => await world.shop.create('/api/products', { title })
const patched = async (world: World, product: { '@id': string }, vendor: string) =>
  (await world.shop.patch(product['@id'], { body: { vendor }, status: 200 })).body
const failing = () => new Response(null, { status: 500 })
const silent = (): Response => {
  throw new DOMException('too late', 'TimeoutError')
}
/** The stored parts of a product, whose document is not JSON. */
const unreadable = `jsonb_set(document::jsonb, '{document}', '"{"')::text`
const titles = (receipts: readonly Receipt[]) => receipts.map((each) => each.body.title)

test('a created product reaches its subscriber, signed, as the feed has it', async () => {
  const world = await openWorld()
  const { id, secret } = await world.subscribe({ topic: 'product/*' })
  await created(world)
  await world.drain()

  expect(world.receipts).toHaveLength(1)
  const { url, headers, text, body } = world.receipts[0]!
  expect(url).toBe('https://hooks.shop.dev/in')
  const { body: feed } = await world.shop.get('/api/events')
  const [event] = feed.member
  expect(body).toEqual({ '@context': '/api/contexts/Product', ...event.document })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': `${event.id}_${id}`,
    'service-topic': 'product/created',
    'service-api-version': '2026-10',
    'service-sequence': '1',
    'service-resource-version': '1',
    'service-delivery-attempt': '1',
  })
  expect(new Webhook(secret).verify(text, headers)).toEqual(body)
  expect(await world.deliveries()).toMatchObject([{ status: 'DELIVERED', attempts: 1 }])
})

describe('a subscription', () => {
  test('a write without a matching subscription costs neither a round trip nor a message, and leaves no work', async () => {
    const world = await openWorld()
    await world.subscribe({ topic: 'category/created' })
    await world.subscribe({ topic: '*', status: 'DISABLED' })
    await created(world)
    expect(world.relays).toBe(0)
    await world.settled()
    expect(world.messages).toEqual([])
    await world.cron()
    expect(world.messages).toEqual([])
    expect(world.sent).toBe(0)
  })

  test('a topic, all of a subject, and everything', async () => {
    const world = await openWorld()
    for (const topic of ['product/created', 'product/*', 'product/updated', 'category/*', '*']) {
      await world.subscribe({ topic, callbackUrl: `https://${topic.replace(/\W/g, '')}.shop.dev/` })
    }
    await patched(world, await created(world), 'Acme')
    await world.drain()
    const byReceiver = Object.groupBy(world.receipts, ({ url }) => new URL(url).hostname.split('.')[0]!)
    const topics = (name: string) => byReceiver[name]?.map((each) => each.headers['service-topic'])
    expect(topics('productcreated')).toEqual(['product/created'])
    expect(topics('product')).toEqual(['product/created', 'product/updated'])
    expect(topics('productupdated')).toEqual(['product/updated'])
    expect(topics('category')).toBeUndefined()
  })

  test('gets no change from before its creation, even if it was not fanned out yet', async () => {
    const world = await openWorld()
    await world.subscribe({ callbackUrl: 'https://early.shop.dev/' })
    await created(world, 'Before')
    await world.subscribeLate({ callbackUrl: 'https://late.shop.dev/' })
    await created(world, 'After')
    await world.drain()
    const byReceiver = (name: string) => titles(world.receipts.filter((each) => each.url.includes(name)))
    // Two resources: in any order.
    expect(byReceiver('early').toSorted()).toEqual(['After', 'Before'])
    expect(byReceiver('late')).toEqual(['After'])
  })
})

describe('a receiver that fails', () => {
  test('is tried twelve times by the schedule, then the delivery is FAILED with its whole log', async () => {
    const world = await openWorld()
    await world.subscribe()
    world.answer = failing
    await created(world)
    const gaps: number[] = []
    for (;;) {
      await world.drain()
      const [delivery] = await world.deliveries()
      if (delivery!.status !== 'PENDING') break
      const gap = (delivery!.next_attempt_at as Date).getTime() - world.runtime.now().getTime()
      gaps.push(gap / 1000)
      world.pass(gap - 1)
      await world.cron()
      await world.drain()
      expect(world.receipts).toHaveLength(gaps.length)
      world.pass(1)
      await world.cron()
    }
    expect(gaps).toEqual([5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000, 43_200, 57_600, 72_000])
    expect(world.receipts).toHaveLength(12)
    expect(await world.deliveries()).toMatchObject([{ status: 'FAILED', attempts: 12 }])
    const log = await world.attempts()
    expect(log).toHaveLength(12)
    expect(log[0]).toMatchObject({ number: 1, http_status: 500, error: 'http_status' })
  })

  test.each([
    [
      'a redirect, which is not followed',
      () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } }),
      302,
      'redirect',
    ],
    ['an error', () => new Response('x'.repeat(100_000), { status: 503 }), 503, 'http_status'],
    ['silence', silent, null, 'timeout'],
    [
      'a refused connection',
      () => {
        throw new TypeError('fetch failed')
      },
      null,
      'connection',
    ],
  ] as const)('%s is noted, and the next attempt succeeds', async (_, answer, status, error) => {
    const world = await openWorld()
    await world.subscribe()
    world.answer = answer
    await created(world)
    await world.drain()
    world.answer = () => new Response(null, { status: 204 })
    world.pass(6_000)
    await world.drain()
    expect(await world.attempts()).toMatchObject([
      { number: 1, http_status: status, error },
      { number: 2, http_status: 204, error: null },
    ])
    expect(world.receipts).toHaveLength(2)
  })

  test('an address that leads inside is not called', async () => {
    const world = await openWorld()
    await world.subscribe()
    world.addresses = ['10.0.0.7']
    await created(world)
    await world.drain()
    expect(world.receipts).toEqual([])
    expect(await world.attempts()).toMatchObject([{ error: 'blocked_address' }])
  })

  test('Retry-After is limited to between once and twice the gap', async () => {
    const world = await openWorld()
    await world.subscribe()
    world.answer = () => new Response(null, { status: 429, headers: { 'retry-after': '1000000000' } })
    await created(world)
    await world.drain()
    world.pass(9_000)
    await world.drain()
    expect(world.receipts).toHaveLength(1)
    world.pass(1_000)
    await world.drain()
    expect(world.receipts).toHaveLength(2)
  })

  test('410 disables the subscription at once, and what waits is sent when it is enabled again', async () => {
    const world = await openWorld()
    const { id } = await world.subscribe()
    world.answer = () => new Response(null, { status: 410 })
    await created(world, 'One')
    await world.drain()
    expect(await world.subscription(id)).toMatchObject({ status: 'DISABLED', disabled_reason: 'gone' })
    await created(world, 'Missed')
    world.pass(hour)
    await world.cron()
    await world.drain()
    expect(world.receipts).toHaveLength(1)
    world.answer = () => new Response(null, { status: 200 })
    await world.change(id, { status: 'ACTIVE', disabled_reason: null })
    await world.cron()
    await world.drain()
    expect(titles(world.receipts)).toEqual(['One', 'One'])
  })

  test('five days of failures disable it; a success in between starts the count again', async () => {
    const world = await openWorld()
    const { id } = await world.subscribe()
    const failOnce = async (title: string) => {
      world.answer = failing
      await created(world, title)
      await world.drain()
    }
    await failOnce('One')
    world.pass(4 * 24 * hour)
    world.answer = () => new Response(null, { status: 204 })
    await world.cron()
    await world.drain()
    expect(await world.subscription(id)).toMatchObject({ status: 'ACTIVE', failing_since: null })
    world.pass(2 * 24 * hour)
    await failOnce('Two')
    expect(await world.subscription(id)).toMatchObject({ status: 'ACTIVE' })
    world.pass(5 * 24 * hour)
    await failOnce('Three')
    expect(await world.subscription(id)).toMatchObject({ status: 'DISABLED', disabled_reason: 'failing' })
  })
})

describe('order', () => {
  test('changes of a resource are sent in version order; other resources do not wait', async () => {
    const world = await openWorld()
    await world.subscribe()
    world.answer = ({ body }) => new Response(null, { status: body.title === 'Stuck' ? 500 : 204 })
    const stuck = await created(world, 'Stuck')
    await world.drain()
    await patched(world, stuck, 'one')
    await created(world, 'Free')
    await world.drain()
    expect(titles(world.receipts)).toEqual(['Stuck', 'Free'])
    world.answer = () => new Response(null, { status: 204 })
    world.pass(6_000)
    await world.drain()
    expect(world.receipts.map((each) => [each.body.title, each.body.version])).toEqual([
      ['Stuck', 1],
      ['Free', 1],
      ['Stuck', 1],
      ['Stuck', 2],
    ])
  })

  test('it applies to an address, whichever of its subscriptions fails', async () => {
    const world = await openWorld()
    await world.subscribe({ topic: 'product/created' })
    const { id } = await world.subscribe({ topic: 'product/updated' })
    world.answer = failing
    const product = await created(world)
    await patched(world, product, 'one')
    await world.drain()
    expect(world.receipts.map((each) => each.body.version)).toEqual([1])
    world.answer = () => new Response(null, { status: 204 })
    await world.change(id, {
      callback_url: 'https://elsewhere.shop.dev/',
      callback_host: 'elsewhere.shop.dev',
    })
    await world.cron()
    await world.drain()
    expect(world.receipts.map((each) => each.body.version)).toEqual([1, 2])
  })

  test('after its fifth failure a delivery stands back', async () => {
    const world = await openWorld()
    await world.subscribe()
    world.answer = ({ body }) => new Response(null, { status: body.version === 1 ? 500 : 204 })
    const product = await created(world)
    await patched(world, product, 'one')
    for (const gap of [0, 5, 30, 300, 1800]) {
      expect(world.receipts.map((each) => each.body.version)).not.toContain(2)
      world.pass(gap * 1000 + 100)
      await world.cron()
      await world.drain()
    }
    expect(world.receipts.map((each) => each.body.version)).toEqual([1, 1, 1, 1, 1, 2])
  })

  test('a message that arrives before an earlier one changes nothing', async () => {
    const world = await openWorld()
    await world.subscribe()
    const product = await created(world)
    await patched(world, product, 'one')
    await patched(world, product, 'two')
    await world.settled()
    world.messages.reverse()
    await world.drain()
    expect(world.receipts.map((each) => each.body.version)).toEqual([1, 2, 3])
  })
})

describe('pauses', () => {
  test('a paused subscription collects, and continues in order when it is resumed', async () => {
    const world = await openWorld()
    const { id } = await world.subscribe({ status: 'PAUSED' })
    const product = await created(world)
    await patched(world, product, 'one')
    await world.cron()
    await world.drain()
    expect(world.receipts).toEqual([])
    expect(await world.deliveries()).toHaveLength(2)
    await world.change(id, { status: 'ACTIVE' })
    await world.cron()
    await world.drain()
    expect(world.receipts.map((each) => each.body.version)).toEqual([1, 2])
  })

  test('it holds up no other subscription of its address', async () => {
    const world = await openWorld()
    await world.subscribe({ topic: 'product/created', status: 'PAUSED' })
    await world.subscribe({ topic: 'product/updated' })
    await patched(world, await created(world), 'one')
    await world.drain()
    expect(world.receipts.map((each) => each.headers['service-topic'])).toEqual(['product/updated'])
  })
})

describe('hosts', () => {
  test('an unreachable one gets one attempt at a time, and the others are served as usual', async () => {
    const world = await openWorld()
    await world.subscribe({ callbackUrl: 'https://dead.shop.dev/' })
    await world.subscribe({ callbackUrl: 'https://good.shop.dev/' })
    world.answer = ({ url }) => (url.includes('dead') ? silent() : new Response(null, { status: 204 }))
    for (let index = 0; index < 20; index += 1) await created(world, `P${index}`)
    await world.drain()
    const count = (name: string) => world.receipts.filter((each) => each.url.includes(name)).length
    expect(count('good')).toBe(20)
    expect(count('dead')).toBeLessThan(15)
    const before = count('dead')
    world.pass(minute)
    await world.cron()
    await world.drain()
    expect(count('dead')).toBe(before + 1)
    world.answer = () => new Response(null, { status: 204 })
    world.pass(2 * minute)
    for (let index = 0; index < 5; index += 1) {
      await world.cron()
      await world.drain()
      world.pass(minute)
    }
    expect((await world.deliveries()).filter((each) => each.status !== 'DELIVERED')).toEqual([])
  })

  test('no more than ten attempts are under way at one host', async () => {
    const world = await openWorld()
    await world.subscribe()
    const gate = Promise.withResolvers<void>()
    let underWay = 0
    let most = 0
    world.answer = async () => {
      most = Math.max(most, (underWay += 1))
      await gate.promise
      underWay -= 1
      return new Response(null, { status: 204 })
    }
    await world.shop.create(
      '/api/products',
      Array.from({ length: 30 }, (_, index) => ({ title: `P${index}` })),
    )
    await world.settled()
    expect(world.messages).toHaveLength(10)
    world.messages.push(...world.messages)
    const draining = world.drainAtOnce()
    while (underWay < 10) await new Promise((done) => setTimeout(done, 5))
    await world.cron()
    gate.resolve()
    await draining
    await world.drain()
    expect(most).toBe(10)
    expect(world.receipts).toHaveLength(30)
  })
})

describe('what is lost is found again', () => {
  test('the cron alone delivers everything when the queues lose every message', async () => {
    const world = await openWorld()
    await world.subscribe()
    const product = await created(world)
    await patched(world, product, 'one')
    await world.settled()
    for (let round = 0; round < 12 && world.receipts.length < 2; round += 1) {
      // Only what this round sends arrives.
      world.messages.length = 0
      world.pass(minute)
      await world.cron()
      if (round % 2 === 1) await world.drain()
    }
    expect(world.receipts.map((each) => each.body.version)).toEqual([1, 2])
  })

  test('the cron finds deliveries whose message was dropped after its last retry', async () => {
    const world = await openWorld()
    await world.subscribe()
    await created(world)
    await world.settled()
    world.messages.length = 0
    await world.cron()
    expect(world.messages).toEqual([])
    world.pass(121_000)
    await world.cron()
    await world.drain()
    expect(world.receipts).toHaveLength(1)
  })

  test('an attempt that was cut off is made again under the same id, and both are in the log', async () => {
    const world = await openWorld()
    await world.subscribe()
    await created(world)
    await world.settled()
    world.failAt('before recording')
    await world.drain()
    world.pass(minute)
    world.messages.length = 0
    await world.cron()
    await world.drain()
    expect(world.receipts).toHaveLength(2)
    expect(new Set(world.receipts.map((each) => each.headers['webhook-id'])).size).toBe(1)
    expect(await world.attempts()).toMatchObject([
      { number: 1, milliseconds: null, http_status: null, error: null },
      { number: 2, http_status: 204 },
    ])
  })

  test('the next deliveries follow at once if one attempt of the same batch is not recorded', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const world = await openWorld()
    await world.subscribe()
    for (const title of ['A', 'B']) await patched(world, await created(world, title), 'Acme')
    world.failAt('before recording')
    await world.drain()
    // The outcome of one first version is lost. The second version of the other product arrives without the cron.
    expect(world.receipts.map(({ body }) => body.version)).toEqual([1, 1, 2])
  })

  test('an event that is too old to have its document ends FAILED', async () => {
    const world = await openWorld()
    await world.subscribe()
    await created(world)
    await world.settled()
    await world.owner("update events set occurred_at = now() - interval '91 days' where tenant_id = $1")
    await world.drain()
    expect(await world.deliveries()).toMatchObject([{ status: 'FAILED' }])
    expect(await world.attempts()).toMatchObject([{ error: 'event_expired' }])
  })
})

describe('what cannot be sent', () => {
  test('does not stop the others: a document that cannot be rendered, a secret that cannot be decrypted', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const world = await openWorld()
    const { id: locked } = await world.subscribe({ callbackUrl: 'https://hooks.shop.dev/locked' })
    const { id: other } = await world.subscribe({ callbackUrl: 'https://hooks.shop.dev/locked' })
    await world.subscribe({ callbackUrl: 'https://hooks.shop.dev/open' })
    const [{ secret }] = (await world.owner(
      'select secret from webhook_subscriptions where tenant_id = $1 and id = $2',
      other,
    )) as [{ secret: string }]
    await world.change(locked, { secret })
    await created(world, 'Shirt')
    await created(world, 'Shoe')
    await world.settled()
    await world.owner(`update events set document = ${unreadable} where tenant_id = $1 and sequence = 1`)
    await world.drainAtOnce()
    await world.drain()
    const byReceiver = (name: string) => titles(world.receipts.filter(({ url }) => url.endsWith(name)))
    expect(byReceiver('/open')).toEqual(['Shoe'])
    expect(byReceiver('/locked')).toEqual(['Shoe'])
    const failed = (await world.attempts()).filter(({ error }) => error !== null)
    expect(failed.length).toBeGreaterThan(0)
    expect(new Set(failed.map(({ error }) => error))).toEqual(new Set(['not_sent']))
    const documents =
      'update events set document = e.document from events e where events.tenant_id = $1 and e.tenant_id = $1'
    await world.owner(`${documents} and events.sequence = 1 and e.sequence = 2`)
    world.pass(10_000)
    await world.cron()
    await world.drain()
    expect(byReceiver('/open')).toHaveLength(2)
  })
})
