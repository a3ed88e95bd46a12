/**
 * Every operation, as one tenant next to a twin with the same handles, SKUs, types and keys, with only one of the two
 * walls between them at a time.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { operations, operationsOf } from '../documents/published.ts'
import { useOwnDatabase } from '../support/database.ts'
import { owner } from '../support/ledger.ts'
import { addressOf, sampleCalls } from '../support/samples.ts'
import type { Reply } from '../support/shop.ts'
import { bareFunctions, type Fortress, openFortress, type Walls } from '../support/walls.ts'
import { openWorld, type World } from '../support/webhooks.ts'

/** A cost that nothing else equals. */
const cost = '8642.97'
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Lists with filters, orders, ranges, facets and suggestions, and coming changes of prices: all of them count. The samples make the market. */
const byPrice = [
  'products?market=changing&price[from]=0&order[price]=asc',
  'products?market=changing&price[until]=9&reduced=true&order[price]=desc&facets[]=price&facets[]=reduced',
  'products?market=changing&hasPrice=false&facets[]=price&facets[]=reduced&facets[]=vendor',
  'products?q=s&suggest=true',
  'products?q=couch',
  'price_changes?market=changing&ahead=P1827D',
].map((path) => `/api/${path}`)

let drop: () => Promise<void>
let fortress: Fortress
/** The first tenant. */
let twin: World
/** Its responses before the other tenant exists, and the rows of its tables. */
let alone: Heard
let kept: Readonly<Record<string, string>>
/** A tenant whose resources are all there still, and how each operation is called on them. */
let stranger: { readonly world: World; readonly sampleOf: Awaited<ReturnType<typeof sampleCalls>> }
beforeAll(async () => {
  drop = await useOwnDatabase()
  fortress = await openFortress()
  twin = await open('both walls')
  alone = await heardBy(twin)
  kept = await rowsOf(twin)
  const other = await open('both walls')
  stranger = { world: other, sampleOf: await sampleCalls(other.shop) }
}, 60_000)
afterAll(async () => {
  await fortress.close()
  await drop()
})
afterEach(() => vi.restoreAllMocks())

type Heard = {
  /** By operation. */
  readonly answers: Readonly<Record<string, string>>
  readonly lists: string
  readonly webhooks: string
  readonly messages: string
  readonly logs: string
  /** Tokens and secrets, which nothing may keep. */
  readonly secrets: readonly string[]
}

/** Calls every operation once and records responses, webhooks, messages of the queues and the log. */
async function heardBy(world: World): Promise<Heard> {
  const logs: string[] = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...said) => logs.push(said.map(String).join(' ')))
  const messages: string[] = []
  const push = world.messages.push.bind(world.messages)
  world.messages.push = (...each) => {
    messages.push(JSON.stringify(each))
    return push(...each)
  }
  Object.assign(world.runtime.callbacks, { allowLoopback: true })
  const { secret } = await world.subscribe({ topic: '*' })
  const token = await world.shop.token()
  const sampleOf = await sampleCalls(world.shop)
  const [purchase] = (await world.shop.read('/api/purchase_offers')).member
  await world.shop.update(purchase['@id'], { cost })
  const answers: Record<string, string> = {}
  const minted: string[] = []
  for (const operation of operationsOf('unstable')) {
    const sample = sampleOf(operation)
    const { body } = sample
    const reply = await world.shop.request(operation.method, addressOf(operation, sample), {
      ...(body === undefined ? {} : { body }),
      ...(operation.onlyIn ? { version: operation.onlyIn } : {}),
      ...(operation.method === 'GET' ? {} : { headers: { 'Idempotency-Key': `key-${operation.name}` } }),
      token,
    })
    if (typeof reply.body?.secret === 'string') minted.push(reply.body.secret)
    answers[operation.name] = contentOf(reply)
  }
  const lists = operations.filter((each) => each.answers === 'collection' && !each.path.includes('{'))
  const whole: string[] = []
  for (const operation of lists) {
    // With the parameters that it requires.
    const { query } = sampleOf(operation)
    const path = addressOf(operation, query ? { params: {}, query } : { params: {} })
    whole.push(contentOf(await world.shop.get(path, { status: 200 })))
  }
  for (const query of byPrice) whole.push(contentOf(await world.shop.get(query, { status: 200 })))
  const search = await world.shop.get('/api/products?q=sock', { status: 200 })
  for (const [path, name] of [
    ['/mcp', 'list_categories'],
    ['/mcp/catalogue', 'search_products'],
  ] as const) {
    const tool = await world.shop.post(path, {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { expand: 'children' } },
      },
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      status: 200,
    })
    whole.push(contentOf(tool))
  }
  whole.push(contentOf(search))
  world.pass(60_000)
  await world.cron()
  await world.drain()
  const receipts = world.receipts.toSorted(
    (a, b) => Number(a.headers['service-sequence']) - Number(b.headers['service-sequence']),
  )
  return {
    answers,
    lists: whole.join('\n'),
    webhooks: receipts
      .map(({ headers, text }) => `${JSON.stringify(Object.entries(headers).toSorted())}\n${text}`)
      .join('\n'),
    messages: messages.join('\n'),
    logs: logs.join('\n'),
    secrets: [secret, token, ...minted],
  }
}

