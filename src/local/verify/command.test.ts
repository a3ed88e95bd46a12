/** Each check against the service in this process, and against one that breaks what the check is for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrokenProxy } from '../../../test/support/broken-proxy.ts'
import { type Doorstep, openDoorstep } from '../../../test/support/doorstep.ts'
import { verifyCommand } from './command.ts'

let doorstep: Doorstep
let token: string
let asked = 0

beforeAll(async () => {
  // Rejects requests of the client that exceeds the limit after sixty reads, and of no other.
  const limit = async ({ key }: RateLimitOptions) => ({ success: !key.endsWith(' greedy') || ++asked <= 60 })
  doorstep = await openDoorstep({}, { bindings: { READ_LIMIT: { limit }, DEPLOYMENT: { id: 'new' } } })
  token = await doorstep.shop.token()
})
afterAll(() => doorstep.close())

/** Runs the command: its exit code, what it said, and its rows. */
const verify = (...args: string[]) => verifyWith({}, ...args)

async function verifyWith(env: Readonly<Record<string, string>>, ...args: string[]) {
  const lines: string[] = []
  let out = ''
  const code = await verifyCommand.run([...args, '--json'], {
    print: (text) => {
      out = text
    },
    printError: (text) => lines.push(text),
    env,
    signal: new AbortController().signal,
  })
  const rows: { check: string; state: string; seen: string; next: string | null }[] =
    out === '' ? [] : JSON.parse(out).checks
  const outcomes = Object.fromEntries(rows.map(({ check, state }) => [check, state]))
  return { code, lines: lines.join('\n'), rows, outcomes }
}

type Broken = Parameters<typeof openBrokenProxy>[2]

const withoutKey: Broken = { request: ({ 'idempotency-key': _, ...kept }) => kept }
const withoutIfMatch: Broken = { request: ({ 'if-match': _, ...kept }) => kept }
const status = (from: number, statusCode: number): Broken => ({
  answer: (answer) => (answer.statusCode === from ? { statusCode } : {}),
})

test.each<[check: string, Broken, seen: RegExp]>([
  [
    'health and ready',
    { answer: (_, path) => (path === '/ready' ? { statusCode: 503 } : {}) },
    /\/ready answered 503/,
  ],
  [
    'unknown host',
    { request: (headers) => ({ ...headers, host: new URL(doorstep.origin).host }) },
    /answered 401 auth\.token_required .*instead of 404/,
  ],
  ['compression and If-Match', withoutIfMatch, /PATCH .* answered 200 .*instead of 412/],
  [
    'compression and If-Match',
    {
      request: (headers) =>
        headers['if-match']?.startsWith('W/') ? { ...headers, 'if-match': '"0.never"' } : headers,
    },
    /answered 412 .*instead of 200/,
  ],
  ['constraint conflicts', status(409, 500), /answered 500 product\.handle_taken .*instead of 409/],
  ['idempotent replay', withoutKey, /made two products/],
  ['race of eight writers', withoutIfMatch, /[2-8] of 8 writers won|answered 409|answered 503/],
  ['abort in mid-write', withoutKey, /a write made 2 products/],
  [
    '300 parallel reads',
    { answer: ({ headers }, path) => (path.includes('tag=') ? { statusCode: 503, headers } : {}) },
    /answered 503 .*without Retry-After/,
  ],
])('“%s” passes, and fails where it is broken', async (check, broken, seen) => {
  const well = await verify('--url', doorstep.origin, '--token', token, '--only', check)
  expect(well).toMatchObject({ code: 0, outcomes: { [check]: 'ok' } })
  const { hostname, port } = new URL(doorstep.origin)
  const proxy = await openBrokenProxy(hostname, Number(port), broken)
  const url = `http://${hostname}:${proxy.port}`
  const found = await verify('--url', url, '--token', token, '--only', check).finally(proxy.close)
  expect([found.code, found.rows[0]]).toEqual([
    1,
    expect.objectContaining({ check, state: 'fail', seen: expect.stringMatching(seen) }),
  ])
  const { body } = await doorstep.shop.get('/api/products?itemsPerPage=100&status=DRAFT')
  // A cut write that is sent without a key may reach the service after the run has removed what it found.
  const titles = body.member.map(({ title }: { title: string }) => title)
  expect(titles.filter((title: string) => !title.endsWith(' cut'))).toEqual([])
})

test('an option makes it exceed the limit, and a service without a limit is reported', async () => {
  const check = '429 past the limit'
  const only = ['--url', doorstep.origin, '--only', check]
  const greedy = await doorstep.shop.token({ client: 'greedy', scope: '' })
  expect((await verify(...only, '--token', greedy)).outcomes).toEqual({ [check]: 'not tried' })
  const { code, rows } = await verify(...only, '--token', greedy, '--past-limit')
  expect([code, rows]).toEqual([
    0,
    [
      expect.objectContaining({
        state: 'ok',
        seen: expect.stringMatching(/^429 after \d\d reads, Retry-After 10/),
      }),
    ],
  ])
})

test('a service without limits gets instructions', async () => {
  const { hostname, port } = new URL(doorstep.origin)
  const proxy = await openBrokenProxy(hostname, Number(port), {
    answer: ({ headers }) => ({ headers: { ...headers, 'ratelimit-policy': '"reads";q=1;w=10' } }),
  })
  const url = `http://${hostname}:${proxy.port}`
  const found = await verify('--url', url, '--token', token, '--only', '429 past the limit').finally(
    proxy.close,
  )
  expect([found.code, found.rows[0]]).toEqual([
    1,
    expect.objectContaining({
      seen: expect.stringContaining('and no 429'),
      next: expect.stringContaining('RATE_LIMITS=on'),
    }),
  ])
})

