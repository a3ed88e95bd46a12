import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { openWorld } from '../support/webhooks.ts'

test('a created product reaches its subscriber, signed, as the event left it', async () => {
  const world = await openWorld()
  const { id, secret } = await world.subscribe({ topic: 'product/*' })
  const made = await world.shop.post('/api/products', { body: { title: 'Shirt' }, status: 201 })
  await world.drain()

  expect(world.receipts).toHaveLength(1)
  const [{ url, headers, text, body }] = world.receipts as [(typeof world.receipts)[0]]
  expect(url).toBe('https://hooks.shop.dev/in')
  const { body: feed } = await world.shop.get('/api/events')
  const [event] = feed.member
  expect(body).toEqual({ '@context': '/api/contexts/Product', ...event.document })
  expect(body['@id']).toBe(made.body['@id'])
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': `${event.id}_${id}`,
    'service-topic': 'product/created',
    'service-api-version': '2026-10',
    'service-sequence': '1',
    'service-resource-version': '1',
    'service-delivery-attempt': '1',
  })
  expect(new Webhook(secret).verify(text, headers)).toEqual(body)
})
