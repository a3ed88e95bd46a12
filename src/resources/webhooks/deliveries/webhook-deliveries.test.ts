import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { owner } from '../../../../test/support/ledger.ts'
import { openWorld, type World } from '../../../../test/support/webhooks.ts'
import { allScopes } from '../../index.ts'
import { gaps } from '../dispatch/schedule.ts'

const path = '/api/webhook_subscriptions'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

const createProduct = async (title: string) => await world.shop.create('/api/products', { title })
const deliveries = async (id: string, query = '') => await world.shop.read(`${path}/${id}/deliveries${query}`)
const statuses = async (id: string) =>
  (await deliveries(id)).member.map((delivery: { status: string }) => delivery.status)

/**
 * Delivers everything that a request has made due. It uses the real clock, because the clock of the world
 * does not advance.
 */
async function drain(): Promise<void> {
  world.pass(60_000)
  await world.cron()
  await world.drain()
}

/** Lets a delivery fail until no attempts are left. */
async function exhaust(): Promise<void> {
  world.answer = () => new Response('no', { status: 500 })
  await world.drain()
  for (const gap of gaps) {
    world.pass(gap * 1.2)
    await world.cron()
    await world.drain()
  }
}

describe('the log', () => {
  test('filters by status, topic and time, and pages by key', async () => {
    const { id } = await world.subscribe({ topic: '*' })
    for (const title of ['A', 'B', 'C']) await createProduct(title)
    await world.drain()
    world.answer = () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.dev/' } })
    await world.shop.create('/api/categories', { title: 'Shoes' })
    await world.drain()
    expect((await deliveries(id, '?status=PENDING')).member).toMatchObject([
      { topic: 'category/created', attempts: 1, httpStatus: 302, error: 'redirect', completedAt: null },
    ])
    expect((await deliveries(id, '?status=FAILED')).totalItems).toBe(0)
    expect((await deliveries(id, '?topic=product/*')).totalItems).toBe(3)
    expect((await deliveries(id, '?topic=category/created&status=DELIVERED')).totalItems).toBe(0)
    expect((await deliveries(id, '?createdAt[after]=2100-01-01')).totalItems).toBe(0)
    const page = await deliveries(id, '?itemsPerPage=3')
    const next = await world.shop.read(page.view.next)
    const sequences = [...page.member, ...next.member].map(
      (delivery: { sequence: number }) => delivery.sequence,
    )
    expect(sequences.toSorted()).toEqual([1, 2, 3, 4])
    await world.shop.get(`${path}/${id}/deliveries?topic=product/sold`, { status: 422 })
    await world.shop.get(`${path}/${id}/deliveries?status=GONE`, { status: 422 })
  })

  test('says what a pending delivery waits for', async () => {
    const { id } = await world.subscribe({ topic: 'product/*' })
    const set = (table: string, values: string) =>
      owner((client) =>
        client.query(`update ${table} set ${values} where tenant_id = $1`, [world.shop.tenant.id]),
      )
    type Waiting = { readonly sequence: number; readonly waitsFor: string | null }
    const waits = async () =>
      (await deliveries(id)).member
        .toSorted((a: Waiting, b: Waiting) => a.sequence - b.sequence)
        .map(({ waitsFor }: Waiting) => waitsFor)
    const { '@id': iri } = await createProduct('Shirt')
    await world.drain()
    expect(await waits()).toEqual([null])
    world.answer = () => new Response('no', { status: 500 })
    await world.shop.patch(iri, { body: { vendor: 'A' } })
    await world.drain()
    expect(await waits()).toEqual([null, 'next_attempt'])
    await set('webhook_deliveries', `next_attempt_at = least(next_attempt_at, now())`)
    expect(await waits()).toEqual([null, 'worker'])
    await world.shop.patch(iri, { body: { vendor: 'B' } })
    await world.drain()
    await set('webhook_deliveries', `next_attempt_at = least(next_attempt_at, now())`)
    expect(await waits()).toEqual([null, 'worker', 'earlier_delivery'])
    await owner((client) =>
      client.query(
        `insert into webhook_hosts select tenant_id, callback_host, 5, now() + interval '1 hour' from webhook_subscriptions where id = $1`,
        [id],
      ),
    )
    expect(await waits()).toEqual([null, 'callback_host', 'callback_host'])
    await world.shop.patch(`${path}/${id}`, { body: { status: 'PAUSED' } })
    expect(await waits()).toEqual([null, 'subscription', 'subscription'])
    await set('webhook_deliveries', `lease = id, leased_until = now() + interval '1 minute'`)
    expect(await waits()).toEqual([null, 'response', 'response'])
    const [selected] = (await deliveries(id, '?properties[]=waitsFor&status=PENDING')).member
    expect(selected).toMatchObject({ waitsFor: 'response' })
  })

  test('returns 404 for a delivery of another subscription', async () => {
    const [first, second] = [
      await world.subscribe({ topic: '*' }),
      await world.subscribe({ topic: 'variant/*' }),
    ]
    await createProduct('Shirt')
    await world.drain()
    const [{ id }] = (await deliveries(first.id)).member
    const foreign = await world.shop.get(`${path}/${second.id}/deliveries/${id}`, { status: 404 })
    expect(foreign.body.slug).toBe('webhook.delivery_not_found')
    await world.shop.post(`${path}/${second.id}/deliveries/${id}/retry`, { status: 404 })
  })
})

