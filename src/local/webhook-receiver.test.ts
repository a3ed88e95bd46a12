import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Received, type Receiver, startReceiver } from './webhook-receiver.ts'
import { deliveryText } from './webhooks.ts'

const secret = `whsec_${btoa('s'.repeat(32))}`
const shown: Received[] = []
let receiver: Receiver
let draw = 0.5

beforeEach(async () => {
  shown.length = 0
  receiver = await startReceiver({
    port: 0,
    failRate: 0.2,
    random: () => draw,
    show: (each) => shown.push(each),
  })
})
afterEach(() => receiver.close())

async function deliver(body: string, signedBody = body): Promise<number> {
  const now = new Date()
  const headers = {
    'webhook-id': 'one',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('one', now, signedBody),
    'service-topic': 'product/created',
    'service-delivery-attempt': '2',
    authorization: 'not shown',
  }
  return (await fetch(receiver.url, { method: 'POST', headers, body })).status
}

test('a good delivery is 204, a forged one 401, and some are failed on purpose', async () => {
  expect(await deliver('{}')).toBe(401)
  receiver.trust(secret)
  expect(await deliver('{"title":"Shirt"}')).toBe(204)
  expect(await deliver('{"title":"Shirt"}', '{"title":"Other"}')).toBe(401)
  draw = 0.1
  expect(await deliver('{}')).toBe(500)
  expect(shown.map(({ status, fault }) => [status, fault])).toEqual([
    [401, 'the secret is not known yet'],
    [204, undefined],
    [401, 'No matching signature found'],
    [500, undefined],
  ])
})

test('a delivery is shown with what sums it up, its own headers and its body indented', async () => {
  draw = 0.9
  receiver.trust(secret)
  await deliver('{"title":"Shirt","price":1.5,"tags":[]}')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
  const text = deliveryText(shown[0]!, new Date('2026-11-21T18:00:00.123Z')).replace(/\u001b\[\d+m/g, '')
  expect(text).toMatch(/^18:00:00\.123 product\/created, attempt 2 {2}✔ signature holds\n/)
  expect(text).toContain('  webhook-id: one\n')
  expect(text).toContain('  {\n    "title": "Shirt",\n    "price": 1.5,\n    "tags": []\n  }\n')
  expect(text).not.toContain('not shown')
})
