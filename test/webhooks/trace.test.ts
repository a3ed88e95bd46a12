/** The trace of a write goes out with all of its deliveries (W3C Trace Context). */
import { expect, test } from 'vitest'
import { openWorld, type World } from '../support/webhooks.ts'

const id = '4bf92f3577b34da6a3ce929d0e0e4736'
const given = { traceparent: `00-${id}-00f067aa0ba902b7-00` }
const path = '/api/webhook_subscriptions'

/** The traces of receipts: the parts of each `traceparent`. */
function traces({ receipts }: World): { trace: string; span: string; flags: string }[] {
  return receipts.map(({ headers }) => {
    const parts = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(headers.traceparent ?? '')
    expect(parts, headers.traceparent).not.toBeNull()
    const [, trace = '', span = '', flags = ''] = parts ?? []
    return { trace, span, flags }
  })
}

test('each attempt of a delivery is in the trace that the caller began, with a span of its own', async () => {
  const world = await openWorld()
  await world.subscribe({ topic: 'product/*' })
  await world.shop.create('/api/products', { title: 'A' }, { headers: given })
  world.answer = () => new Response(null, { status: 500 })
  await world.drain()
  world.answer = () => new Response(null, { status: 204 })
  world.pass(60_000)
  await world.drain()
  const [first, second] = traces(world)
  expect([first, second]).toMatchObject([
    { trace: id, flags: '00' },
    { trace: id, flags: '00' },
  ])
  expect(new Set([first?.span, second?.span, '00f067aa0ba902b7', '0'.repeat(16)]).size).toBe(4)
})

test('a write without one begins a trace with the id of its request, also where what it sent is malformed', async () => {
  const world = await openWorld()
  await world.subscribe({ topic: 'product/*' })
  const sent: Record<string, string>[] = [{}, { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }]
  for (const [index, headers] of sent.entries()) {
    const body = { title: `${index}` }
    const answer = await world.shop.post('/api/products', { body, headers, status: 201 })
    await world.drain()
    const trace = answer.headers.get('x-request-id')?.replaceAll('-', '')
    expect(traces(world)[index]).toMatchObject({ trace, flags: '01' })
  }
})

test('deliveries that the queues lost have the same trace when the cron sends them, and so have repeated ones', async () => {
  const world = await openWorld()
  const { id: subscription } = await world.subscribe({ topic: 'product/*' })
  await world.shop.create('/api/products', { title: 'A' }, { headers: given })
  await world.settled()
  world.messages.splice(0)
  world.pass(180_000)
  await world.cron()
  await world.drain()
  await world.shop.post(`${path}/${subscription}/replay`, { body: { afterSequence: 0 } })
  world.pass(180_000)
  await world.cron()
  await world.drain()
  expect(traces(world).map(({ trace }) => trace)).toEqual([id, id])
})

test('a preview shows the trace of its event, a test that of its own request', async () => {
  const world = await openWorld()
  const { id: subscription } = await world.subscribe({ topic: 'product/*' })
  const body = await world.shop.create('/api/products', { title: 'A' }, { headers: given })
  const preview = await world.shop.post(`${path}/${subscription}/preview`, {
    body: { resource: body['@id'] },
    status: 200,
  })
  expect(preview.body.headers.traceparent).toContain(`00-${id}-`)
  const own = { traceparent: `00-${'7'.repeat(32)}-00f067aa0ba902b7-01` }
  const tried = await world.shop.post(`${path}/${subscription}/test`, { body: {}, headers: own, status: 200 })
  expect(tried.body.headers.traceparent).toMatch(/^00-7{32}-[0-9a-f]{16}-01$/)
})

test('work after an answer is in the trace of its request', async () => {
  const world = await openWorld()
  const { shop } = world
  await shop.create('/api/products', { title: 'Red sock' })
  await world.subscribe({ topic: 'product/updated' })
  const rules = { match: 'ALL', conditions: [{ field: 'title', operator: 'CONTAINS', value: 'red' }] }
  const body = { title: 'Red', type: 'RULE_BASED', rules }
  await shop.create('/api/collections', body, { headers: given })
  await shop.rest()
  await world.drain()
  expect(traces(world)).toMatchObject([{ trace: id, flags: '00' }])
})

test('nothing of it is shown with the event', async () => {
  const world = await openWorld()
  await world.shop.create('/api/products', { title: 'A' }, { headers: given })
  const { body, text } = await world.shop.get('/api/events', { status: 200 })
  expect(body.member[0].actor).toEqual({ subject: 'shop-client', client: 'shop-client' })
  expect(text).not.toContain(id)
})