function contentOf({ status, headers, text }: Reply): string {
  return `${status}\n${[...headers].map((each) => each.join(': ')).join('\n')}\n${text}`
}

/** Without values that differ from tenant to tenant and from time to time. */
function masked(text: string): string {
  return (
    text
      .replaceAll(uuid, 'id')
      .replaceAll(/\bt-[0-9a-f-]{13}\.test/g, 'host')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d(:|%3A|)\d\d(:|%3A|)\d\d(\.\d+)?Z/g, 'instant')
      .replaceAll(/\b(?:en|de|fr|es|sv|da)-\d{3}\b/g, 'locale')
      // The position after a change of a price has its moment.
      .replaceAll(/("cursor":")[\w-]+/g, '$1cursor')
      .replaceAll(/whsec_[\w+/=]+/g, 'secret')
      .replaceAll(/v1,[\w+/=]+( v1,[\w+/=]+)*/g, 'signature')
      .replaceAll(/(webhook-timestamp\\*"[:,]\\*")\d+/g, '$1moment')
      .replaceAll(/("linesPerSecond\\*":)[\d.]+/g, '$1rate')
      // Of the request's own trace where it sends none.
      .replaceAll(/(traceparent\\*"[:,]\\*")00-[0-9a-f-]+/g, '$1trace')
      // Deliveries of one moment come in any order.
      .replaceAll(/"sequence":\d+/g, '"sequence":0')
      .replaceAll(/("(?:latency|address|headers|body)":)\d+/g, '$1milliseconds')
      .replaceAll(/\b[0-9a-z]{8}-(\d+)\b/g, 'name-$1')
      .replaceAll(/^(etag|server-timing|date|service-sunset): .*$/gm, '$1')
  )
}

/** Every row of a tenant, as text. */
async function rowsOf({ shop }: World): Promise<Readonly<Record<string, string>>> {
  return owner(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
    )
    const found: Record<string, string> = {}
    for (const { name } of rows) {
      const { rows: texts } = await client.query<{ text: string }>(
        `select t::text as text from ${name} t where tenant_id = $1 order by 1`,
        [shop.tenant.id],
      )
      found[name] = texts.map(({ text }) => text).join('\n')
    }
    return found
  })
}

const open = async (standing: Walls) => openWorld({ access: fortress.access(standing) })

describe.each(['tenant_id alone', 'row security alone'] as const)('with %s', (standing) => {
  test('a tenant gets the same with a twin and without, no byte of it, and changes no row of it', async () => {
    // The last one: there is no way back.
    if (standing === 'row security alone') expect(await bareFunctions()).toBeGreaterThan(1)
    const ids = new Set(Object.values(kept).join('\n').match(uuid))
    expect(ids.size).toBeGreaterThan(100)
    const heard = await heardBy(await open(standing))
    for (const [name, answer] of Object.entries(heard.answers))
      expect(masked(answer), name).toBe(masked(alone.answers[name]!))
    expect(masked(heard.lists)).toBe(masked(alone.lists))
    expect(masked(heard.webhooks)).toBe(masked(alone.webhooks))
    const { answers, secrets: _, ...others } = heard
    for (const [where, text] of Object.entries({ ...answers, ...others })) {
      expect(
        [...new Set(text.match(uuid))].filter((id) => ids.has(id)),
        where,
      ).toEqual([])
      for (const secret of alone.secrets) expect(text, where).not.toContain(secret)
    }
    expect(await rowsOf(twin)).toEqual(kept)
    if (standing === 'row security alone') expect(fortress.taken()).toBeGreaterThan(450)
  }, 60_000)

  test("every operation on another tenant's resources, or with them in its body, finds nothing and changes nothing", async () => {
    const before = await rowsOf(stranger.world)
    const { shop } = await open(standing)
    for (const operation of operations) {
      const sample = stranger.sampleOf(operation)
      const { params, body } = sample
      const named = JSON.stringify([params, body]).match(uuid)
      if (!named) continue
      const reply = await shop.request(operation.method, addressOf(operation, sample), {
        ...(body === undefined ? {} : { body }),
        ...(operation.onlyIn ? { version: operation.onlyIn } : {}),
      })
      const inPath = Object.values(params).some((value) => value.match(uuid))
      expect(reply.status, operation.name).toBe(inPath && !operation.body?.isBatch ? 404 : 422)
    }
    expect(await rowsOf(stranger.world)).toEqual(before)
  }, 60_000)
})

test('no token and no secret is stored or logged, and costs only in offers and their history', () => {
  for (const [table, text] of Object.entries({ ...kept, logs: alone.logs, messages: alone.messages })) {
    expect(text, table).not.toContain('whsec_')
    for (const secret of alone.secrets) expect(text, table).not.toContain(secret.replace('whsec_', ''))
    const mayHoldCosts = ['purchase_offers', 'events', 'idempotency_keys'].includes(table)
    if (!mayHoldCosts) expect(text, table).not.toContain(cost)
  }
  expect(kept.purchase_offers).toContain(cost)
  expect(alone.webhooks).toContain(cost)
})
