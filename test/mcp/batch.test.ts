/** Several messages in one request, as revision 2025-03-26 of the protocol sends them: how many, in which order, and how large. */
import { beforeAll, describe, expect, test } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const headers = { 'content-type': 'application/json' }
type Id = string | number
const ping = (id: Id) => ({ jsonrpc: '2.0', id, method: 'ping' })
const list = (id: Id, given: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_categories', arguments: given },
})
const post = (body: unknown, status = 200) => shop.post('/mcp', { body, headers, status })

type Response = {
  id: Id
  result?: { structuredContent: { items: unknown[] } }
  error?: { code: number; message: string }
}

describe('the number of messages', () => {
  test('ten are served, in their order', async () => {
    const { body } = await post(Array.from({ length: 10 }, (_, id) => ping(id)))
    expect(body.map(({ id }: Response) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('eleven are rejected with the number that is allowed, and none of them runs', async () => {
    const { body } = await post(
      Array.from({ length: 11 }, (_, id) => list(id)),
      400,
    )
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_600,
        message: 'Invalid Request: The array has 11 messages. Send at most 10 messages in one request.',
        data: { code: 'VAL-1013', slug: 'validation.too_many_items' },
      },
    })
  })

  test('an array of one message gets an array of one response', async () => {
    expect((await post([ping('a')])).body).toEqual([{ jsonrpc: '2.0', id: 'a', result: {} }])
  })

  test('notifications get no response', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const { body } = await post([notification, ping(1), notification])
    expect(body).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    expect((await post([notification, notification], 202)).text).toBe('')
  })

  test('a message cannot cancel another one of its array', async () => {
    const cancellation = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    const { body } = await post([cancellation, list(1), cancellation, ping(2)])
    expect(body.map(({ id }: Response) => id)).toEqual([1, 2])
    expect(body[0].result.structuredContent.items).toEqual([])
  })

  test('an unknown method fails alone', async () => {
    const { body } = await post([ping(1), { jsonrpc: '2.0', id: 2, method: 'unknown' }, ping(3)])
    expect(body.map(({ error }: Response) => error?.code)).toEqual([undefined, -32_601, undefined])
  })

  test('an array in a revision that knows none is rejected, and none of its messages runs', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const modern = (id: Id) => ({ ...list(id), params: { ...list(id).params, _meta } })
    for (const body of [[modern(1), modern(2)], [modern(1)], [list(1), modern(2)], [modern(1), list(2)]]) {
      const reply = await shop.post('/mcp', {
        body,
        headers: { ...headers, 'mcp-protocol-version': '2026-07-28' },
        status: 400,
      })
      expect(reply.text).not.toContain('structuredContent')
    }
  })

  test('a message that is not JSON-RPC makes the request invalid', async () => {
    expect((await post([ping(1), { id: 2 }], 400)).body.error.code).toBe(-32_600)
  })
})

describe('the size of the response', () => {
  let large: Shop
  beforeAll(async () => {
    large = await openShop()
    for (let nth = 0; nth < 10; nth += 1) {
      const body = { title: `Category ${nth}`, description: '"'.repeat(60_000) }
      await large.post('/api/categories', { body, status: 201 })
    }
  })

  test('has one budget: what does not fit gets an error that says what to do, and what follows does not run', async () => {
    const messages = Array.from({ length: 10 }, (_, id) => list(id))
    const { text, body } = await large.post('/mcp', { body: messages, headers, status: 200 })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(byteLimits.answer)
    expect(body.map(({ id }: Response) => id)).toEqual(messages.map(({ id }) => id))
    const served = body.filter(({ result }: Response) => result !== undefined)
    expect(served.length).toBeGreaterThan(1)
    expect(served.length).toBeLessThan(10)
    // Alone, the same message gets what it got in the array: the service shortens no response to make it fit.
    const alone = await large.post('/mcp', { body: list(0), headers, status: 200 })
    expect(served).toEqual(served.map((_: Response, id: number) => ({ ...alone.body, id })))
    expect(Buffer.byteLength(text) + Buffer.byteLength(alone.text)).toBeGreaterThan(byteLimits.answer)
    for (const { error } of body.slice(served.length)) {
      expect(error).toEqual({
        code: -32_000,
        message:
          'The responses to one array of messages have at most 10 MB together. This response does not fit. Send this message in a request of its own.',
      })
    }
  })

  test('is counted with the ids, which are as long as the caller makes them', async () => {
    const messages = Array.from({ length: 10 }, (_, nth) => list(`${nth}${'é'.repeat(45_000)}`))
    const { text, body } = await large.post('/mcp', { body: messages, headers, status: 200 })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(byteLimits.answer)
    expect(body.map(({ id }: Response) => id)).toEqual(messages.map(({ id }) => id))
  })
})

test('messages run one after another', async () => {
  const quiet = await openShop()
  let running = 0
  let most = 0
  const fetch = globalThis.fetch
  globalThis.fetch = async (...asked) => {
    running += 1
    most = Math.max(most, running)
    try {
      return await fetch(...asked)
    } finally {
      running -= 1
    }
  }
  try {
    await quiet.post('/mcp', { body: Array.from({ length: 10 }, (_, id) => list(id)), headers, status: 200 })
  } finally {
    globalThis.fetch = fetch
  }
  expect(most).toBe(1)
})
