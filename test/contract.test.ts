/** What every operation keeps to, in every version: a new resource inherits these checks. */
import { beforeAll, describe, expect, test } from 'vitest'
import { demandedBy } from '../src/core/demands.ts'
import type { Json } from '../src/core/json.ts'
import type { Operation } from '../src/core/operation.ts'
import { shapesOf } from '../src/core/reach.ts'
import type { Scope } from '../src/core/scopes.ts'
import { allScopes, resources } from '../src/resources/index.ts'
import { versions } from '../src/versions/index.ts'
import { eventsOf } from './support/ledger.ts'
import { addressOf, type Sample, sampleCalls } from './support/samples.ts'
import { type Asked, openShop } from './support/shop.ts'

type Shop = Awaited<ReturnType<typeof openShop>>

const operations = resources.flatMap((each) => each.operations)
const unknownId = '01900000-0000-7000-8000-000000000000'

function call(shop: Shop, operation: Operation, sample: Sample, options: Asked = {}) {
  const { body } = sample
  const method = operation.method.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete'
  return shop[method](addressOf(operation, sample, { missing: unknownId }), {
    ...(body === undefined ? {} : { body }),
    ...options,
  })
}

/** What a sample takes, with what its body asks for. */
const demandedOf = (operation: Operation, { body }: Sample) =>
  demandedBy(operation, [], (body ?? null) as Json)

/** Deletions last, the product after everything that it owns, so that each operation finds what it is called on. */
const inOrder = [
  ...operations.filter((each) => each.method !== 'DELETE'),
  ...operations.filter((each) => each.method === 'DELETE' && each.name !== 'deleteProduct'),
  ...operations.filter((each) => each.name === 'deleteProduct'),
]
const named = (list: readonly Operation[]) =>
  list.map((each) => [`${each.method} ${each.path}`, each] as const)

describe.each(versions.map((each) => each.name))('in version %s', (version) => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
  })

  const served = inOrder.filter((each) => each.onlyIn === undefined || each.onlyIn === version)
  test.each(named(served))('%s answers as documented', async (_, operation) => {
    const reply = await call(shop, operation, sampleOf(operation), { version })
    const expected =
      operation.answers === 'empty' ? 204 : operation.method === 'POST' ? (operation.status ?? 201) : 200
    expect(reply.status, reply.text).toBe(expected)
    expect(reply.headers.get('Service-Api-Version')).toBe(version)
    expect(reply.headers.get('Link')).toMatch(
      /^<http[^>]+>; rel="http:\/\/www\.w3\.org\/ns\/hydra\/core#apiDocumentation"/,
    )
    const trips = Number(/db;[^,]*desc="(\d+)"/.exec(reply.headers.get('Server-Timing') ?? '')?.[1] ?? 0)
    expect(trips).toBeLessThanOrEqual(operation.method === 'GET' ? 1 : 2)
    if (operation.answers === 'empty') return
    const documents = operation.answers === 'collection' ? [...reply.body.member!] : [reply.body]
    expect(documents.length).toBeGreaterThan(0)
    const oldNames = version < '2026-07'
    const properties = Object.keys(operation.shape.properties).map((name) =>
      oldNames && operation.shape.type === 'Category' && name === 'children' ? 'childrens' : name,
    )
    const known = ['@context', '@id', '@type', 'id', 'fallbacks', ...properties]
    for (const document of documents) {
      expect(document['@type']).toBe(operation.shape.type)
      expect(Object.keys(document).filter((name) => !known.includes(name))).toEqual([])
    }
    // As a member's name, not as text: the list of versions speaks of both.
    expect(
      reply.text.includes(oldNames ? '"children":' : '"childrens":') && operation.name !== 'listVersions',
    ).toBe(false)
  })
})

describe('refusals', () => {
  let shop: Shop
  let other: Shop
  let sampleOf: (operation: Operation) => Sample
  beforeAll(async () => {
    shop = await openShop()
    other = await openShop()
    sampleOf = await sampleCalls(shop)
  })
  const in_ = (operation: Operation) => (operation.onlyIn ? { version: operation.onlyIn } : {})
  const scoped = operations.filter((each) => each.scope !== null)

  test.each(named(operations))('%s without a token is 401', async (_, operation) => {
    const reply = await call(shop, operation, sampleOf(operation), { token: null, ...in_(operation) })
    expect(reply.status, reply.text).toBe(401)
    expect(reply.headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
  })

  test.each(named(scoped))('%s without its scope is 403 that names it', async (_, operation) => {
    const token = await shop.token({ scope: allScopes.filter((each) => each !== operation.scope).join(' ') })
    const sample = sampleOf(operation)
    const reply = await call(shop, operation, sample, { token, ...in_(operation) })
    expect(reply.status, reply.text).toBe(403)
    expect(reply.body.slug).toBe('auth.insufficient_scope')
    // With it, what its body demands beyond it.
    const needed = demandedOf(operation, sample).join(' ')
    expect(reply.headers.get('WWW-Authenticate')).toContain(`scope="${needed}"`)
    expect(reply.body.message).toContain(`: ${operation.scope}.`)
    expect(reply.body).not.toHaveProperty('missingPermissions')
  })

  test.each(named(scoped))(
    '%s for a person without the permission is 403 that lists it',
    async (_, operation) => {
      const token = await shop.token({ sub: 'person' })
      const sample = sampleOf(operation)
      const reply = await call(shop, operation, sample, { token, ...in_(operation) })
      expect(reply.status, reply.text).toBe(403)
      const needed = demandedOf(operation, sample)
      expect(reply.body.missingPermissions).toEqual(needed.map((each) => `identity:${each}`))
    },
  )

  test.each(named(operations))('%s in an unknown version is 400', async (_, operation) => {
    const reply = await call(shop, operation, sampleOf(operation), { version: '2020-01' })
    expect(reply.status, reply.text).toBe(400)
    expect(reply.body.slug).toBe('version.unknown')
  })

  test.each(named(operations.filter((each) => each.body)))(
    '%s with another content type is 415',
    async (_, operation) => {
      const asked = { ...in_(operation), headers: { 'Content-Type': 'text/plain' } }
      const reply = await call(shop, operation, sampleOf(operation), asked)
      expect(reply.status, reply.text).toBe(415)
    },
  )

  const withId = operations.filter((each) => each.path.includes('{') && !each.params)
  test.each(named(withId))(
    "%s with an unknown id is 404, and so is another tenant's",
    async (_, operation) => {
      const sample = sampleOf(operation)
      const unknown = await call(shop, operation, { ...sample, params: {} }, in_(operation))
      expect(unknown.status, unknown.text).toBe(404)
      const foreign = await call(other, operation, sample, in_(operation))
      expect(foreign.status, foreign.text).toBe(404)
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

  /** What sends or aims what a topic tells takes the right to read that as well. */
  const tellsOthers = ({ name, scope }: Operation) =>
    scope === 'webhook_subscriptions:write' && !/^(?:delete|rotate)/.test(name)

  /** What an answer tells that other scopes guard, wherever in it; a body that is shown as text is looked into. */
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

  test.each(named(inOrder))('%s tells nothing that another scope guards', async (_, operation) => {
    const sample = sampleOf(operation)
    const own = operation.scope ?? 'error_codes:read'
    // What writes to others beside its own takes the right to, which shows nothing of them.
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
      // What is deleted is still related to all that there is.
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
