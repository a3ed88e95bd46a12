/**
 * Rules of every operation, in every version: a new resource inherits these checks. No response, errors included, has
 * member and no header that its published description has not.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { shapesOf } from '../src/core/access.ts'
import type { Json } from '../src/core/json.ts'
import { bodyTypesOf, type Operation } from '../src/core/operation.ts'
import { scopesOfRequest } from '../src/core/required-scopes.ts'
import type { Scope } from '../src/core/scopes.ts'
import { allScopes, resources } from '../src/resources/index.ts'
import { versions } from '../src/versions/index.ts'
import { documentedVersions, operationsOf, type Published, published } from './documents/published.ts'
import { eventsOf } from './support/ledger.ts'
import { addressOf, sampleCalls } from './support/samples.ts'
import type { Sample } from './support/sampling.ts'
import { type Asked, openShop, type Shop } from './support/shop.ts'

const operations = resources.flatMap((each) => each.operations)
const unknownId = '01900000-0000-7000-8000-000000000000'

type Called = Asked & { readonly query?: string }

function call(shop: Shop, operation: Operation, sample: Sample, asked: Called = {}) {
  const { query: more = '', ...options } = asked
  const sent = sample.body === undefined ? {} : { body: sample.body }
  return shop.request(operation.method, addressOf(operation, sample, { missing: unknownId, more }), {
    ...sent,
    ...options,
    headers: {
      ...(operation.body && { 'content-type': bodyTypesOf(operation.body)[0] }),
      ...options.headers,
    },
  })
}

/** The parameters of a sample, with those that its body needs. */
const demandedOf = (operation: Operation, { body }: Sample) =>
  scopesOfRequest(operation, [], (body ?? null) as Json)

const inOrder = operationsOf('unstable')
const named = (list: readonly Operation[]) =>
  list.map((each) => [`${each.method} ${each.path}`, each] as const)

describe.each(versions.map((each) => each.name))('in version %s', (version) => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  let described: Published | undefined
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
    if (documentedVersions.includes(version)) described = await published(shop, version)
  })

  test.each(named(operationsOf(version)))('%s answers as documented', async (_, operation) => {
    const reply = await call(shop, operation, sampleOf(operation), { version })
    const expected =
      operation.answers === 'empty' ? 204 : operation.method === 'POST' ? (operation.status ?? 201) : 200
    expect(reply.status, reply.text).toBe(expected)
    expect(reply.headers.get('Service-Api-Version')).toBe(version)
    expect(reply.headers.get('Link')).toMatch(
      /^<http[^>]+>; rel="http:\/\/www\.w3\.org\/ns\/hydra\/core#apiDocumentation"/,
    )
    expect(described?.faults(operation, reply) ?? []).toEqual([])
    const trips = Number(/db;[^,]*desc="(\d+)"/.exec(reply.headers.get('Server-Timing') ?? '')?.[1] ?? 0)
    // A revert also reads the resource and its events, or stores the lines that undo an operation.
    const most = operation.path.endsWith('/revert') ? 4 : 2
    expect(trips).toBeLessThanOrEqual(operation.method === 'GET' ? 1 : most)
    if (operation.method === 'GET' && described) {
      const headers = { 'if-none-match': reply.headers.get('etag') }
      const again = await call(shop, operation, sampleOf(operation), { version, headers })
      expect(again.status).toBe(304)
      expect(described.faults(operation, again)).toEqual([])
    }
    if (operation.answers === 'empty') return
    const documents = operation.answers === 'collection' ? [...reply.body.member!] : [reply.body]
    // No job performs the lines of the sample.
    if (operation.name !== 'listBulkOperationResults') expect(documents.length).toBeGreaterThan(0)
    if (operation.answers === 'collection' && operation.method === 'GET') {
      expect(reply.body['@id']).toBe(addressOf(operation, { params: sampleOf(operation).params }))
      const { totalItems, view } = reply.body
      // The prices, or the issues, of all pages would be its total.
      if (totalItems === undefined)
        expect(operation.name).toMatch(/^list(?:PriceAnnouncements|PriceChanges|Issues)$/)
      if (view?.next === undefined) expect(documents).toHaveLength(totalItems ?? documents.length)
      else expect(documents).toHaveLength(30)
    }
    if (expected === 201) {
      const isReadable = version === 'unstable' || operation.shape.type !== 'WebhookSubscription'
      const location = reply.headers.get('location')
      expect(location?.startsWith(reply.body['@id']) ?? false).toBe(isReadable)
    }
    const oldNames = version < '2026-07'
    const properties = Object.keys(operation.shape.properties).map((name) =>
      oldNames && operation.shape.type === 'Category' && name === 'children' ? 'childrens' : name,
    )
    const known = ['@context', '@id', '@type', 'id', 'fallbacks', ...properties]
    for (const document of documents) {
      expect(document['@type']).toBe(operation.shape.type)
      expect(Object.keys(document).filter((name) => !known.includes(name))).toEqual([])
    }
    // As a member's name, not as text: the list of versions names both.
    expect(
      reply.text.includes(oldNames ? '"children":' : '"childrens":') && operation.name !== 'listVersions',
    ).toBe(false)
  })
})

