/** Rules of every operation: replays, strict handling, ignored members, the sequence. */
import { beforeAll, describe, expect, test } from 'vitest'
import { comparesIfMatch, type Operation } from '../../src/core/operation.ts'
import { operations, operationsOf } from '../documents/published.ts'
import { addressOf, type Sample, sampleCalls } from '../support/samples.ts'
import { type Asked, openShop, type Reply, type Shop } from '../support/shop.ts'

const named = (list: readonly Operation[]) =>
  list.map((each) => [`${each.method} ${each.path}`, each] as const)
const reads = operations.filter((each) => each.method === 'GET')
const writes = operationsOf('unstable').filter((each) => each.method !== 'GET')

/** Of what the service is, not of what the tenant has. */
const constant = /^\/api\/(error-codes|versions|price_policies|webhook_topics|metafield_definition_types)/

let shop: Shop
let sampleOf: (operation: Operation) => Sample
const open = async () => {
  shop = await openShop()
  sampleOf = await sampleCalls(shop)
}
beforeAll(open)

function call(operation: Operation, sample: Sample, more = '', asked: Asked = {}): Promise<Reply> {
  const { body } = sample
  const version = operation.onlyIn ? { version: operation.onlyIn } : {}
  return shop.request(operation.method, addressOf(operation, sample, { more }), {
    ...(body !== undefined && { body }),
    ...version,
    ...asked,
  })
}

/** The body of a sample, or each element of a batch, with one more member. */
function withMember({ body }: Sample, name: string, value: unknown): unknown {
  return Array.isArray(body)
    ? body.map((each) => ({ ...each, [name]: value }))
    : { ...(body as object), [name]: value }
}

async function sequence(): Promise<number> {
  await shop.rest()
  const { headers } = await shop.get('/api/products?itemsPerPage=0', { status: 200 })
  return Number(headers.get('service-sequence'))
}

describe('Service-Sequence', () => {
  test.each(named(reads.filter((each) => !constant.test(each.path))))(
    '%s returns it',
    async (_, operation) => {
      const before = await sequence()
      const reply = await call(operation, sampleOf(operation))
      expect(reply.headers.get('service-sequence'), reply.text).toBe(String(before))
    },
  )
})

describe('unknown parameters', () => {
  test.each(named(reads))('%s names them, and refuses them strictly', async (_, operation) => {
    const sample = sampleOf(operation)
    const lenient = await call(operation, sample, 'pgae=1&zz[a]=2', { status: 200 })
    expect(lenient.headers.get('service-ignored-parameters')).toBe('pgae, zz[a]')
    const strict = { headers: { prefer: 'handling=strict' }, status: 422 }
    const { body } = await call(operation, sample, 'pgae=1&zz[a]=2', strict)
    expect(body.slug).toBe('validation.unknown_parameter')
    const paths = body.violations.map((each: { propertyPath: string }) => each.propertyPath)
    expect(paths).toEqual(['pgae', 'zz[a]'])
  })
})

describe('unknown members', () => {
  const taking = writes.filter((each) => each.body && each.method !== 'PUT')
  test.each(named(taking))(
    '%s refuses them strictly, and passes them over otherwise',
    async (_, operation) => {
      const sample = sampleOf(operation)
      const body = withMember(sample, 'zzz', { a: 1 })
      const path = operation.body?.isBatch ? '[0].zzz' : 'zzz'
      const before = await sequence()
      const strict = { headers: { prefer: 'handling=strict' }, status: 422 }
      const refused = await call(operation, { ...sample, body }, '', strict)
      expect(refused.body.slug).toBe('validation.unknown_property')
      expect(refused.body.violations).toMatchObject([{ propertyPath: path }])
      expect(await sequence()).toBe(before)
      const taken = await call(operation, { ...sample, body })
      expect([200, 201, 202], taken.text).toContain(taken.status)
      expect(taken.headers.get('service-ignored-properties')).toBe(path)
      expect(taken.text).not.toContain('zzz')
    },
  )
})

describe('If-Match', () => {
  const comparing = writes.filter(comparesIfMatch)

  test('every PUT, PATCH and DELETE compares it, and each POST that declares it', () => {
    const posts = comparing.filter(({ method, path }) => method === 'POST' && !path.endsWith('/revert'))
    expect(posts.map(({ name }) => name)).toEqual(['addCollectionProducts', 'rotateWebhookSecret'])
    const changes = writes.filter(({ method, body }) => method !== 'POST' && !body?.isBatch)
    expect(comparing).toEqual(expect.arrayContaining(changes))
  })

  test.each(named(comparing))(
    '%s under an old entity tag is 412 and changes nothing',
    async (_, operation) => {
      const before = await sequence()
      const old = { headers: { 'if-match': '"999.x"' }, status: 412 }
      const { body } = await call(operation, sampleOf(operation), '', old)
      expect(body).toMatchObject({ slug: 'concurrency.version_mismatch', currentVersion: expect.any(Number) })
      expect(await sequence()).toBe(before)
    },
  )
})

describe('Idempotency-Key', () => {
  // A shop of its own: resources of the tests above would conflict with the ones created here.
  beforeAll(open)
  const again = '%s again under its key is the same answer and no second change'
  test.each(named(writes))(again, async (_, operation) => {
    const sample = sampleOf(operation)
    const key = { headers: { 'idempotency-key': operation.name } }
    const first = await call(operation, sample, '', key)
    expect(first.status, first.text).toBeLessThan(300)
    expect(first.headers.has('idempotency-replayed')).toBe(false)
    const before = await sequence()
    const second = await call(operation, sample, '', key)
    const replayed = second.headers.get('idempotency-replayed')
    expect([second.status, replayed], second.text).toEqual([first.status, 'true'])
    expect(second.body).toEqual(first.body)
    for (const name of ['location', 'etag', 'content-type'])
      expect(second.headers.get(name), name).toBe(first.headers.get(name))
    if (operation.body) {
      const body = withMember(sample, 'zzz', 1)
      const reused = await call(operation, { ...sample, body }, '', { ...key, status: 422 })
      expect(reused.body.slug).toBe('idempotency.key_reused')
    }
    expect(await sequence()).toBe(before)
  })
})
