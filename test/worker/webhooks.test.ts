/** The Worker as it is deployed, in workerd, with real queues: what a write does to a receiver on this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { createTestHarness, type TestHarness, unstable_readConfig } from 'wrangler'
import { databaseUrls, useOwnDatabase } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'

type Received = {
  readonly path: string
  readonly headers: Record<string, string>
  readonly text: string
  readonly at: number
}

let dropDatabase: () => Promise<void>
let receiver: Server
/** Another host, whose answers a test decides. */
let otherReceiver: Server
let line: Server
let server: TestHarness
let shop: Shop
const received: Received[] = []
/** The receiver's responses, by path. */
const answers = new Map<string, (count: number) => number>()
/** Answers the requests of the other receiver; each test sets its own. */
let answerOther: (request: IncomingMessage, response: ServerResponse) => unknown = (_, response) =>
  response.writeHead(204).end()
/** Batches to the database that are refused, for the first statement that contains the text. */
let refused: { text: string; times: number } = { text: '', times: 0 }

beforeAll(async () => {
  Object.assign(process.env, {
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG: 'error',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  })
  dropDatabase = await useOwnDatabase()
  receiver = await listening(async (request, text) => {
    const path = request.url!
    const headers = request.headers as Record<string, string>
    received.push({ path, headers, text, at: performance.now() })
    return { status: answers.get(path)?.(at(path).length) ?? 204, text: '' }
  })
  otherReceiver = createServer((request, response) => {
    request.resume()
    answerOther(request, response)
  })
  await new Promise<void>((resolve) => otherReceiver.listen(0, '127.0.0.1', resolve))
  line = await listening(async (request, text) => {
    if (refused.times > 0 && text.includes(refused.text)) {
      refused.times -= 1
      return { status: 503, text: '{"message":"away"}' }
    }
    const headers = Object.entries(request.headers).filter(([name]) => /^neon|^content-type/.test(name))
    const response = await fetch(inject('bridgeEndpoint'), {
      method: 'POST',
      headers: headers as [string, string][],
      body: text,
    })
    return { status: response.status, text: await response.text() }
  })
  const { queues, ratelimits, durable_objects, migrations, compatibility_date, compatibility_flags } =
    unstable_readConfig({ config: 'wrangler.toml' })
  server = createTestHarness({
    workers: [
      {
        config: {
          name: 'catalogue',
          main: 'src/worker.ts',
          compatibility_date: compatibility_date!,
          compatibility_flags,
          ratelimits,
          durable_objects,
          migrations,
          // As deployed, but the platform drops a message after one failure.
          queues: {
            producers: queues.producers,
            consumers: queues.consumers!.map((each: object) => ({ ...each, max_retries: 0 })),
          },
          vars: {
            DATABASE_URL: databaseUrls().appUrl,
            NEON_FETCH_ENDPOINT: `http://127.0.0.1:${portOf(line)}/sql`,
            ENVIRONMENT: 'local',
            CALLBACKS: 'loopback',
            RATE_LIMITS: 'off',
          },
        },
      },
    ],
  })
  await server.listen()
  shop = await openShop()
}, 60_000)

afterAll(async () => {
  await server?.close()
  receiver?.close()
  otherReceiver?.closeAllConnections()
  otherReceiver?.close()
  line?.close()
  await dropDatabase?.()
})

const portOf = (of: Server) => (of.address() as AddressInfo).port
const at = (path: string) => received.filter((each) => each.path === path)

function listening(
  answer: (request: IncomingMessage, text: string) => Promise<{ status: number; text: string }>,
): Promise<Server> {
  const listener = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { status, text } = await answer(request, Buffer.concat(chunks).toString())
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  return new Promise((resolve) => listener.listen(0, '127.0.0.1', () => resolve(listener)))
}

async function call(method: string, path: string, body?: unknown) {
  const response = await server.fetch(`http://${shop.host}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await shop.token()}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.status, text).toBeLessThan(300)
  return JSON.parse(text)
}

const subscribe = (path: string, topic: string, at: Server = receiver) =>
  call('POST', '/api/webhook_subscriptions', {
    topic,
    callbackUrl: `http://127.0.0.1:${portOf(at)}${path}`,
  })

