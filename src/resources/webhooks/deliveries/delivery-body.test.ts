/** What a delivery carries, read from the log: the bytes that its receiver got, whatever happened to the resource since. */
import { beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/support/webhooks.ts'
import { allScopes } from '../../index.ts'

const path = '/api/webhook_subscriptions'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

/** The deliveries of a subscription, the oldest first. */
async function deliveries(id: string): Promise<string[]> {
  const { body } = await world.shop.get(`${path}/${id}/deliveries`, { status: 200 })
  return body.member.map((each: { '@id': string }) => each['@id']).toReversed()
}

const without = (scope: string) =>
  world.shop.token({ scope: allScopes.filter((each) => each !== scope).join(' ') })

/** A product that is made in a category, renamed and taken down. */
async function history(): Promise<string> {
  const { shop } = world
  const { body: category } = await shop.post('/api/categories', { body: { title: 'Shoes' }, status: 201 })
  const body = { title: 'Boot', vendor: 'Cobbler', categories: [category['@id']] }
  const { body: boot } = await shop.post('/api/products', { body, status: 201 })
  await shop.patch(boot['@id'], { body: { title: 'Botte' }, locale: 'fr-FR', status: 200 })
  await shop.patch(boot['@id'], { body: { title: 'Low boot' }, status: 200 })
  await shop.delete(boot['@id'], { status: 204 })
  await shop.delete(category['@id'], { status: 204 })
  await world.drain()
  return boot['@id']
}

test('is what was sent, to the byte, for each event and as the subscription was, also when the resource is gone', async () => {
  const wanted = [
    { callbackUrl: 'https://hooks.shop.dev/all' },
    { callbackUrl: 'https://hooks.shop.dev/old', payloadVersion: '2026-01', locale: 'fr-FR' },
    { callbackUrl: 'https://hooks.shop.dev/few', includeFields: ['title', 'version'] },
  ]
  const made = []
  for (const row of wanted) made.push({ ...row, ...(await world.subscribe(row)) })
  await history()
  for (const { id, callbackUrl } of made) {
    await world.change(id, { include_fields: '["vendor"]', payload_version: null, locale: null })
    const bodies = []
    for (const delivery of await deliveries(id)) {
      const { body } = await world.shop.get(`${delivery}/body`, { status: 200 })
      const { webhookId } = (await world.shop.get(delivery, { status: 200 })).body
      expect(body).toEqual({
        '@context': '/api/contexts/WebhookDeliveryBody',
        '@id': `${delivery}/body`,
        '@type': 'WebhookDeliveryBody',
        subscription: `${path}/${id}`,
        delivery,
        webhookId,
        body: expect.any(String),
        error: null,
      })
      bodies.push([webhookId, body.body])
    }
    const sent = world.receipts.filter(({ url }) => url === callbackUrl)
    expect(bodies.length).toBeGreaterThan(5)
    expect(bodies.toSorted()).toEqual(
      sent.map(({ headers, text }) => [headers['webhook-id'], text]).toSorted(),
    )
  }
})

test('shows a caller no more than it may read', async () => {
  const { id } = await world.subscribe({ topic: 'product/created' })
  await history()
  const [delivery] = await deliveries(id)
  const read = async (token: string) =>
    (await world.shop.get(`${delivery}/body`, { token, status: 200 })).body
  expect(JSON.parse((await read(await world.shop.token())).body)).toMatchObject({
    title: 'Boot',
    categories: [{ title: 'Shoes' }],
  })
  expect(await read(await without('products:read'))).toMatchObject({ body: null, error: 'withheld' })
})

test('is absent, and says why, where the receiver may not see it and where the event is too old', async () => {
  const { id } = await world.subscribe({ topic: 'product/created' })
  const blind = await world.subscribe({
    topic: 'product/created',
    callbackUrl: 'https://hooks.shop.dev/blind',
    scopes: allScopes.filter((each) => each !== 'products:read'),
  })
  await history()
  const read = async (of: string) =>
    (await world.shop.get(`${(await deliveries(of))[0]}/body`, { status: 200 })).body
  expect(await read(blind.id)).toMatchObject({ body: null, error: 'withheld' })
  await world.owner(`update events set occurred_at = occurred_at - interval '91 days' where tenant_id = $1`)
  expect(await read(id)).toMatchObject({ body: null, error: 'event_expired' })
})

test('of another subscription is 404', async () => {
  const [one, other] = [
    await world.subscribe({ topic: 'product/created' }),
    await world.subscribe({ topic: 'variant/*', callbackUrl: 'https://hooks.shop.dev/other' }),
  ]
  await history()
  const [delivery = ''] = await deliveries(one.id)
  const elsewhere = delivery.replace(one.id, other.id)
  const { body } = await world.shop.get(`${elsewhere}/body`, { status: 404 })
  expect(body.slug).toBe('webhook.delivery_not_found')
})
