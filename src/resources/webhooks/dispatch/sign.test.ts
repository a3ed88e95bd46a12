import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { mintSecret } from '../subscriptions/secrets.ts'
import { signedHeaders } from './attempt.ts'

const signed = {
  eventId: '0198c0de-0000-7000-8000-000000000001',
  subscriptionId: '0198c0de-0000-7000-8000-000000000002',
  topic: 'product/updated',
  payloadVersion: '2026-10',
  sequence: 7,
  effectiveAt: null,
  resourceVersion: 3,
  number: 2,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}

test('standardwebhooks verifies any body with each live secret and with no other', async () => {
  const text = fc.oneof(fc.json(), fc.string({ unit: 'grapheme' }).map(JSON.stringify))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 3 }), async (body, count) => {
      const secrets = Array.from({ length: count }, mintSecret)
      const headers = await signedHeaders(signed, body, secrets, new Date())
      for (const secret of secrets)
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      expect(() => new Webhook(mintSecret()).verify(body, headers)).toThrow('No matching signature')
      expect(() => new Webhook(secrets[0]!).verify(`${body} `, headers)).toThrow('No matching signature')
      const otherHeaders = { ...headers, 'webhook-id': `${headers['webhook-id']}0` }
      expect(() => new Webhook(secrets[0]!).verify(body, otherHeaders)).toThrow('No matching signature')
    }),
    { numRuns: 200 },
  )
})

test('the headers describe the delivery without its body', async () => {
  const secrets = [mintSecret(), mintSecret()]
  const now = new Date('2026-11-21T10:00:00.900Z')
  expect(await signedHeaders(signed, '{}', secrets, now)).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': expect.stringMatching(/^[\w-]+\/\d/),
    'webhook-id': '0198c0de-0000-7000-8000-000000000001_0198c0de-0000-7000-8000-000000000002',
    'webhook-timestamp': '1795255200',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/),
    'Service-Topic': 'product/updated',
    'Service-Api-Version': '2026-10',
    'Service-Sequence': '7',
    'Service-Resource-Version': '3',
    'Service-Delivery-Attempt': '2',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
})