async function until(what: string, condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 20) {
    if (waited > 15_000)
      throw new Error(`${what}: not in 15 s; ${JSON.stringify(received.map((each) => each.path))}`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

const cron = () => server.getWorker().scheduled({ cron: '* * * * *', scheduledTime: new Date() })

test('a write reaches the receiver, signed', async () => {
  const { secret } = await subscribe('/good', 'category/created')
  const { '@id': iri } = await call('POST', '/api/categories', { title: 'Hats' })
  await until('the delivery', () => at('/good').length > 0)
  const [{ headers, text }] = at('/good') as [Received]
  expect(new Webhook(secret).verify(text, headers)).toMatchObject({ '@id': iri, title: 'Hats' })
  expect(headers).not.toHaveProperty('cookie')
})

test('after an answer of 500 it comes again five seconds later, under the same id and with the same body', async () => {
  await subscribe('/flaky', 'product/created')
  answers.set('/flaky', (count) => (count === 1 ? 500 : 204))
  await call('POST', '/api/products', { title: 'Cap' })
  await until('the second attempt', () => at('/flaky').length === 2)
  const [first, second] = at('/flaky') as [Received, Received]
  expect(second.at - first.at).toBeGreaterThan(3_500)
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(second.text).toBe(first.text)
  expect([first, second].map((each) => each.headers['service-delivery-attempt'])).toEqual(['1', '2'])
})

test('a write whose fan-out failed waits in Postgres until the cron finds it', async () => {
  await subscribe('/later', 'product/updated')
  const { '@id': iri } = await call('POST', '/api/products', { title: 'Scarf' })
  refused = { text: 'fan_out:', times: 1 }
  await call('PATCH', iri, { vendor: 'Acme' })
  await until('the refusal', () => refused.times === 0)
  await until('the logged failure', () =>
    server.getLogs().some((each) => each.message.includes('dispatch_failed')),
  )
  expect(at('/later')).toEqual([])
  for (let tries = 0; tries < 10 && at('/later').length === 0; tries += 1) {
    await cron()
    await new Promise((done) => setTimeout(done, 200))
  }
  expect(at('/later').map((each) => JSON.parse(each.text).vendor)).toEqual(['Acme'])
})

test('a receiver that never answers delays no delivery to another host', async () => {
  const open: ServerResponse[] = []
  answerOther = (_, response) => open.push(response)
  await subscribe('/hanging', 'collection/created', otherReceiver)
  await subscribe('/healthy', 'collection/created')
  for (let number = 1; number <= 8; number += 1) {
    await call('POST', '/api/collections', { title: `Hats ${number}` })
    await until('the attempt at the hanging receiver', () => open.length > 0)
  }
  await until('the deliveries to the healthy receiver', () => at('/healthy').length === 8)
  // The service waits 15 s for an answer, so the first attempt at the hanging receiver is still open.
  expect(open[0]!.closed).toBe(false)
  answerOther = (_, response) => response.writeHead(204).end()
  for (const response of open) response.writeHead(204).end()
})

test('a receiver that never ends the body of its 200 has the delivery, and gets the next one', async () => {
  let requests = 0
  // A host of its own, since failures at the hanging receiver limit the attempts at that host.
  const endless = createServer((request, response) => {
    request.resume()
    requests += 1
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write('This body never ends.')
  })
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    endless.closeAllConnections()
    endless.close()
  })
  const { '@id': subscription } = await subscribe('/endless', 'category/updated', endless)
  const { '@id': iri } = await call('POST', '/api/categories', { title: 'Caps' })
  for (const title of ['Caps and hats', 'Headwear']) await call('PATCH', iri, { title })
  await until('both deliveries', () => requests === 2)
  const deliveries = async () => (await call('GET', `${subscription}/deliveries`)).member
  await expect
    .poll(async () => (await deliveries()).map((delivery: { status: string }) => delivery.status))
    .toEqual(['DELIVERED', 'DELIVERED'])
  for (const { latency } of await deliveries()) expect(latency).toBeLessThan(15_000)
})
