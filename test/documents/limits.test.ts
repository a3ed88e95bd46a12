import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { limits, limitsTable } from '../../src/docs/limits.ts'
import { longestLifetime } from '../../src/http/jwt.ts'
import { rateLimits, rejectionLimit } from '../../src/http/rate-limit.ts'
import { deliveryDays } from '../../src/resources/webhooks/deliveries/reopen.ts'
import { disabledAfter, gaps, maximumAttempts } from '../../src/resources/webhooks/dispatch/schedule.ts'
import { openShop } from '../support/shop.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../.github/docs/limits.md', import.meta.url).href),
  'utf8',
)

test('the page of limits has the numbers that the service goes by', () => {
  expect(page).toContain(limitsTable())
})

test('the page of limits has those of requests and time', () => {
  const hours = gaps.reduce((sum, gap) => sum + gap, 0) / 3_600_000
  const told = [
    ...[rateLimits.reads, rateLimits.writes, rejectionLimit].map(
      (each) => `${each.requests} in ${each.seconds} s`,
    ),
    `| the lifetime of a token | ${longestLifetime.toLocaleString('en-US')} s |`,
    `| a delivery and its log are stored for | ${deliveryDays} days |`,
    `| attempts of a delivery | ${maximumAttempts}, over ${Math.round(hours)} hours |`,
    `| nothing but failures of a subscription | ${disabledAfter / 86_400_000} days |`,
  ]
  expect(told.filter((each) => !page.includes(each))).toEqual([])
})

test('the OpenAPI document tells them to programs', async () => {
  const shop = await openShop()
  const { body } = await shop.get('/api/openapi.json', { status: 200 })
  expect(body.info['x-limits']).toEqual(limits)
})
