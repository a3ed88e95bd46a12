/** What every operation keeps to, in every version: a new resource inherits these checks. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Operation } from '../src/core/operation.ts'
import { allScopes } from '../src/core/scopes.ts'
import { resources } from '../src/resources/index.ts'
import { versions } from '../src/versions/index.ts'
import { type Sample, sampleCalls } from './support/samples.ts'
import { type Asked, openShop } from './support/shop.ts'

type Shop = Awaited<ReturnType<typeof openShop>>

const operations = resources.flatMap((each) => each.operations)
const unknownId = '01900000-0000-7000-8000-000000000000'

const address = (operation: Operation, params: Readonly<Record<string, string>>) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? unknownId)

function call(shop: Shop, operation: Operation, { params, body }: Sample, options: Asked = {}) {
  const method = operation.method.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete'
  return shop[method](address(operation, params), { ...(body === undefined ? {} : { body }), ...options })
}

const withId = operations.filter((each) => each.path.includes('{') && !each.params)

describe.each(versions.map((each) => each.name))('in version %s', (version) => {
  const served = operations.filter((each) => each.onlyIn === undefined || each.onlyIn === version)

  describe.each(served.map((each) => [`${each.method} ${each.path}`, each] as const))(
    '%s',
    (_, operation) => {
      let shop: Shop
      let sample: Sample
      beforeAll(async () => {
        shop = await openShop()
        sample = (await sampleCalls(shop))(operation)
      })

      test('answers as documented', async () => {
        const reply = await call(shop, operation, sample, { version })
        const expected = operation.answers === 'empty' ? 204 : operation.method === 'POST' ? 201 : 200
        expect(reply.status, reply.text).toBe(expected)
        expect(reply.headers.get('Service-Api-Version')).toBe(version)
        expect(reply.headers.get('Link')).toMatch(
          /^<http[^>]+>; rel="http:\/\/www\.w3\.org\/ns\/hydra\/core#apiDocumentation"/,
        )
        const trips = Number(/db;[^,]*desc="(\d+)"/.exec(reply.headers.get('Server-Timing') ?? '')?.[1] ?? 0)
        expect(trips).toBeLessThanOrEqual(operation.method === 'GET' ? 1 : 2)
        if (operation.answers === 'empty') return
        const documents = operation.answers === 'collection' ? [...reply.body.member] : [reply.body]
        expect(documents.length).toBeGreaterThan(0)
        for (const document of documents) {
          const known = [
            '@context',
            '@id',
            '@type',
            'id',
            'fallbacks',
            ...Object.keys(operation.shape.properties),
          ]
          expect(document['@type']).toBe(operation.shape.type)
          expect(
            Object.keys(document).filter((name) => name !== 'childrens' && !known.includes(name)),
          ).toEqual([])
        }
        const oldName = version < '2026-07'
        expect(reply.text.includes(oldName ? '"children"' : '"childrens"')).toBe(false)
      })
    },
  )
})

describe.each(operations.map((each) => [`${each.method} ${each.path}`, each] as const))(
  '%s',
  (_, operation) => {
    let shop: Shop
    let sample: Sample
    beforeAll(async () => {
      shop = await openShop()
      sample = (await sampleCalls(shop))(operation)
    })
    const version = operation.onlyIn ? { version: operation.onlyIn } : {}

    test('without a token is 401', async () => {
      const reply = await call(shop, operation, sample, { token: null, ...version })
      expect(reply.status, reply.text).toBe(401)
      expect(reply.headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
    })

    test.runIf(operation.scope !== null)('without its scope is 403 that names it', async () => {
      const token = await shop.token({
        scope: allScopes.filter((each) => each !== operation.scope).join(' '),
      })
      const reply = await call(shop, operation, sample, { token, ...version })
      expect(reply.status, reply.text).toBe(403)
      expect(reply.body.slug).toBe('auth.insufficient_scope')
      expect(reply.headers.get('WWW-Authenticate')).toContain(`scope="${operation.scope}"`)
      expect(reply.body).not.toHaveProperty('missingPermissions')
    })

    test.runIf(operation.scope !== null)(
      'for a person without the permission is 403 that lists it',
      async () => {
        const token = await shop.token({ sub: 'person' })
        const reply = await call(shop, operation, sample, { token, ...version })
        expect(reply.status, reply.text).toBe(403)
        expect(reply.body.missingPermissions).toEqual([`identity:${operation.scope}`])
      },
    )

    test('in an unknown version is 400', async () => {
      const reply = await call(shop, operation, sample, { version: '2020-01' })
      expect(reply.status, reply.text).toBe(400)
      expect(reply.body.slug).toBe('version.unknown')
    })

    test.runIf(operation.body)('with another content type is 415', async () => {
      const reply = await call(shop, operation, sample, {
        ...version,
        headers: { 'Content-Type': 'text/plain' },
      })
      expect(reply.status, reply.text).toBe(415)
    })

    test.runIf(withId.includes(operation))(
      'with an unknown id is 404, and so is an id of another tenant',
      async () => {
        const unknown = await call(shop, operation, { ...sample, params: {} }, version)
        expect(unknown.status, unknown.text).toBe(404)
        const other = await openShop()
        const foreign = await call(other, operation, sample, version)
        expect(foreign.status, foreign.text).toBe(404)
        expect(foreign.body.slug).toBe(unknown.body.slug)
      },
    )
  },
)

describe('events', () => {
  const owner = new pg.Client(inject('ownerUrl'))
  beforeAll(() => owner.connect())
  afterAll(() => owner.end())
  const topics = async (shop: Shop) => {
    const { rows } = await owner.query('select topic from events where tenant_id = $1 order by sequence', [
      shop.tenant.id,
    ])
    return rows.map((each) => each.topic as string)
  }
  const writes = operations.filter((each) => each.method !== 'GET')

  test.each(writes.map((each) => [`${each.method} ${each.path}`, each] as const))(
    '%s records one event for the resource, and none when it fails',
    async (_, operation) => {
      const shop = await openShop()
      const sample = (await sampleCalls(shop))(operation)
      const before = (await topics(shop)).length
      if (operation.body) {
        const failed = await call(shop, operation, { ...sample, body: { title: 7, currency: 7, sku: 7 } })
        expect(failed.status, failed.text).toBe(422)
        expect(await topics(shop)).toHaveLength(before)
      }
      const done = await call(shop, operation, sample)
      expect(done.status, done.text).toBeLessThan(300)
      const recorded = (await topics(shop)).slice(before)
      const own = recorded.filter((topic) => topic.split('/')[0] === operation.emits?.[0]?.split('/')[0])
      expect(own).toHaveLength(1)
      expect(operation.emits).toContain(own[0])
      expect(recorded.filter((topic) => !operation.emits?.includes(topic))).toEqual([])
    },
  )
})
