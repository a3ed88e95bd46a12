/** Sale offers that begin and cease to apply by their own terms: an event each, once and in order, and a delivery of it. */
import { beforeEach, describe, expect, test } from 'vitest'
import { recordAt, recordDueBoundaries } from '../../src/resources/webhooks/dispatch/offer-boundaries.ts'
import { faultsIn, owner } from '../support/ledger.ts'
import type { Reply } from '../support/shop.ts'
import { openWorld, type World } from '../support/webhooks.ts'

type Body = Reply['body']

const second = 1000
const minute = 60 * second

let world: World
let variant: string
beforeEach(async () => {
  world = await openWorld()
  const body = await world.shop.create('/api/products', { title: 'Mug', variants: [{ sku: 'MUG' }] })
  variant = body.variants[0]['@id']
})

/** A moment so many milliseconds from the one at which the world's clock stands. */
const inTime = (milliseconds: number) =>
  new Date(world.runtime.now().getTime() + milliseconds).toISOString().replace('Z', '000Z')
const offer = async (body: object = {}): Promise<Body> => {
  const sent = { variant, currency: 'EUR', amount: '10.00', ...body }
  const made = await world.shop.create('/api/sale_offers', sent)
  await world.settled()
  return made
}
const patch = (of: Body, body: object) => world.shop.patch(of['@id'], { body, status: 200 })
const feed = async (query = ''): Promise<Body[]> =>
  (await world.shop.read(`/api/events?itemsPerPage=100${query}`)).member
/** The events of boundaries, in the order of the feed: `started` or `ended`, and when that was. */
const boundaries = async (of?: Body) =>
  (await feed(of ? `&resource=${of['@id']}` : ''))
    .filter((each) => each.effectiveAt !== null)
    .map((each) => `${each.topic.split('/')[1]} ${each.effectiveAt}`)

/** Minutes pass, each with its sweep, and what it put into the queue is worked off. */
async function passMinutes(amount: number): Promise<void> {
  for (let left = amount; left > 0; left -= 1) {
    await world.elapse(minute)
    await world.cron()
    await world.drain()
  }
}

test('an offer that begins and ends has events without a change', async () => {
  const [from, until] = [inTime(2 * minute), inTime(5 * minute)]
  const made = await offer({ validFrom: from, validUntil: until })
  expect(made.state).toBe('SCHEDULED')
  const before = Number((await world.shop.get('/api/events')).headers.get('service-sequence'))
  await passMinutes(6)
  const feedEvents = await feed(`&after=${before}`)
  const { '@context': _, ...document } = made
  expect(feedEvents).toEqual(
    [
      { topic: 'sale_offer/started', effectiveAt: from, state: 'LIVE' },
      { topic: 'sale_offer/ended', effectiveAt: until, state: 'EXPIRED' },
    ].map(({ topic, effectiveAt, state }, nth) => ({
      '@id': expect.stringMatching(/^\/api\/events\/[0-9a-f-]{36}$/),
      '@type': 'Event',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sequence: before + nth + 1,
      topic,
      resource: made['@id'],
      resourceVersion: 1,
      occurredAt: expect.any(String),
      effectiveAt,
      changes: [],
      document: { ...document, state },
    })),
  )
  for (const { occurredAt, effectiveAt } of feedEvents) expect(occurredAt >= effectiveAt).toBe(true)
  const { body: now, headers } = await world.shop.get(made['@id'], { status: 200 })
  expect([now.version, now.updatedAt]).toEqual([1, made.updatedAt])
  expect(headers.get('service-sequence')).toBe(String(before + 2))
  expect(await world.shop.read(`/api/events/${feedEvents[0]!.id}`)).toMatchObject(feedEvents[0]!)
  expect(await faultsIn(world.shop)).toEqual([])
})

test('in the order of their moments, at the same one what ends before what starts, also late, and once', async () => {
  const moments = Array.from({ length: 10 }, (_, minutes) => inTime(minutes * minute))
  const at = (minutes: number) => moments[minutes]!
  const offers = [
    await offer({ validFrom: at(3), validUntil: at(9) }),
    await offer({ validFrom: at(1), validUntil: at(3) }),
    await offer({ validUntil: at(3) }),
    await offer({ validFrom: at(3) }),
    await offer({ validUntil: at(1) }),
    await offer({ validFrom: at(7), validUntil: at(8) }),
  ]
  const expected = [
    `ended ${at(1)}`,
    `started ${at(1)}`,
    `ended ${at(3)}`,
    `ended ${at(3)}`,
    `started ${at(3)}`,
    `started ${at(3)}`,
    `started ${at(7)}`,
    `ended ${at(8)}`,
  ]
  // Nothing runs for eight minutes.
  await world.elapse(8 * minute)
  world.messages.splice(0)
  for (let again = 0; again < 2; again += 1) {
    await world.cron()
    await world.drain()
    expect(await boundaries()).toEqual(expected)
  }
  const events = (await feed()).filter((each) => each.effectiveAt !== null)
  const order = (moment: string, action: string) =>
    events
      .filter((each) => each.effectiveAt === moment && each.topic.endsWith(action))
      .map((each) => each.resource)
  expect(order(at(3), 'ended')).toEqual([offers[1], offers[2]].map((each) => each['@id']).toSorted())
  expect(order(at(3), 'started')).toEqual([offers[0], offers[3]].map((each) => each['@id']).toSorted())
  expect(await faultsIn(world.shop)).toEqual([])
})

