import { beforeAll, expect, inject, test } from 'vitest'
import type { Bindings } from '../../src/env.ts'
import { createApp } from '../support/app.ts'
import { executionContext } from '../support/later.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

async function ask(bindings: Bindings, path = '/api/products') {
  const headers = { authorization: `Bearer ${await shop.token()}`, 'service-locale': 'fr-FR' }
  const request = new Request(`http://${shop.host}${path}`, { headers })
  const response = await createApp().fetch(request, bindings, executionContext)
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

test.each([
  ['local', 'npm start'],
  ['production', 'npm run doctor'],
  ['secret-environment', 'npm run doctor'],
])(
  'a Worker without valid settings in %s answers every request with 503 and names %s',
  async (ENVIRONMENT, command) => {
    const bindings = { ENVIRONMENT, DATABASE_URL: 'postgresql://secret-user' }
    for (const path of ['/api/products', '/ready', '/admin', '/api/openapi.json', '/nowhere']) {
      const { status, headers, text } = await ask(bindings, path)
      expect(status, text).toBe(503)
      expect(headers.get('retry-after')).toBe('60')
      expect(headers.get('content-type')).toBe('application/problem+json')
      const { slug, code, detail } = JSON.parse(text)
      expect({ slug, code }).toEqual({ slug: 'server.invalid_settings', code: 'SRV-1008' })
      expect(detail).toContain(`"${command}"`)
      expect(detail.match(/\./g)).toHaveLength(1)
      expect(text).not.toMatch(/DATABASE_URL|secret-/)
    }
  },
)
