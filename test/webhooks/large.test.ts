/** Deliveries of large events, and of the events next to them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { consume } from '../../src/background/queue.ts'
import { byteLimits } from '../../src/core/limits.ts'
import { databaseUrls } from '../support/database.ts'
import { fattenEvents, tightBridge } from '../support/heavy.ts'
import { openWorld as openAnyWorld, type World } from '../support/webhooks.ts'

const endpoint = tightBridge()
const openWorld = () =>
  openAnyWorld({ access: { DATABASE_URL: databaseUrls().appUrl, NEON_FETCH_ENDPOINT: endpoint() } })

const path = '/api/webhook_subscriptions'
const bytes = (text: string) => new TextEncoder().encode(text).length

/** Categories, one event and one delivery each. */
async function categories(world: World, count: number): Promise<{ id: string; '@id': string }[]> {
  const body = Array.from({ length: count }, (_, n) => ({ title: `C${n}` }))
  return (await world.shop.create('/api/categories', body)).member
}

/** Hands all waiting messages of deliveries to one worker, as one batch. */
async function deliverAtOnce(world: World): Promise<void> {
  const messages = world.messages.splice(0).map(({ body }) => ({ body, attempts: 1, ack() {}, retry() {} }))
  await consume({ queue: 'catalogue-work', messages }, world.runtime)
}

/** Waits until the fan-out after the write has sent its messages. */
async function fanOut(world: World): Promise<void> {
  await world.settled()
}

test('a body just within the budget is sent as it is; what is over it is, with fewer fields', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const world = await openWorld()
  await world.subscribe({ topic: 'category/*', callbackUrl: 'https://hooks.shop.dev/whole' })
  await world.subscribe({
    topic: 'category/*',
    callbackUrl: 'https://hooks.shop.dev/part',
    includeFields: ['title'],
  })
  const [one, other] = await categories(world, 2)
  await world.drain()
  const small = world.receipts.find(({ body, url }) => body.id === one!.id && url.endsWith('whole'))!
  world.receipts.length = 0
  const room = byteLimits.event - bytes(small.text) + (small.body.handle as string).length
  const fatten = (id: string, size: number) =>
    fattenEvents(world.shop, { kind: 'categories', ids: [id], property: 'handle', bytes: size })
  await fatten(one!.id, room)
  await fatten(other!.id, room + 1)
  await world.owner(
    `update webhook_deliveries set status = 'PENDING', completed_at = null, attempts = 0, earlier_attempts = 1, next_attempt_at = '-infinity' where tenant_id = $1`,
  )
  await world.cron()
  await world.drain()
  const idsOf = (name: string) =>
    world.receipts.filter(({ url }) => url.endsWith(name)).map(({ body, text }) => [body.id, bytes(text)])
  expect(idsOf('whole')).toEqual([[one!.id, byteLimits.event]])
  expect(
    idsOf('part')
      .map(([id]) => id)
      .toSorted(),
  ).toEqual([one!.id, other!.id])
})

test('bodies that are more than one worker holds are sent by several, each once', async () => {
  const world = await openWorld()
  await world.subscribe({ topic: 'category/*' })
  const made = await categories(world, 10)
  await fattenEvents(world.shop, { kind: 'categories', property: 'handle', bytes: 1_900_000 })
  await fanOut(world)
  let underWay = 0
  let most = 0
  world.answer = async ({ text }) => {
    underWay += bytes(text)
    most = Math.max(most, underWay)
    await new Promise((done) => setTimeout(done, 20))
    underWay -= bytes(text)
    return new Response(null, { status: 204 })
  }
  await deliverAtOnce(world)
  expect(world.receipts.length).toBeLessThan(10)
  await world.drain()
  expect(most).toBeLessThanOrEqual(byteLimits.answer)
  expect(world.receipts.map(({ body }) => body.id).toSorted()).toEqual(made.map((each) => each.id))
  expect(await world.deliveries()).toMatchObject(
    Array.from({ length: 10 }, () => ({ status: 'DELIVERED', attempts: 1 })),
  )
  expect(await world.attempts()).toHaveLength(10)
  expect(world.receipts.every(({ headers }) => headers['service-delivery-attempt'] === '1')).toBe(true)
})

test('preview and test report that an event is too large to be sent', async () => {
  const world = await openWorld()
  const arrived: string[] = []
  const receiver = createServer((request, response) => {
    arrived.push(request.url!)
    response.writeHead(204).end()
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`
  const body = await world.shop.create(path, { topic: 'category/*', callbackUrl, status: 'PAUSED' })
  const [category] = await categories(world, 1)
  for (const size of [2_000_000, 6_000_000]) {
    await fattenEvents(world.shop, { kind: 'categories', property: 'handle', bytes: size })
    const asked = { body: { resource: category!['@id'] }, status: 409 }
    for (const refused of [
      await world.shop.post(`${body['@id']}/preview`, asked),
      await world.shop.post(`${body['@id']}/test`, { status: 409 }),
    ])
      expect(refused.body.slug).toBe('event.too_large')
  }
  expect(arrived).toEqual([])
  await new Promise((done) => receiver.close(done))
})