test('the token may come from the environment; one that is typed goes first', async () => {
  const args = ['--url', doorstep.origin, '--only', 'health and ready']
  expect(await verifyWith({ ACCESS_TOKEN: token }, ...args)).toMatchObject({ code: 0 })
  expect(await verifyWith({ ACCESS_TOKEN: 'x' }, ...args, '--token', token)).toMatchObject({ code: 0 })
  expect(await verifyWith({ ACCESS_TOKEN: 'x' }, ...args)).toMatchObject({
    code: 2,
    lines: expect.stringContaining('The token is not a JWT'),
  })
})

test('checks the given version of the Worker, and nothing if another version answers', async () => {
  const { hostname, port } = new URL(doorstep.origin)
  const sent = new Set<unknown>()
  const proxy = await openBrokenProxy(hostname, Number(port), {
    request: (headers) => {
      sent.add(headers['cloudflare-workers-version-overrides'])
      return headers
    },
  })
  const args = [
    '--url',
    `http://${hostname}:${proxy.port}`,
    '--token',
    token,
    '--only',
    'constraint conflicts',
  ]
  const passed = await verify(...args, '--worker-version', 'catalogue=new')
  expect(passed).toMatchObject({ code: 0, outcomes: { 'constraint conflicts': 'ok' } })
  expect([...sent]).toEqual(['catalogue="new"'])
  const other = await verify(...args, '--worker-version', 'catalogue=old').finally(proxy.close)
  expect(other).toMatchObject({
    ...{ code: 1, rows: [] },
    lines: 'The version old does not answer: /ready is of new. Nothing was tried.',
  })
}, 30_000)

test('missing pages fail; a webhook without a receiver is not tried', async () => {
  const found = await verify('--url', doorstep.origin, '--token', token, '--only', 'pages under their policy')
  expect(found).toMatchObject({ code: 1, outcomes: { 'pages under their policy': 'fail' } })
})

test('missing scopes of the token are reported before any check runs', async () => {
  const poor = await doorstep.shop.token({
    scope: 'products:read',
    sub: 'ada',
    permissions: ['identity:products:*'],
  })
  const { code, lines, rows } = await verify('--url', doorstep.origin, '--token', poor)
  expect([code, rows]).toEqual([2, []])
  expect(lines).toContain(
    'lacks products:write, webhook_subscriptions:read, webhook_subscriptions:write, identity:webhook_subscriptions:read, identity:webhook_subscriptions:write. Nothing was tried.',
  )
})

test.each([
  [[], '--url is required.\n--token (or ACCESS_TOKEN) is required.\nSee: npm run verify -- --help'],
  [['--url', 'acme.example.com', '--token', 'x'], '--url is a URL: https://acme.example.com.'],
  [['--url', 'https://acme.example.com/api', '--token', 'x'], '--url ends with the host'],
  [['--url', 'https://acme.example.com'], '--token (or ACCESS_TOKEN) is required.'],
  [['--url', 'https://acme.example.com', '--token', 'x'], 'The token is not a JWT'],
  [
    ['--url', 'https://acme.example.com', '--token', 'x', '--only', 'all'],
    '--only is one of these checks: health and ready, ',
  ],
  [
    ['--url', 'https://acme.example.com', '--token', 'x', '--receiver', 'https://t.example'],
    'needs --listen',
  ],
  [['--url', 'https://acme.example.com', '--token', 'x', '--listen', 'x'], '--listen is a number'],
  [
    ['--url', 'https://acme.example.com', '--token', 'x', '--worker-version', 'new'],
    '--worker-version is the name of the Worker and the id of its version: WORKER=ID.',
  ],
  [['--fast'], '--fast is not an option of npm run verify.'],
])('%j is wrong usage', async (args, said) => {
  expect(await verify(...args)).toMatchObject({ code: 2, lines: expect.stringContaining(said), rows: [] })
})

test('a token that is refused, and a host that does not answer, end it before anything is tried', async () => {
  const { shop } = await openDoorstep()
  const foreign = await verify('--url', doorstep.origin, '--token', await shop.token())
  expect(foreign).toMatchObject({
    code: 1,
    lines: `${new URL(doorstep.origin).host}: the token is of the issuer ${shop.tenant.issuer}, but this tenant accepts those of ${doorstep.shop.tenant.issuer}. Nothing was tried.`,
  })
  const expired = await doorstep.shop.token({ claims: { exp: 1 } })
  const refused = await verify('--url', doorstep.origin, '--token', expired)
  expect(refused).toMatchObject({
    code: 1,
    lines: expect.stringContaining('answered 401 auth.invalid_token'),
  })
  expect(refused.lines).toContain('Is it a token of this tenant')
  const away = await verify('--url', 'http://127.0.0.1:9', '--token', token)
  expect(away).toMatchObject({
    code: 1,
    lines: expect.stringContaining('Nothing answers at http://127.0.0.1:9'),
  })
})

test('what runs have made is found by how it is marked', async () => {
  const { body } = await doorstep.shop.get('/api/products?itemsPerPage=100&status=ARCHIVED')
  const found = await doorstep.shop.get('/api/products?status=ARCHIVED&q=verify')
  expect(found.body.totalItems).toBe(body.totalItems)
  expect(body.totalItems).toBeGreaterThan(10)
})
