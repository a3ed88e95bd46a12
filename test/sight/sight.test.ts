/**
 * One rule of visibility: a caller without read access sees nothing of a resource at any entry point, one with it sees it at each. Readers,
 * entry points and resources are generated from the scopes, the operations and the topics.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { scopesOfRequest } from '../../src/core/required-scopes.ts'
import type { Scope } from '../../src/core/scopes.ts'
import { topics } from '../../src/resources/events/topics.ts'
import { allScopes, resources } from '../../src/resources/index.ts'
import { makeCanaries } from '../support/samples.ts'
import type { Reply } from '../support/shop.ts'
import { openWorld, type World } from '../support/webhooks.ts'
import { canariesIn, canariesSeenWith, guards, subjects } from './canaries.ts'

const subscriptions = '/api/webhook_subscriptions'

type Reader = {
  readonly name: string
  /** The reader's rights, by scope or by permission. */
  readonly grants: readonly Scope[]
  readonly token: () => Promise<string>
  /** The patterns and topics to which it subscribes. */
  readonly topics: readonly string[]
  /** The resources of which it tries subscriptions. */
  readonly subjects: typeof subjects
}

/** Of every subject all topics at once, and all of all. */
const patterns = [...subjects.map(({ subject }) => `${subject}/*`), '*']
const everyTopic = [...topics.map(({ name }) => name), ...patterns]
/** Of a scope that is lacking, what it reads, and one that it does not. */
const around = (scope: Scope) => [
  ...subjects.filter((each) => each.scope === scope),
  ...subjects.filter((each) => each.scope !== scope).slice(0, 1),
]

let world: World
let made: Awaited<ReturnType<typeof makeCanaries>>
/** By subject, a subscription to all of its topics that may show everything. */
const subscriptionOf = new Map<string, string>()
/** The same, paused, at a host of their own: each takes so many. */
const pausedOf = new Map<string, string>()
let deliveryOf: Map<string, string>
/** By what their grants lack, subscriptions that were made with fewer. */
const narrowed = new Map<Scope, string>()
let eventIri: string
let bulkOperationId: string
const urlOf = (name: string) => `https://hooks.shop.dev/${name}`

beforeAll(async () => {
  world = await openWorld()
  const { shop } = world
  for (const { subject } of subjects) {
    const body = { topic: `${subject}/*`, callbackUrl: `http://127.0.0.1:9/${subject}` }
    subscriptionOf.set(subject, (await shop.create(subscriptions, body))['@id'])
    const paused = { ...body, callbackUrl: 'http://127.0.0.1:8/on', status: 'PAUSED' }
    pausedOf.set(subject, (await shop.create(subscriptions, paused))['@id'])
  }
  for (const scope of guards) {
    const scopes = allScopes.filter((each) => each !== scope)
    const { id } = await world.subscribe({ topic: '*', callbackUrl: urlOf(scope), scopes })
    narrowed.set(scope, `${subscriptions}/${id}`)
  }
  await world.subscribe({ topic: '*', callbackUrl: urlOf('everything') })
  made = await makeCanaries(shop)
  world.pass(1000)
  await world.drain()
  const logs = [...subscriptionOf].map(async ([subject, iri]) => {
    const body = await shop.read(`${iri}/deliveries`)
    return [subject, body.member[0]['@id'] as string] as const
  })
  deliveryOf = new Map(await Promise.all(logs))
  const line = JSON.stringify({ method: 'DELETE', path: made('product')['@id'] })
  const body = new Blob([line], { type: 'application/x-ndjson' })
  bulkOperationId = (await shop.post('/api/bulk_operations', { body, status: 202 })).body.id
  eventIri = (await shop.read('/api/events?itemsPerPage=1')).member[0]['@id']
}, 120_000)

const without = (scope: Scope) => allScopes.filter((each) => each !== scope)
/** Resources that show other resources, and have no events. */
const doors = [
  'webhook_subscriptions:read',
  'webhook_subscriptions:write',
  'events:read',
  'audit_trail:read',
] as const

