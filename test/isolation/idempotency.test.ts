/** Idempotency keys of people who use the same client, and of people who may do less when they retry. */
import { beforeEach, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const subscriptions = '/api/webhook_subscriptions'
const subscription = { topic: 'category/*', callbackUrl: 'http://127.0.0.1:9/webhooks' }
const headers = { 'idempotency-key': 'key-1' }

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

/** The token of a person who uses the client of all others. */
const person = (sub: string, permissions: readonly string[] = ['identity:*'], scope?: string) =>
  shop.token({ sub, permissions, ...(scope !== undefined && { scope }) })

describe('the same key, client and body of another subject', () => {
  test('creates a second subscription and returns its own secret', async () => {
    const [ann, ben, application] = [await person('ann'), await person('ben'), await shop.token()]
    const create = (token: string) =>
      shop.post(subscriptions, { body: subscription, headers, token, status: 201 })
    const created = [await create(ann), await create(ben), await create(application)]
    const secrets = created.map(({ body }) => body.secret)
    expect(new Set(secrets).size).toBe(3)
    expect(created.map((reply) => reply.headers.get('Idempotency-Replayed'))).toEqual([null, null, null])
    // Each subject gets its own response again, in whatever order the retries arrive.
    for (const [index, token] of [application, ann, ben].entries()) {
      const replayed = await create(token)
      expect(replayed.headers.get('Idempotency-Replayed')).toBe('true')
      expect(replayed.body.secret).toBe(secrets[(index + 2) % 3])
    }
    expect((await shop.get(subscriptions)).body.totalItems).toBe(3)
  })

  test('rotates the secret again and returns its own', async () => {
    const body = await shop.create(subscriptions, subscription)
    const rotate = async (token: string) =>
      (await shop.post(`${body['@id']}/rotate_secret`, { headers, token, status: 200 })).body.secret
    const [ann, ben] = [await person('ann'), await person('ben')]
    const first = await rotate(ann)
    expect(await rotate(ben)).not.toBe(first)
    expect(await rotate(ann)).toBe(first)
  })

  test('runs at the same moment without waiting for the first', async () => {
    const people = ['ann', 'ben', 'eve', 'joe']
    const replies = await Promise.all(
      people.map(async (name) =>
        shop.post('/api/categories', {
          body: { title: 'Shirts' },
          headers,
          token: await person(name),
          status: 201,
        }),
      ),
    )
    expect(new Set(replies.map((reply) => reply.body['@id'])).size).toBe(people.length)
  })
})

test('the same key of another subject with another body is not a reused key', async () => {
  const create = async (name: string, title: string, status: number) =>
    shop.post('/api/categories', { body: { title }, headers, token: await person(name), status })
  await create('ann', 'Shirts', 201)
  expect((await create('ben', 'Trousers', 201)).body.title).toBe('Trousers')
  expect((await create('ann', 'Trousers', 422)).body.slug).toBe('idempotency.key_reused')
})

test('a key of an update that changes nothing belongs to its subject', async () => {
  const body = await shop.create('/api/categories', { title: 'Shirts' })
  const patch = async (name: string) =>
    shop.patch(body['@id'], { body: { title: 'Shirts' }, headers, token: await person(name), status: 200 })
  expect((await patch('ann')).headers.get('Idempotency-Replayed')).toBeNull()
  expect((await patch('ben')).headers.get('Idempotency-Replayed')).toBeNull()
  expect((await patch('ann')).headers.get('Idempotency-Replayed')).toBe('true')
})

describe('a retry by a person who may do less than before', () => {
  test('without the permission or the scope of the operation is 403 and returns no secret', async () => {
    const asked = { body: subscription, headers }
    await shop.post(subscriptions, { ...asked, token: await person('ann'), status: 201 })
    const unpermitted = await shop.post(subscriptions, {
      ...asked,
      token: await person('ann', ['identity:categories:*', 'identity:webhook_subscriptions:read']),
      status: 403,
    })
    expect(unpermitted.body.slug).toBe('auth.permission_denied')
    const unscoped = await shop.post(subscriptions, {
      ...asked,
      token: await person('ann', ['identity:*'], 'webhook_subscriptions:read categories:read'),
      status: 403,
    })
    expect(unscoped.body.slug).toBe('auth.insufficient_scope')
    expect(unpermitted.text + unscoped.text).not.toContain('whsec_')
  })

  test('is 403 without a scope that only stored rows made the first request need', async () => {
    const body = await shop.create(subscriptions, { ...subscription, topic: 'product/*' })
    const move = { body: { callbackUrl: 'http://127.0.0.1:9/moved' }, headers }
    const scopes = 'webhook_subscriptions:read webhook_subscriptions:write'
    await shop.patch(body['@id'], {
      ...move,
      token: await person('ann', ['identity:*'], `${scopes} products:read`),
      status: 200,
    })
    const retry = await shop.patch(body['@id'], {
      ...move,
      token: await person('ann', ['identity:*'], scopes),
      status: 403,
    })
    expect(retry.body.slug).toBe('auth.insufficient_scope')
    const allowed = await shop.patch(body['@id'], {
      ...move,
      token: await person('ann', ['identity:*'], `${scopes} products:read`),
      status: 200,
    })
    expect(allowed.headers.get('Idempotency-Replayed')).toBe('true')
  })

  test('shows only the properties that the person may see now', async () => {
    const product = await shop.create('/api/products', { title: 'Shirt' })
    const variant = await shop.create(`${product['@id']}/variants`, { sku: 'S-1' })
    const offer = { variant: variant['@id'], supplier: 'textile-works', cost: '7.50', currency: 'EUR' }
    const create = async (scope: string) =>
      shop.post('/api/purchase_offers', {
        body: offer,
        headers,
        token: await person('ann', ['identity:*'], scope),
        status: 201,
      })
    const created = await create('purchase_offers:write purchase_offers:read products:read')
    expect(created.body.cost).toBe('7.50')
    const replayed = await create('purchase_offers:write products:read')
    expect(replayed.headers.get('Idempotency-Replayed')).toBe('true')
    expect(replayed.body['@id']).toBe(created.body['@id'])
    expect(replayed.body).not.toHaveProperty('cost')
  })
})
