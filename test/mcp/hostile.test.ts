import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createApp } from '../support/app.ts'
import { executionContext } from '../support/later.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const headers = { 'content-type': 'application/json' }
const bytes = (...units: number[]) => Uint8Array.from(units)
const call = '"jsonrpc":"2.0","id":1,"method":"tools/call"'
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('a body that is no message', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['invalid UTF-8', bytes(0x7b, 0xff, 0x7d)],
    ['a byte order mark', bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
    ['too many levels', deep(33)],
    ['a million nulls', `[${'null,'.repeat(200_000)}null]`],
    ['a number beyond doubles', `{${call},"params":1e999}`],
    [
      'half a surrogate pair',
      `{${call},"params":{"name":"list_categories","arguments":{"parent":"\\ud800"}}}`,
    ],
    ['U+0000', `{${call},"params":{"name":"list_categories","arguments":{"parent":"\\u0000"}}}`],
    ['null', 'null'],
    ['true', 'true'],
    ['a number', '7'],
    ['a string', '"tools/call"'],
    ['an empty object', '{}'],
    ['an empty array', '[]'],
    ['arrays in an array', '[[[]]]'],
    ['another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/call"}'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['parameters that are an array', `{${call},"params":[1]}`],
    [
      'more messages than are taken',
      `[${Array(101).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join()}]`,
    ],
  ])('%s is 400 in the words of JSON-RPC', async (_, body) => {
    const reply = await shop.post('/mcp', { body, headers, status: 400 })
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
    expect(reply.text).not.toMatch(/at .*\.[mc]?[jt]s:\d+|node_modules|SyntaxError/)
  })
})

test('calls in one request are counted one by one', async () => {
  const left = { reads: 5 }
  const bindings = {
    DATABASE_URL: inject('appUrl'),
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    READ_LIMIT: { limit: async () => ({ success: (left.reads -= 1) >= 0 }) },
    WRITE_LIMIT: { limit: () => Promise.reject(new Error('tools do not write')) },
  }
  const ask = async (times: number) => {
    const body = Array.from({ length: times }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const request = new Request(`http://${shop.host}/mcp`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${await shop.token()}` },
      body: JSON.stringify(body),
    })
    return (await createApp().fetch(request, bindings, executionContext)).status
  }
  expect([await ask(3), await ask(2), await ask(1)]).toEqual([200, 200, 429])
})

test('while the database is away the tool responds with the time to wait', async () => {
  const token = await shop.token()
  const app = createApp()
  let away = false
  const bindings = {
    DATABASE_URL: inject('appUrl'),
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
  }
  const fetch = globalThis.fetch
  globalThis.fetch = async (...asked) => {
    if (away) throw new TypeError('connection refused')
    return fetch(...asked)
  }
  try {
    const ask = () =>
      app.fetch(
        new Request(`http://${shop.host}/mcp`, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${token}` },
          body: `{${call},"params":{"name":"list_categories"}}`,
        }),
        bindings,
        executionContext,
      )
    expect(((await (await ask()).json()) as { result: object }).result).toHaveProperty('structuredContent')
    away = true
    const { result } = (await (await ask()).json()) as {
      result: { isError: boolean; content: { text: string }[] }
    }
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0]!.text)).toMatchObject({
      status: 503,
      slug: 'server.storage_unavailable',
    })
  } finally {
    globalThis.fetch = fetch
  }
})
