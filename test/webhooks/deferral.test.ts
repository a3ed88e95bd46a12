/** Failures of this service's own before an attempt: they use up none, and order holds. */
import { expect, test, vi } from 'vitest'
import { openWorld, type World } from '../support/webhooks.ts'

const minute = 60_000
const hour = 60 * minute
const path = '/api/webhook_subscriptions'

/** Takes the resolver away from a world, and gives it back. */
function resolverOf(world: World): { isAway: boolean } {
  const resolver = { isAway: false }
  const { fetch } = world.runtime.callbacks
  Object.assign(world.runtime.callbacks, {
    fetch: async (...asked: Parameters<typeof fetch>) => {
      if (resolver.isAway && String(asked[0]).startsWith('https://dns.test/'))
        throw new TypeError('no answer')
      return fetch(...asked)
    },
  })
  return resolver
}

async function pass(world: World, milliseconds: number, step: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    world.pass(step)
    await world.cron()
    await world.drain()
  }
}

/** The deliveries of a subscription as they are shown, in the order of their events. */
async function shown(world: World, id: string) {
  const body = await world.shop.read(`${path}/${id}/deliveries`)
  return body.member.toSorted((a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence)
}

test('while names cannot be resolved nothing is sent or counted, and then everything arrives, in order', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const world = await openWorld()
  const resolver = resolverOf(world)
  resolver.isAway = true
  const { id } = await world.subscribe({ topic: 'product/*' })
  const product = await world.shop.create('/api/products', { title: 'A' })
  await world.shop.update(product['@id'], { vendor: 'v' })
  await world.drain()
  const waits = async () => {
    const [delivery] = await world.deliveries()
    return ((delivery!.next_attempt_at as Date).getTime() - world.runtime.now().getTime()) / 1000
  }
  const delays = [await waits()]
  for (let n = 0; n < 8; n += 1) {
    world.pass(delays.at(-1)! * 1000)
    await world.cron()
    await world.drain()
    delays.push(await waits())
  }
  expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
  await pass(world, 100 * hour, 5 * hour)
  expect(await world.attempts()).toEqual([])
  expect(log).toHaveBeenCalledTimes(1)
  expect(await shown(world, id)).toMatchObject([
    { status: 'PENDING', attempts: 0, error: 'resolver_unavailable', httpStatus: null, latency: null },
    { status: 'PENDING', attempts: 0, error: null },
  ])
  expect(await world.subscription(id)).toMatchObject({ status: 'ACTIVE', failing_since: null })
  resolver.isAway = false
  await pass(world, 10 * minute, minute)
  expect(world.receipts.map((each) => [each.body.version, each.headers['service-delivery-attempt']])).toEqual(
    [
      [1, '1'],
      [2, '1'],
    ],
  )
  expect(await shown(world, id)).toMatchObject([
    { status: 'DELIVERED', attempts: 1, error: null },
    { status: 'DELIVERED', attempts: 1, error: null },
  ])
})

test('a secret that cannot be decrypted holds up its own subscription alone, until it can be', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const world = await openWorld()
  const { id } = await world.subscribe({ topic: 'product/*' })
  const { id: other } = await world.subscribe({ topic: 'product/updated' })
  const secretOf = async (of: string) => ((await world.subscription(of)) as { secret: string }).secret
  const [own, foreign] = [await secretOf(id), await secretOf(other)]
  await world.change(id, { secret: foreign })
  const product = await world.shop.create('/api/products', { title: 'A' })
  await world.shop.update(product['@id'], { vendor: 'v' })
  await pass(world, hour, 10 * minute)
  const states = () =>
    world.receipts.map(({ headers, body }) => [headers['webhook-id']!.endsWith(id), body.version])
  expect(states()).toEqual([[false, 2]])
  expect(await shown(world, id)).toMatchObject([
    { status: 'PENDING', attempts: 0, error: 'secret_unreadable' },
    { status: 'PENDING', attempts: 0, error: null },
  ])
  await world.change(id, { secret: own })
  await pass(world, 20 * minute, 5 * minute)
  expect(states()).toEqual([
    [false, 2],
    [true, 1],
    [true, 2],
  ])
})

test('a rotated secret signs what waited, although its predecessor cannot be decrypted', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const world = await openWorld()
  const { id } = await world.subscribe({ topic: 'product/*' })
  await world.change(id, { secret: 'v1.AAAAAAAAAAAAAAAA.AAAA.00000000' })
  await world.shop.create('/api/products', { title: 'A' })
  await pass(world, 20 * minute, 5 * minute)
  expect(world.receipts).toEqual([])
  await world.shop.post(`${path}/${id}/rotate_secret`, { status: 200 })
  await pass(world, 20 * minute, 5 * minute)
  expect(world.receipts).toMatchObject([
    { headers: { 'webhook-signature': expect.stringMatching(/^v1,[^ ]+$/) } },
  ])
})

test('a host without an address is the receiver’s failure, and counts', async () => {
  const world = await openWorld()
  await world.subscribe()
  world.addresses = []
  await world.shop.create('/api/products', { title: 'A' })
  await world.drain()
  expect(await world.attempts()).toMatchObject([{ number: 1, error: 'unknown_host' }])
  expect(world.receipts).toEqual([])
})