test('boundaries before the recording have no event, nor have those of drafts and archived offers', async () => {
  await offer({ validFrom: inTime(-minute), validUntil: inTime(-second) })
  const begun = await offer({ validFrom: inTime(-minute), validUntil: inTime(2 * minute) })
  await offer({ status: 'DRAFT', validFrom: inTime(minute) })
  const late = await offer({ validFrom: inTime(minute) })
  await world.shop.delete(late['@id'], { status: 204 })
  await passMinutes(3)
  expect(await boundaries()).toEqual([`ended ${begun.validUntil}`])
  // Published after its start: that is a change, with an event of its own.
  const draft = await offer({ status: 'DRAFT', validFrom: inTime(minute), validUntil: inTime(9 * minute) })
  await passMinutes(2)
  await patch(draft, { status: 'ACTIVE' })
  await passMinutes(9)
  expect(await boundaries(draft)).toEqual([`ended ${draft.validUntil}`])
})

test('a change cancels what it moves, archiving cancels all that is to come, and restoring brings it back', async () => {
  const [first, second, third] = [inTime(2 * minute), inTime(4 * minute), inTime(6 * minute)]
  const made = await offer({ validFrom: first, validUntil: third })
  await passMinutes(1)
  await patch(made, { validFrom: second })
  await passMinutes(2)
  expect(await boundaries()).toEqual([])
  await world.shop.delete(made['@id'], { status: 204 })
  await patch(made, { status: 'ACTIVE' })
  await patch(made, { amount: '9.00' })
  await passMinutes(2)
  expect(await boundaries()).toEqual([`started ${second}`])
  await world.shop.delete(made['@id'], { status: 204 })
  await passMinutes(3)
  expect(await boundaries()).toEqual([`started ${second}`])
  await patch(made, { status: 'ACTIVE', validUntil: inTime(minute) })
  const last = inTime(minute)
  await passMinutes(2)
  expect(await boundaries()).toEqual([`started ${second}`, `ended ${last}`])
})

test('a boundary before a change has a late event, by the terms of then', async () => {
  const [from, until] = [inTime(minute), inTime(2 * minute)]
  const made = await offer({ validFrom: from, validUntil: until })
  // The service is away from its minute on, but for one who changes the offer.
  await world.elapse(90 * second)
  await patch(made, { validFrom: null, validUntil: null, amount: '7.00' })
  world.messages.splice(0)
  await world.elapse(10 * minute)
  await world.cron()
  expect(await boundaries()).toEqual([`started ${from}`])
  const [event] = (await feed()).slice(-1)
  expect(event).toMatchObject({ resourceVersion: 2, document: { amount: '7.00', version: 2 } })
  expect(await faultsIn(world.shop)).toEqual([])
})