describe('refusals', () => {
  /** Has every operation. */
  const version = 'unstable'
  let shop: Shop
  let other: Shop
  let sampleOf: (operation: Operation) => Sample
  let described: Published
  beforeAll(async () => {
    shop = await openShop()
    other = await openShop()
    sampleOf = await sampleCalls(shop)
    described = await published(shop, version)
  })
  const scoped = operations.filter((each) => each.scope !== null)

  type Refused = Asked & { readonly in?: Shop; readonly query?: string; readonly params?: Sample['params'] }

  /** Calls an operation, and looks for what of its refusal is not described. */
  async function refused(operation: Operation, status: number, asked: Refused = {}) {
    const { in: place = shop, params, ...rest } = asked
    const sample = sampleOf(operation)
    const reply = await call(
      place,
      operation,
      { ...sample, params: params ?? sample.params },
      { version, ...rest },
    )
    expect(reply.status, reply.text).toBe(status)
    expect(described.faults(operation, reply)).toEqual([])
    return reply
  }

  test.each(named(operations))('%s without a token is 401', async (_, operation) => {
    const reply = await refused(operation, 401, { token: null })
    expect(reply.headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
  })

  test.each(named(scoped))('%s without its scope is 403 that names it', async (_, operation) => {
    const token = await shop.token({ scope: allScopes.filter((each) => each !== operation.scope).join(' ') })
    const reply = await refused(operation, 403, { token })
    expect(reply.body.slug).toBe('auth.insufficient_scope')
    // With it, what its body demands beyond it.
    const needed = demandedOf(operation, sampleOf(operation)).join(' ')
    expect(reply.headers.get('WWW-Authenticate')).toContain(`scope="${needed}"`)
    expect(reply.body.message).toContain(`: ${operation.scope}.`)
    expect(reply.body).not.toHaveProperty('missingPermissions')
  })

  test.each(named(scoped))(
    '%s for a person without the permission is 403 that lists it',
    async (_, operation) => {
      const token = await shop.token({ sub: 'person' })
      const { body } = await refused(operation, 403, { token })
      const needed = demandedOf(operation, sampleOf(operation))
      expect(body.missingPermissions).toEqual(needed.map((each) => `identity:${each}`))
    },
  )

  test.each(named(operations))('%s in an unknown version or a bad language is 400', async (_, operation) => {
    const { body } = await refused(operation, 400, { version: '2020-01' })
    expect(body.slug).toBe('version.unknown')
    await refused(operation, 400, { headers: { 'service-locale': 'English' } })
  })

  test.each(named(operations.filter((each) => each.body)))(
    '%s with another content type is 415, and with a body that is no JSON 400',
    async (_, operation) => {
      await refused(operation, 415, { headers: { 'Content-Type': 'text/plain' } })
      await refused(operation, 400, { body: '{' })
    },
  )

  test.each(named(operations))('%s for a client that accepts only HTML is 406', async (_, operation) => {
    await refused(operation, 406, { headers: { accept: 'text/html' } })
  })

  test.each(named(operations.filter(({ method }) => method === 'GET')))(
    '%s with a parameter of nine levels is 422',
    async (_, operation) => {
      await refused(operation, 422, { query: `properties${'[a]'.repeat(9)}[]=b` })
    },
  )

  // A batch has the ids of its resources in its body.
  const withId = operations.filter((each) => each.path.includes('{') && !each.params && !each.body?.isBatch)
  test.each(named(withId))(
    "%s with an unknown id is 404, and so is another tenant's",
    async (_, operation) => {
      const unknown = await refused(operation, 404, { params: {} })
      const foreign = await refused(operation, 404, { in: other })
      expect(foreign.body.slug).toBe(unknown.body.slug)
    },
  )
})

describe('with its scope alone', () => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
  })
  const shapes = shapesOf(resources)

  /** An operation that sends or aims events of a topic also requires the right to read them. */
  const tellsOthers = ({ name, scope }: Operation) =>
    scope === 'webhook_subscriptions:write' && !/^(?:delete|rotate)/.test(name)

  /** The members of a response that other scopes guard, at any depth; a body that is shown as text is parsed. */
  function leaksIn(value: unknown, sees: Scope | null): string[] {
    if (typeof value === 'string' && value.startsWith('{')) return leaksIn(JSON.parse(value), sees)
    if (typeof value !== 'object' || value === null) return []
    const { '@type': type, status } = value as Record<string, unknown>
    const guarded = Object.entries(shapes.get(String(type))?.properties ?? {}).flatMap(
      ([name, { visibleWith }]) => (visibleWith !== null && visibleWith !== sees ? [name] : []),
    )
    const isDraft = type === 'Metaobject' && status === 'DRAFT' && sees !== 'metaobjects:write'
    return [
      ...guarded.filter((name) => Object.hasOwn(value, name)).map((name) => `${type}.${name}`),
      ...(isDraft ? ['a draft'] : []),
      ...Object.values(value).flatMap((each) => leaksIn(each, sees)),
    ]
  }

  test.each(named(inOrder))('%s returns nothing that another scope guards', async (_, operation) => {
    const sample = sampleOf(operation)
    const own = operation.scope ?? 'error_codes:read'
    // An operation that also writes to other resources requires their scopes, and shows none of their data.
    const taken = tellsOthers(operation) ? [] : demandedOf(operation, sample)
    const token = await shop.token({ scope: [...new Set([own, ...taken])].join(' ') })
    const asked = { token, ...(operation.onlyIn ? { version: operation.onlyIn } : {}) }
    const reply = await call(shop, operation, sample, asked)
    // A draft is not there for who may only read.
    const isDraft = ['getMetaobject', 'getMetaobjectByHandle'].includes(operation.name)
    if (isDraft) expect(reply.status).toBe(404)
    else if (tellsOthers(operation)) expect(reply.body.slug, reply.text).toBe('auth.insufficient_scope')
    else expect(reply.status, reply.text).toBeLessThan(300)
    expect(leaksIn(reply.body, operation.scope)).toEqual([])
  })
})

