import { beforeAll, expect, inject, test } from 'vitest'
import type { Bindings } from '../../src/env.ts'
import { createApp } from '../support/app.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext

async function ask(bindings: Bindings) {
  const headers = { authorization: `Bearer ${await shop.token()}`, 'service-locale': 'fr-FR' }
  const request = new Request(`http://${shop.host}/api/products`, { headers })
  const response = await createApp().fetch(request, bindings, context)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('without a database the answer is 503 with a time to come back', async () => {
  const { status, headers, text } = await ask({
    DATABASE_URL: inject('appUrl'),
    // Nothing listens on the port of the discard protocol.
    NEON_FETCH_ENDPOINT: 'http://127.0.0.1:9/sql',
    ENVIRONMENT: 'local',
  })
  expect(status, text).toBe(503)
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(JSON.parse(text).slug).toBe('server.storage_unavailable')
})

test('a Worker that is set up wrong says nothing of it outside', async () => {
  const { status, text } = await ask({ ENVIRONMENT: 'local', DATABASE_URL: '' })
  expect(status).toBe(500)
  expect(JSON.parse(text).slug).toBe('server.unexpected')
  expect(text).not.toContain('DATABASE_URL')
})
