/** The page of limits is generated from the limits in the code. `npm test -- documents/limits -u` writes it again. */
import { expect, test } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { limits } from '../../src/docs/limits.ts'
import { longestLifetime } from '../../src/http/jwt.ts'
import { rateLimits, rejectionLimit } from '../../src/http/rate-limit.ts'
import { pricesKeptDays } from '../../src/resources/prices/price-index.ts'
import { deliveryDays } from '../../src/resources/webhooks/deliveries/reopen.ts'
import { disabledAfter, gaps, maximumAttempts } from '../../src/resources/webhooks/dispatch/schedule.ts'
import { openShop } from '../support/shop.ts'

const number = (value: number) => value.toLocaleString('en-US')
const rate = ({ requests, seconds }: { requests: number; seconds: number }) => `${requests} in ${seconds} s`
const hours = Math.round(gaps.reduce((sum, gap) => sum + gap, 0) / 3_600_000)
const days = (milliseconds: number) => `${milliseconds / 86_400_000} days`

/** Limits of requests and of time, which `x-limits` does not contain. */
const others: readonly (readonly [of: string, most: string, beyond: string])[] = [
  ['reads of one client (`client_id` of a tenant)', rate(rateLimits.reads), '429 with `Retry-After`'],
  ['its writes; ten rows of a bulk count as one', rate(rateLimits.writes), '429'],
  ['rejections of one address: unknown hosts, bad tokens', rate(rejectionLimit), '429'],
  ['an address with its query', '16,384 characters', '414'],
  ['a query, as links repeat it', '8,192 characters', '414'],
  ['a token', '8,192 characters', '401'],
  ['the lifetime of a token', `${number(longestLifetime)} s`, '401'],
  ['rows of a bulk', '250; products 50, products of a collection 100', '422'],
  ['an idempotency key of one subject of a client is stored for', '24 hours', 'the request runs again'],
  [
    'the document of an event is stored for',
    '90 days, or longer if a later event shows it',
    '`changes` stay',
  ],
  ['a delivery and its log are stored for', `${deliveryDays} days`, 'they are deleted'],
  ['a price in a market that has ended is stored for', `${pricesKeptDays} days`, 'it is deleted'],
  ["status and headers of a receiver's response", '15 s', 'the attempt failed'],
  ["body of a receiver's response", '250 ms, 4,096 bytes', 'the service cancels it; the status decides'],
  ['a batch of the queue waits for its receivers', '100 ms', 'its attempts continue in the background'],
  [
    'attempts in the background of one isolate',
    '200, with 6 MB of bodies',
    'a batch waits for its receivers',
  ],
  ['attempts of a delivery', `${maximumAttempts}, over ${hours} hours`, 'FAILED'],
  ['only failures of a subscription', days(disabledAfter), 'DISABLED'],
  ['the page of a list that a tool returns', '3,333,333 bytes', '413 with the `itemsPerPage` that fits'],
  [
    'messages of one request to `/mcp` or `/mcp/catalogue`',
    '10; each counts as a read',
    '400, and none of them runs',
  ],
  ['the responses to these messages together', `${number(byteLimits.answer)} bytes`, 'a JSON-RPC error'],
]

function table(rows: readonly (readonly string[])[]): string {
  return [['of', 'at most', 'beyond'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const page = `# Limits

This page is generated from the code. \`info.x-limits\` of \`/api/openapi.json\` has the first table for programs. Bytes are of UTF-8, as JSON.

${table(limits.map(({ of, most, unit, beyond }) => [of, `${number(most)} ${unit}`, beyond]))}

- The service rejects requests over a limit before a database query.
- **Nothing is shortened silently.** Embedded categories and metaobjects are IRIs if they do not fit, so an array that a client may write back is complete. Variants, option values and children have a total and a link to the rest: \`variantsTotal\` and \`variantsView\`, \`valuesTotal\` and \`valuesView\`, \`childrenTotal\` and \`childrenView\`.
- **Rows older than a limit** are shown as far as they fit, and can be changed and deleted.

\`test/bounds/\` tests both sides of each limit. \`npm run test:large\` creates the largest resource of every kind, and reads, lists, changes, delivers and deletes it.

## Requests and time

${table(others)}

The rate counters are Cloudflare's, one for each location, and are not exact. \`RateLimit-Policy\` returns them.
`

test('the page of limits has the limits of the code', async () => {
  await expect(page).toMatchFileSnapshot('../../.github/docs/limits.md')
})

test('the OpenAPI document contains them for programs', async () => {
  const shop = await openShop()
  const body = await shop.read('/api/openapi.json')
  expect(body.info['x-limits']).toEqual(limits)
})