describe('events', () => {
  const topics = async (shop: Shop) => (await eventsOf(shop)).map(({ topic }) => topic)
  const writes = operations.filter((each) => each.method !== 'GET')

  type Site = { readonly shop: Shop; readonly sampleOf: (operation: Operation) => Sample }
  const open = async (): Promise<Site> => {
    const shop = await openShop()
    return { shop, sampleOf: await sampleCalls(shop) }
  }
  let common: Site
  beforeAll(async () => {
    common = await open()
  })

  test.each(writes.map((each) => [`${each.method} ${each.path}`, each] as const))(
    '%s records one event for the resource, none where it has no topic and none when it fails',
    async (_, operation) => {
      // A deleted resource still has all its relations.
      const { shop, sampleOf } = operation.method === 'DELETE' ? await open() : common
      const sample = sampleOf(operation)
      const before = (await topics(shop)).length
      if (operation.body) {
        const names = Object.keys((operation.body.shape ?? operation.shape).properties)
        const wrong = Object.fromEntries(names.map((name) => [name, [7]]))
        const failed = await call(shop, operation, { ...sample, body: wrong })
        expect(failed.status, failed.text).toBe(422)
        expect(await topics(shop)).toHaveLength(before)
      }
      const done = await call(shop, operation, sample)
      expect(done.status, done.text).toBeLessThan(300)
      const recorded = (await topics(shop)).slice(before)
      const own = recorded.filter((topic) => topic.split('/')[0] === operation.emits?.[0]?.split('/')[0])
      expect(own).toHaveLength(operation.emits ? 1 : 0)
      if (operation.emits) expect(operation.emits).toContain(own[0])
      expect(recorded.filter((topic) => !operation.emits?.includes(topic))).toEqual([])
    },
  )
})