describe('once, whichever job finds it', () => {
  test('two sweeps and four workers at the same moment', async () => {
    const at = inTime(minute)
    for (let n = 0; n < 3; n += 1)
      await world.shop.create(
        '/api/sale_offers',
        Array.from({ length: 50 }, () => ({
          variant,
          currency: 'EUR',
          amount: '10.00',
          validUntil: at,
        })),
      )
    await world.elapse(minute)
    const { runtime, shop } = world
    await Promise.all([
      recordDueBoundaries(runtime, shop.tenant.id, () => true, true),
      recordDueBoundaries(runtime, shop.tenant.id, () => true, true),
      ...Array.from({ length: 4 }, () => recordAt(runtime, shop.tenant.id, at)),
    ])
    await world.cron()
    expect(
      await world.owner(
        `select count(*)::int as events, count(distinct resource_id)::int as offers from events
        where tenant_id = $1 and topic = 'sale_offer/ended'`,
      ),
    ).toEqual([{ events: 150, offers: 150 }])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('the database takes no second one', async () => {
    const made = await offer({ validUntil: inTime(minute) })
    await passMinutes(1)
    await expect(
      world.owner(`insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, effective_at,
                                       actor, api_version, request_id, document, changes)
        select tenant_id, 1000, gen_random_uuid(), topic, kind, resource_id, 7, now(), effective_at, actor, api_version, request_id, document, changes
          from events where tenant_id = $1 and effective_at is not null`),
    ).rejects.toThrow(/events_boundary/)
    expect(await boundaries(made)).toHaveLength(1)
  })
})

test('an uncommitted change at the time of a boundary cancels its event', async () => {
  const made = await offer({ validFrom: inTime(minute) })
  await world.elapse(2 * minute)
  await owner(async (client) => {
    const own = [world.shop.tenant.id]
    await client.query('begin')
    await client.query(`select set_config('app.tenant', $1, true)`, own)
    // As a write does it, held up behind its last statement.
    await client.query('update tenant_clock set sequence = sequence where tenant_id = $1', own)
    await client.query(
      `update sale_offer_terms set known_until = valid_from - interval '1 second', ended_by = recorded_by where tenant_id = $1`,
      own,
    )
    const swept = world.cron()
    const waiting = `select from pg_locks where not granted and pid <> pg_backend_pid()`
    while ((await client.query(waiting)).rowCount === 0) await new Promise((done) => setTimeout(done, 5))
    await client.query('commit')
    await swept
  })
  expect(await boundaries(made)).toEqual([])
})

describe('workers', () => {
  const woken = () =>
    world.messages.flatMap(({ body, at }) =>
      'recordAt' in body ? { at, boundary: Date.parse(body.recordAt) } : [],
    )

  test('are woken by the sweep at the moments of its next minute, once for each second', async () => {
    const start = Math.ceil(world.runtime.now().getTime() / second) * second + 10 * minute
    const moment = (milliseconds: number) => new Date(start + milliseconds).toISOString()
    for (const each of [0, 250, 999, 1000, 30_500, 3 * minute]) await offer({ validFrom: moment(each) })
    expect(woken()).toEqual([])
    await world.elapse(start - 5 * second - world.runtime.now().getTime())
    await world.cron()
    await world.cron()
    expect(woken().map(({ boundary }) => boundary - start)).toEqual([0, 1000, 31_000])
    for (const { at, boundary } of woken()) {
      expect(at).toBeGreaterThanOrEqual(boundary)
      expect(at).toBeLessThan(boundary + 1000)
    }
    expect(await boundaries()).toEqual([])
    await world.elapse(6 * second)
    await world.drain()
    expect(await boundaries()).toHaveLength(4)
  })

  test('are woken by a write with a near boundary, also without a subscription and after the job ran', async () => {
    await offer({ validFrom: inTime(50 * second) })
    await world.settled()
    expect(woken()).toHaveLength(1)
    await offer({ validFrom: inTime(20 * second), validUntil: inTime(40 * second) })
    await world.settled()
    // After it, workers are woken once more, which does nothing.
    expect(woken()).toHaveLength(4)
    await offer({ validFrom: inTime(10 * minute) })
    await offer()
    await world.settled()
    expect(woken()).toHaveLength(4)
    await world.elapse(21 * second)
    await world.drain()
    expect(await boundaries()).toHaveLength(1)
  })

  test('that come before the moment, by the clock of the tenant, come again', async () => {
    const at = inTime(2 * second)
    await offer({ validFrom: at })
    await world.settled()
    // Only the Worker's own clock is ahead.
    world.pass(3 * second)
    for (const { boundary } of woken().splice(0))
      await recordAt(world.runtime, world.shop.tenant.id, new Date(boundary).toISOString())
    expect(await boundaries()).toEqual([])
    await world.elapse(3 * second)
    await world.drain()
    expect(await boundaries()).toEqual([`started ${at}`])
  })
})

test('boundaries of a suspended tenant have their events afterwards', async () => {
  const at = inTime(minute)
  await offer({ validFrom: at })
  await world.owner(`update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1`)
  await passMinutes(2)
  await world.owner(`update tenants set status = 'ACTIVE', suspended_at = null where id = $1`)
  const none = await world.owner(`select from events where tenant_id = $1 and effective_at is not null`)
  expect(none).toEqual([])
  await passMinutes(1)
  expect(await boundaries()).toEqual([`started ${at}`])
})

describe('a webhook', () => {
  test('has the offer as it is, in the version, the language and the fields of its subscription', async () => {
    await world.subscribe({ topic: 'sale_offer/started' })
    await world.subscribe({
      topic: 'sale_offer/*',
      includeFields: ['amount', 'state'],
      callbackUrl: 'https://hooks.shop.dev/part',
    })
    await world.subscribe({ topic: 'product/*', callbackUrl: 'https://hooks.shop.dev/other' })
    await world.drain()
    world.receipts.splice(0)
    const at = inTime(minute)
    const made = await offer({ validFrom: at })
    await world.drain()
    await passMinutes(1)
    const whole = world.receipts.filter(({ url }) => url.endsWith('/in'))
    expect(whole).toHaveLength(1)
    expect(whole[0]!.body).toEqual({ ...made, state: 'LIVE' })
    expect(whole[0]!.headers).toMatchObject({
      'service-topic': 'sale_offer/started',
      'service-effective-at': at,
      'service-resource-version': '1',
    })
    const parts = world.receipts.filter(({ url }) => url.endsWith('/part'))
    expect(
      parts.map(({ body, headers }) => [headers['service-topic'], headers['service-effective-at'], body]),
    ).toEqual(
      [
        [
          'sale_offer/created',
          undefined,
          { '@id': made['@id'], '@type': 'SaleOffer', id: made.id, amount: '10.00', state: 'SCHEDULED' },
        ],
        [
          'sale_offer/started',
          at,
          { '@id': made['@id'], '@type': 'SaleOffer', id: made.id, amount: '10.00', state: 'LIVE' },
        ],
      ].map(([topic, moment, body]) => [topic, moment, expect.objectContaining(body as object)]),
    )
    expect(world.receipts.filter(({ url }) => url.endsWith('/other'))).toEqual([])
  })
})