const readers: Reader[] = [
  {
    name: 'an application with every scope',
    grants: allScopes,
    token: () => world.shop.token(),
    topics: everyTopic,
    subjects,
  },
  ...guards.map((scope) => ({
    name: `an application without ${scope}`,
    grants: without(scope),
    token: () => world.shop.token({ scope: without(scope).join(' ') }),
    topics: patterns,
    subjects,
  })),
  // A person's permissions become grants before anything is read: two sets of them are enough.
  ...guards.slice(0, 2).map((scope) => ({
    name: `a person with every scope, without the permission for ${scope}`,
    grants: without(scope),
    token: () =>
      world.shop.token({ sub: 'ada', permissions: without(scope).map((each) => `identity:${each}`) }),
    topics: around(scope).map(({ subject }) => `${subject}/*`),
    subjects: around(scope),
  })),
  {
    name: 'an application with the scopes of the entry points alone',
    grants: doors,
    token: () => world.shop.token({ scope: doors.join(' ') }),
    topics: everyTopic,
    subjects,
  },
  {
    name: 'a person with every permission and the scopes of the entry points alone',
    grants: doors,
    token: () => world.shop.token({ sub: 'ada', permissions: ['identity:*'], scope: doors.join(' ') }),
    topics: patterns,
    subjects,
  },
  {
    name: 'an application that sees no drafts',
    grants: without('metaobjects:write'),
    token: () => world.shop.token({ scope: without('metaobjects:write').join(' ') }),
    topics: patterns,
    subjects: around('metaobjects:read'),
  },
]

/** Calls that each show something of one resource, or of several. */
const reads = resources
  .flatMap((each) => each.operations)
  .filter(({ method, scope, onlyIn }) => method === 'GET' && scope !== null && onlyIn === undefined)

/** The address of an operation on the created resource. */
function address({ path, query }: Operation): string {
  const [, , collection = ''] = path.split('/')
  if (collection === 'events') return eventIri
  const own = subjects.find(({ kind }) => kind.shape.collection === `/api/${collection}`)
  const subscriptionId = subscriptionOf.get('product')!.split('/').at(-1)!
  const otherId = collection === 'bulk_operations' ? bulkOperationId : subscriptionId
  const id = own ? made(own.subject).id : otherId
  const params: Record<string, string> = {
    country: 'DE',
    id,
    productId: made('product').id,
    variantId: made('variant').id,
    deliveryId: deliveryOf.get('product')!.split('/').at(-1)!,
    type: 'recipe',
    handle: 'soup',
    path: 'food',
    code: 'PRD-1001',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)
  if (path === '/api/price_changes') return `${path}?market=canary`
  const isForShoppers = /price_(?:timeline|announcements)$/.test(path)
  const moment = 'resolveContext[at]' in query ? '&resolveContext[at]=2090-01-01T00:00:00Z' : ''
  return isForShoppers ? `${filled}?resolveContext[channel]=web&resolveContext[country]=FR${moment}` : filled
}

/** Reads by the feed, one of each resource separately, and by the audit trail, in full. */
async function eventTexts(token: string): Promise<{ feed: string; items: string; trail: string }> {
  const { shop } = world
  const feed = await shop.get('/api/events?itemsPerPage=100', { token, status: 200 })
  const members = feed.body.member as { '@id': string; resource: string }[]
  const items = [...Map.groupBy(members, ({ resource }) => resource).values()].map(([each]) =>
    shop.get(each!['@id'], { token, status: 200 }),
  )
  const trail = await shop.get(`${made('product')['@id']}/audit_trail?itemsPerPage=100`, {
    token,
    status: 200,
  })
  return {
    feed: feed.text,
    items: (await Promise.all<Reply>(items)).map(({ text }) => text).join(),
    trail: trail.text,
  }
}

const ownsProducts = (canary: string) =>
  /canary-(?:product|variant|product_option|option_value)$/.test(canary)

/** The missing grants in an error: by challenge for applications, by permissions for persons. */
function missingIn({ body, headers }: Reply): string[] {
  if (body.missingPermissions) return body.missingPermissions
  const challenged = /scope="([^"]*)"/.exec(headers.get('WWW-Authenticate') ?? '')?.[1] ?? ''
  return challenged.split(' ')
}

function expectRefused(reply: Reply, scopes: readonly Scope[], { grants }: Reader): void {
  const lacking = [...new Set(scopes)].filter((each) => !grants.includes(each))
  expect(reply.status, reply.text).toBe(403)
  expect(reply.body.slug).toMatch(/^auth\.(?:insufficient_scope|permission_denied)$/)
  const missing = missingIn(reply)
  for (const scope of lacking)
    expect(missing, reply.text).toContain(reply.body.missingPermissions ? `identity:${scope}` : scope)
  if (reply.body.missingPermissions) expect(missing).toHaveLength(lacking.length)
  expect(canariesIn(reply.text)).toEqual([])
}