describe('an attempt', () => {
  const url = 'https://hooks.shop.dev/in'
  const scopesWithoutResponses = allScopes.filter((scope) => scope !== 'webhook_responses:read').join(' ')

  /** Delivers one event to a subscription, and returns its delivery. */
  async function delivered(id: string, token?: string) {
    await createProduct('Shirt')
    await drain()
    const [{ '@id': iri }] = (await deliveries(id)).member
    return (await world.shop.get(iri, token === undefined ? {} : { token })).body
  }

  test('has the durations of its parts, and null for those that it did not reach', async () => {
    const { fetch } = world.runtime.callbacks
    Object.assign(world.runtime.callbacks, {
      fetch: async (address: string | URL, init?: RequestInit) => {
        if (String(address).startsWith('https://dns.test/')) world.pass(15)
        return await fetch(address, init)
      },
    })
    const answer = (status: number, isEndless: boolean) => () => {
      world.pass(40)
      const pull = (controller: ReadableStreamDefaultController) => {
        world.pass(7)
        controller.enqueue(new Uint8Array(10))
        if (!isEndless) controller.close()
      }
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status })
    }
    const { id } = await world.subscribe({ topic: 'product/*' })
    world.answer = answer(200, false)
    const whole = { address: 30, headers: 40, body: 7 }
    const read = await delivered(id)
    expect(read).toMatchObject({ status: 'DELIVERED', latency: 40, durations: whole, response: null })
    expect(read.log).toMatchObject([{ number: 1, latency: 40, durations: whole, response: null }])
    world.answer = answer(500, true)
    expect((await delivered(id)).durations).toEqual({ address: 30, headers: 40, body: null })
    world.answer = () => Promise.reject(new TypeError('refused'))
    expect((await delivered(id)).durations).toEqual({ address: 30, headers: null, body: null })
    world.addresses = ['10.0.0.1']
    const blocked = await delivered(id)
    expect(blocked).toMatchObject({ error: 'blocked_address', durations: { address: 30, headers: null } })
  })

  describe('with a receiver that responds', () => {
    let receiver: Server
    let respond: (response: ServerResponse) => void
    beforeEach(async () => {
      receiver = createServer((request, response) => request.resume().on('end', () => respond(response)))
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
      const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      world.answer = ({ headers, text }) => fetch(address, { method: 'POST', headers, body: text })
    })
    afterEach(() => {
      receiver.closeAllConnections()
      receiver.close()
    })

    const answer =
      (type: string | null, body: string | Buffer): typeof respond =>
      (response) =>
        response.writeHead(500, type === null ? {} : { 'content-type': type }).end(body)

    const kilobyte = 'x'.repeat(1024)
    test.each<[string, string | null, string | Buffer, string | null]>([
      ['text as it is', 'text/plain; charset=utf-8', 'Größe\nfehlt', 'Größe\nfehlt'],
      ['JSON', 'Application/JSON', '{"a":1}', '{"a":1}'],
      ['a kind of JSON', 'application/problem+json', '{}', '{}'],
      ['a kind of XML', 'application/soap+xml;charset=utf-8', '<a/>', '<a/>'],
      ['the first kilobyte', 'text/html', `${kilobyte}y`, kilobyte],
      [
        'only whole characters of the first kilobyte',
        'text/html',
        `x${'é'.repeat(600)}`,
        `x${'é'.repeat(511)}`,
      ],
      ['invalid bytes replaced, without NUL', 'text/html', Buffer.from([65, 0, 255, 66]), 'A\uFFFDB'],
      ['an empty body', 'text/plain', '', ''],
      ['nothing of an image', 'image/png', 'PNG', null],
      ['nothing of form data', 'application/x-www-form-urlencoded', 'a=b', null],
      ['nothing without a type', null, 'text', null],
    ])('records %s', async (_, type, body, expected) => {
      respond = answer(type, body)
      const { id } = await world.shop.create(path, { topic: '*', callbackUrl: url, recordResponses: true })
      const read = await delivered(id)
      expect([read.response, read.log[0].response]).toEqual([expected, expected])
      expect((await deliveries(id)).member[0].response).toBe(expected)
    })

    test('records nothing while its subscription does not record responses', async () => {
      respond = answer('text/plain', 'the reason')
      const created = await world.shop.create(path, { topic: '*', callbackUrl: url })
      expect(created.recordResponses).toBe(false)
      expect((await delivered(created.id)).response).toBe(null)
      const changed = { body: { recordResponses: true } }
      expect((await world.shop.patch(created['@id'], changed)).body.recordResponses).toBe(true)
      expect((await delivered(created.id)).response).toBe('the reason')
    })

    test('records the start of a response that does not end, without waiting for its end', async () => {
      respond = (response) => response.writeHead(500, { 'content-type': 'text/plain' }).write('first')
      const { id } = await world.shop.create(path, { topic: '*', callbackUrl: url, recordResponses: true })
      const read = await delivered(id)
      expect(read).toMatchObject({ httpStatus: 500, response: 'first', durations: { body: null } })
    })

    test('shows a response only with its scope, at every entry point, and never in events or logs', async () => {
      respond = answer('text/plain', 'canary of the receiver')
      const logged = vi.spyOn(console, 'log')
      const { id } = await world.shop.create(path, { topic: '*', callbackUrl: url, recordResponses: true })
      const token = await world.shop.token({ scope: scopesWithoutResponses })
      const read = await delivered(id, token)
      expect(read).not.toHaveProperty('response')
      expect(read.log[0]).not.toHaveProperty('response')
      for (const query of ['', '?properties[]=response', '?properties[]=log'])
        expect((await world.shop.get(`${path}/${id}/deliveries${query}`, { token })).text).not.toContain(
          'canary',
        )
      const item = await world.shop.get(`${read['@id']}?properties[]=response`, { token })
      expect(item.text).not.toContain('canary')
      expect((await world.shop.get(`${read['@id']}?properties[]=response`)).body.response).toContain('canary')
      const retried = await world.shop.post(`${read['@id']}/retry`, { token, status: 202 })
      expect(retried.text).not.toContain('canary')
      const person = await world.shop.token({
        sub: 'ada',
        permissions: scopesWithoutResponses.split(' ').map((scope) => `identity:${scope}`),
      })
      expect((await world.shop.get(read['@id'], { token: person })).text).not.toContain('canary')
      expect((await world.shop.get('/api/events?after=0')).text).not.toContain('canary')
      expect(JSON.stringify(logged.mock.calls)).not.toContain('canary')
    })
  })
})

