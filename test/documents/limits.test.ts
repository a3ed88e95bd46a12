import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { limits, limitsTable } from '../../src/docs/limits.ts'
import { openShop } from '../support/shop.ts'

test('the page of limits has the numbers that the service goes by', () => {
  const page = readFileSync(fileURLToPath(new URL('../../.github/limits.md', import.meta.url).href), 'utf8')
  expect(page).toContain(limitsTable())
})

test('the OpenAPI document tells them to programs', async () => {
  const shop = await openShop()
  const { body } = await shop.get('/api/openapi.json', { status: 200 })
  expect(body.info['x-limits']).toEqual(limits)
})