describe.each(readers.map((each) => [each.name, each] as const))('%s', (_, reader) => {
  const seen = canariesSeenWith(reader.grants)
  const isSeen = (canary: string) => seen.includes(canary)

  test('sees by every operation that reads only what it may read', async () => {
    const token = await reader.token()
    for (const operation of reads) {
      const reply = await world.shop.get(address(operation), { token })
      const needed = scopesOfRequest(operation, [], null)
      const label = `${operation.name} ${reply.text}`
      if (!needed.every((each) => reader.grants.includes(each))) expectRefused(reply, needed, reader)
      else expect(reply.status, label).toBe(200)
      expect(
        canariesIn(reply.text).filter((each) => !isSeen(each)),
        label,
      ).toEqual([])
    }
  }, 60_000)

  test('sees in events, by the feed and one by one, what it may read, and that the rest happened', async () => {
    const token = await reader.token()
    const { feed, items, trail } = await eventTexts(token)
    expect(canariesIn(feed).sort()).toEqual(seen)
    expect(canariesIn(items).sort()).toEqual(seen)
    expect(canariesIn(trail).sort()).toEqual(seen.filter(ownsProducts))
    const events = JSON.parse(feed).member as {
      sequence: number
      topic: string
      resource: string
      changes: unknown[]
      document: unknown
      actor?: unknown
      apiVersion?: unknown
      requestId?: unknown
    }[]
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    for (const { topic, resource, changes, document, ...label } of events) {
      const { scope } = subjects.find(({ subject }) => topic.startsWith(`${subject}/`))!
      expect(resource).toMatch(/^\/api\//)
      const isRead = reader.grants.includes(scope)
      if (!isRead) expect({ changes, document }).toEqual({ changes: [], document: null })
      for (const name of ['actor', 'apiVersion', 'requestId']) expect(name in label, name).toBe(isRead)
    }
  }, 60_000)

  test.each(reader.topics)('subscribes to %s only when it may read all of that', async (topic) => {
    const token = await reader.token()
    // Prices are read with the scope of sale offers.
    const read = topic.replace(/^price\//, 'sale_offer/')
    const needed = subjects
      .filter(({ subject }) => topic === '*' || read.startsWith(`${subject}/`))
      .map(({ scope }) => scope)
    if (topic.startsWith('bulk_operation/')) needed.push('bulk_operations:read')
    const body = { topic, callbackUrl: 'http://127.0.0.1:9/new', status: 'PAUSED', locale: 7 }
    const reply = await world.shop.post(subscriptions, { token, body })
    // Permission before validation: only a caller who may subscribe gets the error of the locale.
    if (needed.every((each) => reader.grants.includes(each))) expect(reply.status, reply.text).toBe(422)
    else expectRefused(reply, needed, reader)
  })

  test.each(reader.subjects.map((each) => [each.subject, each] as const))(
    'previews, tests, replays, retries, moves and enables a subscription to %s only when it may read it',
    async (subject, { scope, canary }) => {
      const token = await reader.token()
      const iri = subscriptionOf.get(subject)!
      const { shop } = world
      const resource = made(subject)['@id']
      const calls = {
        preview: () => shop.post(`${iri}/preview`, { token, body: { resource } }),
        test: () => shop.post(`${iri}/test`, { token }),
        replay: () => shop.post(`${iri}/replay`, { token, body: { afterSequence: 10_000 } }),
        retry: () => shop.post(`${deliveryOf.get(subject)!}/retry`, { token }),
        // A moved and an enabled one as it is refused: 412 comes after permission.
        move: () => patch({ callbackUrl: 'http://127.0.0.1:9/moved' }),
        narrow: () => patch({ includeFields: ['id'] }),
        enable: async () => {
          const paused = pausedOf.get(subject)!
          const reply = await shop.patch(paused, { token, body: { status: 'ACTIVE' } })
          if (reply.status === 200) await shop.update(paused, { status: 'PAUSED' })
          return reply
        },
      }
      function patch(body: object): Promise<Reply> {
        return shop.patch(iri, { token, body, headers: { 'If-Match': '"999.x"' } })
      }
      const stale = ['move', 'narrow']
      for (const [name, call] of Object.entries(calls)) {
        const reply = await call()
        if (!reader.grants.includes(scope)) expectRefused(reply, [scope], reader)
        else
          expect([name, reply.status < 300 || (stale.includes(name) && reply.status === 412)]).toEqual([
            name,
            true,
          ])
        const shows = ['preview', 'test'].includes(name) && reader.grants.includes(scope)
        const shown = canariesIn(reply.text)
        expect(
          shown.filter((each) => !isSeen(each)),
          `${name} ${reply.text}`,
        ).toEqual([])
        // The last event of metaobjects is of a draft.
        if (shows && !(name === 'test' && subject === 'metaobject')) expect(shown, name).toContain(canary)
      }
    },
    60_000,
  )

  test('pauses and rotates what it may not read, and is shown nothing of it', async () => {
    const token = await reader.token()
    const made = await world.shop.create(subscriptions, {
      topic: '*',
      callbackUrl: 'http://127.0.0.1:9/paused',
    })
    await world.shop.update(made['@id'], { status: 'PAUSED' }, { token })
    await world.shop.post(`${made['@id']}/rotate_secret`, { token, status: 200 })
    await world.shop.delete(made['@id'], { token, status: 204 })
  })

  test('finds by search and by the tool only what it may read', async () => {
    const token = await reader.token()
    const found = await world.shop.get('/api/products?q=canary-variant', { token })
    const call = (path: string, name: string) =>
      world.shop.post(path, {
        token,
        headers: { 'content-type': 'application/json' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
      })
    const called = await call('/mcp', 'list_categories')
    const listed = await call('/mcp/catalogue', 'search_products')
    const all = await world.shop.get('/api/products', { token })
    expect(canariesIn(found.text)).toEqual(
      isSeen('canary-product') ? expect.arrayContaining(['canary-product']) : [],
    )
    expect(canariesIn(called.text)).toEqual(isSeen('canary-category') ? ['canary-category'] : [])
    expect(new Set(canariesIn(listed.text))).toEqual(new Set(canariesIn(all.text)))
  })

  test('finds by prices, facets and suggestions only what it may read', async () => {
    const token = await reader.token()
    const facets = [
      'price',
      'reduced',
      'vendor',
      'category',
      'collection',
      'tags',
      'option.canary-product_option',
    ]
    for (const query of [
      `market=canary&hasPrice=true&order[price]=asc&${facets.map((name) => `facets[]=${name}`).join('&')}`,
      'market=canary&price[from]=1&reduced=false',
      'q=can&suggest=true',
      'q=sofa',
      'q=canary-search_synonyms&suggest=true',
    ]) {
      const reply = await world.shop.get(`/api/products?${query}`, { token, version: 'unstable' })
      if (!reader.grants.includes('products:read')) expectRefused(reply, ['products:read'], reader)
      else expect(reply.status, reply.text).toBe(200)
      const shown = canariesIn(reply.text.replaceAll(encodeURIComponent(query), '').replaceAll(query, ''))
      expect(
        shown.filter((each) => !isSeen(each)),
        `${query} ${reply.text}`,
      ).toEqual([])
    }
  })
})

describe('deliveries', () => {
  const textAt = (name: string) =>
    world.receipts
      .filter(({ url }) => url === urlOf(name))
      .map(({ text }) => text)
      .join()

  test('to a subscription whose grants read everything show everything', () => {
    expect(canariesIn(textAt('everything')).sort()).toEqual(canariesSeenWith(allScopes))
  })

  test.each(guards)(
    'are withheld from a subscription whose grants lack %s, with the reason in the delivery log',
    async (scope) => {
      expect(canariesIn(textAt(scope)).sort()).toEqual(canariesSeenWith(without(scope)))
      const log = `${narrowed.get(scope)!}/deliveries?itemsPerPage=100&status=FAILED`
      const body = await world.shop.read(log)
      const failed = body.member as { topic: string; error: string; httpStatus: null }[]
      expect([...new Set(failed.map(({ error }) => error))]).toEqual(['withheld'])
      const heldBack = new Set(failed.map(({ topic }) => topic.split('/')[0]))
      expect(heldBack).toEqual(
        new Set(subjects.flatMap((each) => (each.scope === scope ? [each.subject] : []))),
      )
      expect(failed.every(({ httpStatus }) => httpStatus === null)).toBe(true)
    },
  )
})