describe('retry', () => {
  test('sends a failed delivery immediately under its id, and continues its log', async () => {
    const { id } = await world.subscribe({ topic: 'product/*' })
    await createProduct('Shirt')
    await exhaust()
    const [failed] = (await deliveries(id)).member
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 12, httpStatus: 500, error: 'http_status' })
    await owner((client) =>
      client.query("update webhook_subscriptions set status = 'DISABLED' where id = $1", [id]),
    )
    const refused = await world.shop.post(`${failed['@id']}/retry`, { status: 409 })
    expect(refused.body.slug).toBe('webhook.disabled')
    await owner((client) =>
      client.query("update webhook_subscriptions set status = 'ACTIVE' where id = $1", [id]),
    )
    world.answer = () => new Response(null, { status: 204 })
    const before = world.receipts.length
    const retried = await world.shop.post(`${failed['@id']}/retry`, { status: 202 })
    expect(retried.body).toMatchObject({ status: 'PENDING', attempts: 12, completedAt: null })
    await drain()
    const [first, last] = [world.receipts[0]!, world.receipts.at(-1)!]
    expect(world.receipts.length).toBe(before + 1)
    expect(last.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(last.headers['service-delivery-attempt']).toBe('13')
    expect(last.text).toBe(first.text)
    const { body } = await world.shop.get(failed['@id'])
    expect(body).toMatchObject({ status: 'DELIVERED', attempts: 13, httpStatus: 204 })
    expect(body.log.map((attempt: { number: number }) => attempt.number)).toEqual(
      Array.from({ length: 13 }, (_, index) => index + 1),
    )
  })

  test('sends a delivered one again under the same id, and a pending one as its next attempt', async () => {
    const { id } = await world.subscribe({ topic: 'product/*' })
    await createProduct('Shirt')
    await drain()
    const [{ '@id': iri }] = (await deliveries(id)).member
    const key = { headers: { 'Idempotency-Key': 'again' }, status: 202 }
    const { body } = await world.shop.post(`${iri}/retry`, key)
    expect((await world.shop.post(`${iri}/retry`, key)).body).toEqual(body)
    await drain()
    expect(new Set(world.receipts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(world.receipts).toHaveLength(2)
    world.answer = () => new Response(null, { status: 503 })
    await world.shop.post(`${iri}/retry`, { status: 202 })
    await drain()
    const waiting = await world.shop.post(`${iri}/retry`, { status: 202 })
    expect(waiting.body).toMatchObject({ status: 'PENDING', attempts: 3 })
    await drain()
    expect((await world.shop.get(iri)).body).toMatchObject({ attempts: 4, status: 'PENDING' })
  })
})

test('a retry and a replay send at once, without the cron', async () => {
  const { id } = await world.subscribe({ topic: 'product/*' })
  await createProduct('Shirt')
  await drain()
  const [{ '@id': iri }] = (await deliveries(id)).member
  world.pass(60_000)
  const receiptsAfter = async (change: Promise<unknown>) => {
    await change
    await world.drain()
    return world.receipts.length
  }
  expect(await receiptsAfter(world.shop.post(`${iri}/retry`, { status: 202 }))).toBe(2)
  const range = { body: { afterSequence: 0 }, status: 202 }
  expect(await receiptsAfter(world.shop.post(`${path}/${id}/replay`, range))).toBe(3)
})

describe('replay', () => {
  test('sends delivered events again with the same ids and bytes, and other events for the first time', async () => {
    const early = await createProduct('Early')
    const { id } = await world.subscribe({ topic: 'product/*' })
    await createProduct('Late')
    await world.shop.create('/api/categories', { title: 'Shoes' })
    await drain()
    expect(world.receipts).toHaveLength(1)
    await owner((client) =>
      client.query(`update webhook_subscriptions set include_fields = '["id"]' where id = $1`, [id]),
    )
    const { body } = await world.shop.post(`${path}/${id}/replay`, {
      body: { afterSequence: 0 },
      status: 202,
    })
    expect(body).toEqual({
      '@context': '/api/contexts/WebhookReplay',
      '@id': `${path}/${id}/replay`,
      '@type': 'WebhookReplay',
      afterSequence: 0,
      subscription: `${path}/${id}`,
      deliveries: 2,
      lastSequence: 2,
      complete: true,
    })
    await drain()
    expect(world.receipts).toHaveLength(3)
    const [first, ...again] = world.receipts
    const late = again.find(({ headers }) => headers['webhook-id'] === first!.headers['webhook-id'])
    expect(late!.text).toBe(first!.text)
    const earlyReceipt = again.find((receipt) => receipt !== late)!
    expect(earlyReceipt.body).toEqual({
      '@context': '/api/contexts/Product',
      '@id': early['@id'],
      '@type': 'Product',
      id: early.id,
    })
    expect(await statuses(id)).toEqual(['DELIVERED', 'DELIVERED'])
  })

  test('accepts a period with both ends included, or a sequence to start after', async () => {
    const products = []
    for (const title of ['A', 'B', 'C', 'D', 'E']) products.push(await createProduct(title))
    const { id } = await world.subscribe({
      topic: 'product/created',
      callbackUrl: 'https://hooks.shop.dev/in',
    })
    const replay = async (body: object) =>
      (await world.shop.post(`${path}/${id}/replay`, { body, status: 202 })).body
    const [, second, , fourth] = products
    expect(await replay({ from: second.createdAt, until: fourth.createdAt })).toMatchObject({
      from: second.createdAt,
      deliveries: 3,
      lastSequence: 4,
    })
    expect(await replay({ from: '2100-01-01T00:00:00Z' })).toMatchObject({
      deliveries: 0,
      lastSequence: null,
    })
    expect(await replay({ from: '2000-01-01T00:00:00Z', until: '2000-01-02T00:00:00Z' })).toMatchObject({
      deliveries: 0,
    })
    expect(await replay({ afterSequence: 3 })).toMatchObject({
      deliveries: 2,
      lastSequence: 5,
      complete: true,
    })
    expect(await replay({ from: second.createdAt, until: second.createdAt })).toMatchObject({ deliveries: 1 })
    expect((await deliveries(id)).totalItems).toBe(4)
    for (const body of [
      {},
      { until: '2100-01-01' },
      { afterSequence: null, from: null },
      { afterSequence: -1 },
      { afterSequence: 1.5 },
      { from: 'now' },
    ])
      await world.shop.post(`${path}/${id}/replay`, { body, status: 422 })
  })

  test.each([
    [{ afterSequence: 0, from: '2026-01-01T00:00:00Z' }, 'WHK-1011', ['afterSequence', 'from']],
    [{ from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'WHK-1012', ['from', 'until']],
  ])('%j is 422 %s at %j', async (body, code, paths) => {
    const { id } = await world.subscribe({ topic: 'product/*' })
    const { body: problem } = await world.shop.post(`${path}/${id}/replay`, { body, status: 422 })
    const violations: { code: string; propertyPath: string }[] = problem.violations
    expect(violations.map((each) => [each.code, each.propertyPath])).toEqual(
      paths.map((each) => [code, each]),
    )
  })

  test('returns 410 for events older than stored deliveries', async () => {
    await createProduct('Old')
    const { id } = await world.subscribe({ topic: '*' })
    await owner((client) =>
      client.query("update events set occurred_at = now() - interval '31 days' where tenant_id = $1", [
        world.shop.tenant.id,
      ]),
    )
    const refused = await world.shop.post(`${path}/${id}/replay`, { body: { afterSequence: 0 }, status: 410 })
    expect(refused.body.slug).toBe('event.expired')
    expect((await deliveries(id)).totalItems).toBe(0)
  })

  test('sends pending deliveries that were never sent with the current settings', async () => {
    const aim = { topic: 'product/*', callbackUrl: 'https://hooks.shop.dev/in', includeFields: ['title'] }
    const { id } = await world.shop.create(path, { ...aim, status: 'PAUSED' })
    await createProduct('Shirt')
    await world.drain()
    const changes = { status: 'ACTIVE', includeFields: ['status'] }
    await world.shop.update(`${path}/${id}`, changes)
    await world.shop.post(`${path}/${id}/replay`, { body: { afterSequence: 0 }, status: 202 })
    await drain()
    expect(world.receipts).toHaveLength(1)
    expect(world.receipts[0]!.body).toHaveProperty('status')
    expect(world.receipts[0]!.body).not.toHaveProperty('title')
  })
})

describe('preview', () => {
  test('shows the same headers and body as a delivery, and sends nothing', async () => {
    const { id, secret } = await world.subscribe({ topic: 'product/*', payloadVersion: '2026-04' })
    const category = await world.shop.create('/api/categories', { title: 'Shoes' })
    const product = await world.shop.create('/api/products', {
      title: 'Shirt',
      categories: [category['@id']],
      options: [{ title: 'Size', values: [{ title: 'S' }] }],
      variants: [{ sku: 'S', optionValues: [{ option: 'Size', value: 'S' }] }],
    })
    await world.drain()
    const [receipt] = world.receipts
    const { body } = await world.shop.post(`${path}/${id}/preview`, {
      body: { resource: product['@id'] },
      status: 200,
    })
    expect(body).toEqual({
      '@context': '/api/contexts/WebhookPreview',
      '@id': `${path}/${id}/preview`,
      '@type': 'WebhookPreview',
      subscription: `${path}/${id}`,
      resource: product['@id'],
      callbackUrl: 'https://hooks.shop.dev/in',
      headers: expect.any(Object),
      body: receipt!.text,
    })
    const lower = Object.fromEntries(
      Object.entries<string>(body.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    expect(new Webhook(secret).verify(body.body, lower)).toMatchObject({ categories: [{ childrens: [] }] })
    const timeless = ({
      'webhook-timestamp': _,
      'webhook-signature': __,
      traceparent,
      ...others
    }: object & Record<string, string>) => ({ ...others, trace: traceparent?.slice(0, 35) })
    expect(timeless(lower)).toEqual(timeless({ ...receipt!.headers }))
    expect(world.receipts).toHaveLength(1)
    expect((await deliveries(id)).totalItems).toBe(1)
    const variant = product.variants[0]['@id']
    const previewed = await world.shop.post(`${path}/${id}/preview`, {
      body: { resource: variant },
      status: 200,
    })
    expect(JSON.parse(previewed.body.body)).toMatchObject({ '@id': variant, sku: 'S' })
  })

  test('shows a deleted resource, and rejects one that never existed', async () => {
    const { id } = await world.subscribe({ topic: 'category/*' })
    const category = await world.shop.create('/api/categories', { title: 'Shoes' })
    await world.shop.delete(category['@id'], { status: 204 })
    const preview = (resource: unknown) => world.shop.post(`${path}/${id}/preview`, { body: { resource } })
    const deletedPreview = await preview({ '@id': category['@id'] })
    expect(deletedPreview.status, deletedPreview.text).toBe(200)
    expect(deletedPreview.body.headers['Service-Topic']).toBe('category/deleted')
    expect(JSON.parse(deletedPreview.body.body)).toMatchObject({ title: 'Shoes' })
    for (const [resource, slug] of [
      ['/api/categories/01900000-0000-7000-8000-000000000000', 'validation.unknown_reference'],
      ['/api/events/01900000-0000-7000-8000-000000000000', 'validation.invalid_iri'],
      ['nothing', 'validation.invalid_iri'],
      [7, 'validation.type'],
      [null, 'validation.required'],
    ]) {
      const refused = await preview(resource)
      expect([refused.status, refused.body.slug], String(resource)).toEqual([422, slug])
    }
  })
})

describe('a caller with few scopes', () => {
  const tree = async () => {
    const child = await world.shop.create('/api/categories', { title: 'Child' })
    const children = [child['@id']]
    return await world.shop.create('/api/categories', { title: 'Tree', children })
  }
  const inTree = async (title: string, category: { '@id': string }) =>
    await world.shop.create('/api/products', { title, categories: [category['@id']] })

  test('receives only readable data after moving the subscription, in pending and in replayed deliveries', async () => {
    Object.assign(world.runtime.callbacks, { allowLoopback: true })
    const { id } = await world.shop.create(path, {
      topic: 'product/*',
      callbackUrl: 'http://127.0.0.1:9/before',
    })
    const elsewhere = 'http://127.0.0.1:9/elsewhere'
    const category = await tree()
    await inTree('First', category)
    await drain()
    expect(world.receipts.map(({ text }) => text).join()).toContain('"children"')
    await world.shop.update(`${path}/${id}`, { status: 'PAUSED' })
    await inTree('Second', category)
    await createProduct('Third')
    await drain()
    const token = await world.shop.token({ scope: 'webhook_subscriptions:write products:read' })
    const moved = { callbackUrl: elsewhere, status: 'ACTIVE' }
    await world.shop.update(`${path}/${id}`, moved, { token })
    await world.shop.post(`${path}/${id}/replay`, { body: { afterSequence: 0 }, token, status: 202 })
    await drain()
    const there = world.receipts.filter(({ url }) => url === elsewhere)
    expect(there.map(({ body }) => body.title).sort()).toEqual(['Second', 'Third'])
    expect(there.map(({ text }) => text).join()).not.toContain('"children"')
    const bodies = Map.groupBy(world.receipts, ({ headers }) => headers['webhook-id'])
    for (const [webhookId, receipts] of bodies)
      expect(new Set(receipts.map(({ text }) => text)).size, webhookId).toBe(1)
    expect((await deliveries(id, '?status=FAILED')).member).toMatchObject([
      { topic: 'product/created', error: 'withheld', nextAttemptAt: null },
    ])
  })

  test('receives only readable data from attempts that were never sent because the host had no address', async () => {
    const aim = { topic: 'product/*', callbackUrl: 'https://hooks.shop.dev/one' }
    const { id } = await world.shop.create(path, aim)
    const { addresses } = world
    world.addresses = []
    await inTree('Shirt', await tree())
    await drain()
    expect((await deliveries(id)).member).toMatchObject([{ attempts: 1, error: 'unknown_host' }])
    const token = await world.shop.token({ scope: 'webhook_subscriptions:write products:read' })
    await world.shop.update(`${path}/${id}`, { includeFields: ['title', 'categories'] }, { token })
    world.addresses = addresses
    await drain()
    expect(world.receipts).toMatchObject([{ body: { title: 'Shirt', categories: [{ title: 'Tree' }] } }])
    expect(world.receipts[0]!.text).not.toContain('"children"')
  })

  test('receives nothing if the first writer may not read the new topic', async () => {
    const first = await world.shop.token({ scope: 'webhook_subscriptions:write products:read' })
    const second = await world.shop.token({ scope: 'webhook_subscriptions:write purchase_offers:read' })
    const { id } = await world.shop.create(
      path,
      { topic: 'product/*', callbackUrl: 'https://hooks.shop.dev/theirs' },
      { token: first },
    )
    await world.shop.update(`${path}/${id}`, { topic: 'purchase_offer/*' }, { token: second })
    const product = await world.shop.create('/api/products', { title: 'A', variants: [{ sku: 'S' }] })
    const body = { variant: product.variants[0]['@id'], supplier: 'x', currency: 'EUR', cost: '4.44' }
    const offer = await world.shop.create('/api/purchase_offers', body)
    await world.owner(`insert into webhook_hosts values ($1, 'hooks.shop.dev', 2, null)`)
    await drain()
    expect(world.receipts).toEqual([])
    const [delivery] = (await deliveries(id)).member
    expect(delivery).toMatchObject({ status: 'FAILED', error: 'withheld', httpStatus: null })
    // No receiver was called, so the failure is no evidence about it.
    expect(await world.subscription(id)).toMatchObject({ status: 'ACTIVE', failing_since: null })
    expect(await world.owner('select failures from webhook_hosts where tenant_id = $1')).toEqual([
      { failures: 2 },
    ])
    const preview = { body: { resource: offer['@id'] }, status: 409 }
    for (const refused of [
      await world.shop.post(`${path}/${id}/preview`, preview),
      await world.shop.post(`${path}/${id}/test`, { status: 409 }),
    ])
      expect(refused.body.slug).toBe('webhook.withheld')
    // A caller that may read offers writes the target and reopens the delivery. It was never sent, so it is
    // sent with the current settings.
    const aim = { topic: 'purchase_offer/*', callbackUrl: 'https://hooks.shop.dev/ours', version: null }
    const aimed = async (includeFields: string[]) =>
      world.shop.patch(`${path}/${id}`, { body: { ...aim, includeFields }, status: 200 })
    await aimed(['cost'])
    const opened = await world.shop.post(`${delivery['@id']}/retry`, { status: 202 })
    expect(opened.body).toMatchObject({ id: delivery.id, status: 'PENDING', includeFields: ['cost'] })
    await drain()
    expect(world.receipts).toMatchObject([{ url: aim.callbackUrl, body: { id: offer.id, cost: '4.44' } }])
    expect(world.receipts[0]!.body).not.toHaveProperty('supplier')
    // From now on, one id has one body.
    await aimed(['supplier'])
    await world.shop.post(`${path}/${id}/replay`, { body: { afterSequence: 0 }, status: 202 })
    await drain()
    const [sent, again] = world.receipts
    expect(again).toMatchObject({
      text: sent!.text,
      headers: { 'webhook-id': sent!.headers['webhook-id'], 'service-delivery-attempt': '3' },
    })
  })
})

describe('a subscription without a topic or an address', () => {
  test('holds pending deliveries until it has both again, and delays no other delivery', async () => {
    const { id } = await world.subscribe({ topic: 'product/*', callbackUrl: 'https://hooks.shop.dev/one' })
    world.answer = () => new Response(null, { status: 500 })
    const product = await createProduct('Shirt')
    await world.drain()
    world.answer = () => new Response(null, { status: 204 })
    await world.change(id, { callback_url: null, callback_host: null })
    const before = world.receipts.length
    await world.shop.update(product['@id'], { vendor: 'v' })
    await drain()
    expect(world.receipts).toHaveLength(before)
    // Events of the meantime get no delivery. Only a replay inserts them.
    expect((await deliveries(id)).totalItems).toBe(1)
    const [{ '@id': delivery }] = (await deliveries(id)).member
    expect((await world.shop.post(`${delivery}/retry`, { status: 409 })).body.slug).toBe('webhook.incomplete')
    await world.change(id, {
      callback_url: 'https://hooks.shop.dev/two',
      callback_host: 'hooks.shop.dev',
      topic: null,
    })
    await drain()
    expect(world.receipts).toHaveLength(before)
    await world.change(id, { topic: 'product/*' })
    await drain()
    expect(world.receipts.slice(before)).toMatchObject([{ url: 'https://hooks.shop.dev/two' }])
  })
})

describe('test', () => {
  let receiver: Server
  let url = ''
  let received = 0
  beforeEach(async () => {
    received = 0
    receiver = createServer((request, response) => {
      received += 1
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/plain' }).end('taken'))
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  })
  afterEach(() => new Promise((done) => receiver.close(done)))

  test('sends one sample for concurrent requests with one key, and the others get its result or 409', async () => {
    const body = await world.shop.create(path, { topic: '*', callbackUrl: url })
    const options = { headers: { 'Idempotency-Key': 'one-sample' } }
    const send = () => world.shop.post(`${body['@id']}/test`, options)
    const responses = await Promise.all([send(), send(), send()])
    const again = await send()
    expect(received).toBe(1)
    expect(again.body).toMatchObject({ status: 'DELIVERED', httpStatus: 200 })
    for (const { body } of responses)
      expect([again.body['@id'], 'IDEM-1003']).toContain(body.code ?? body['@id'])
  })

  test('returns the durations, and the response only if the subscription records it and the caller may see it', async () => {
    const send = async (terms: object, token?: string) => {
      const { '@id': iri } = await world.shop.create(path, { topic: '*', callbackUrl: url, ...terms })
      const { body } = await world.shop.post(`${iri}/test`, token === undefined ? {} : { token })
      return body
    }
    const unread = await send({})
    expect(unread).toMatchObject({ httpStatus: 200, response: null })
    expect(unread.durations).toEqual({
      address: expect.any(Number),
      headers: unread.latency,
      body: expect.any(Number),
    })
    const terms = { recordResponses: true }
    expect((await send(terms)).response).toBe('taken')
    const scope = allScopes.filter((each) => each !== 'webhook_responses:read').join(' ')
    expect(await send(terms, await world.shop.token({ scope }))).not.toHaveProperty('response')
  })

  test('reports a receiver that refuses connections', async () => {
    await new Promise((done) => receiver.close(done))
    const body = await world.shop.create(path, { topic: '*', callbackUrl: url })
    const sample = await world.shop.post(`${body['@id']}/test`, { status: 200 })
    expect(sample.body).toMatchObject({ status: 'FAILED', httpStatus: null, error: 'connection' })
    receiver.listen(0)
  })
})
