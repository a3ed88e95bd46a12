/**
 * The body of a delivery, read from the log: the bytes that its receiver got, even if the resource has
 * changed since.
 */
import { beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/support/webhooks.ts'
import { allScopes } from '../../index.ts'

const path = '/api/webhook_subscriptions'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

/** The IRIs of a subscription's deliveries, oldest first. */
async function deliveries(id: string): Promise<string[]> {
  const body = await world.shop.read(`${path}/${id}/deliveries`)
  return body.member.map((delivery: { '@id': string }) => delivery['@id']).toReversed()
}

const tokenWithout = (scope: string) =>
  world.shop.token({ scope: allScopes.filter((name) => name !== scope).join(' ') })

/** Creates a product in a category, renames it and archives it. */
async function recordHistory(): Promise<string> {
  const { shop } = world
  const category = await shop.create('/api/categories', { title: 'Shoes' })
  const body = { title: 'Boot', vendor: 'Cobbler', categories: [category['@id']] }
  const boot = await shop.create('/api/products', body)
  await shop.update(boot['@id'], { title: 'Botte' }, { locale: 'fr-FR' })
  await shop.update(boot['@id'], { title: 'Low boot' })
  await shop.delete(boot['@id'], { status: 204 })
  await shop.delete(category['@id'], { status: 204 })
  await world.drain()
  return boot['@id']
}

test('a delivery body equals the sent body byte for byte, after changes of the subscription and deletion of the resource', async () => {
  const settings = [
    { callbackUrl: 'https://hooks.shop.dev/all' },
    { callbackUrl: 'https://hooks.shop.dev/old', payloadVersion: '2026-01', locale: 'fr-FR' },
    { callbackUrl: 'https://hooks.shop.dev/few', includeFields: ['title', 'version'] },
  ]
  const subscriptions = []
  for (const row of settings) subscriptions.push({ ...row, ...(await world.subscribe(row)) })
  await recordHistory()
  for (const { id, callbackUrl } of subscriptions) {
    await world.change(id, { include_fields: '["vendor"]', payload_version: null, locale: null })
    const bodies = []
    for (const delivery of await deliveries(id)) {
      const body = await world.shop.read(`${delivery}/body`)
      const { webhookId } = await world.shop.read(delivery)
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
    const receipts = world.receipts.filter(({ url }) => url === callbackUrl)
    expect(bodies.length).toBeGreaterThan(5)
    expect(bodies.toSorted()).toEqual(
      receipts.map(({ headers, text }) => [headers['webhook-id'], text]).toSorted(),
    )
  }
})

test('a delivery body contains only data that the caller may read', async () => {
  const { id } = await world.subscribe({ topic: 'product/created' })
  await recordHistory()
  const [delivery] = await deliveries(id)
  const bodyFor = async (token: string) => await world.shop.read(`${delivery}/body`, { token })
  expect(JSON.parse((await bodyFor(await world.shop.token())).body)).toMatchObject({
    title: 'Boot',
    categories: [{ title: 'Shoes' }],
  })
  expect(await bodyFor(await tokenWithout('products:read'))).toMatchObject({ body: null, error: 'withheld' })
})

test('a delivery body is null with a reason if the receiver may not read it or the event is too old', async () => {
  const { id } = await world.subscribe({ topic: 'product/created' })
  const blind = await world.subscribe({
    topic: 'product/created',
    callbackUrl: 'https://hooks.shop.dev/blind',
    scopes: allScopes.filter((name) => name !== 'products:read'),
  })
  await recordHistory()
  const bodyFor = async (subscriptionId: string) =>
    await world.shop.read(`${(await deliveries(subscriptionId))[0]}/body`)
  expect(await bodyFor(blind.id)).toMatchObject({ body: null, error: 'withheld' })
  await world.owner(`update events set occurred_at = occurred_at - interval '91 days' where tenant_id = $1`)
  expect(await bodyFor(id)).toMatchObject({ body: null, error: 'event_expired' })
})
