import { afterEach, beforeEach, expect, test } from 'vitest'
import { startFakeCatalogue } from '../../../test/support/fake-catalogue.ts'
import { type Client, type ClientOptions, openClient, pauseBefore, Refusal, serviceFault } from './http.ts'

let service: Awaited<ReturnType<typeof startFakeCatalogue>>
let client: Client
let pauses: number[]

beforeEach(async () => {
  service = await startFakeCatalogue({ pageSize: 2 })
  pauses = []
  client = open('good')
})

afterEach(async () => {
  client.close()
  await service.close()
})

function open(token: string, options: Partial<ClientOptions> = {}): Client {
  return openClient({
    port: service.port,
    host: 'acme.localhost',
    token,
    sleep: async (pause) => pauses.push(pause),
    ...options,
  })
}

const category = [{ handle: 'bags', title: 'Bags' }]

test('a write that was answered 429 is sent again after Retry-After, under the same key', async () => {
  service.troubles.push({ status: 429, body: {}, headers: { 'retry-after': '3' } })
  await client.write('POST', '/api/categories', category)
  expect(pauses).toEqual([3_000])
  expect(service.categories).toHaveLength(1)
  const keys = service.calls.map(({ key }) => key)
  expect(keys).toEqual([keys[0], keys[0]])
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
})

test('two writes have two keys, and a read has none', async () => {
  await client.write('POST', '/api/categories', category)
  await client.write('POST', '/api/categories', category)
  await client.read('/api/categories')
  const [first, second, read] = service.calls.map(({ key }) => key)
  expect(first).not.toBe(second)
  expect(read).toBeUndefined()
})

test('a connection that breaks and a service that is away are tried again, waiting longer each time', async () => {
  service.troubles.push('hang up', { status: 503, body: {} }, 'hang up')
  await client.write('POST', '/api/categories', category)
  expect(pauses).toEqual([500, 1_000, 2_000])
  expect(service.categories).toHaveLength(1)
})

test('five attempts reach a service that does not respond', async () => {
  service.troubles.push(...Array.from({ length: 9 }, () => ({ status: 503, body: { message: 'Away.' } })))
  await expect(client.read('/api/products')).rejects.toThrow('Away.')
  expect(service.calls).toHaveLength(5)
})

test('a refusal is not tried again and carries the violations', async () => {
  const refusal = await client
    .write('POST', '/api/categories', [{ handle: 'x' }])
    .catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({
    status: 422,
    violations: [{ propertyPath: '[0].title', message: 'This is required.' }],
  })
  expect(service.calls).toHaveLength(1)
})

test('a conflict of writers is tried again, a conflict of values is not', async () => {
  service.troubles.push({ status: 409, body: { slug: 'concurrency.busy' } })
  await client.write('POST', '/api/categories', category)
  expect(service.calls).toHaveLength(2)
  service.troubles.push({ status: 409, body: { slug: 'product.handle_taken', message: 'Taken.' } })
  await expect(client.write('POST', '/api/categories', category)).rejects.toThrow('Taken.')
  expect(service.calls).toHaveLength(3)
})

test('a list is read to its last page', async () => {
  for (const handle of ['a', 'b', 'c', 'd', 'e'])
    await client.write('POST', '/api/categories', [{ handle, title: handle }])
  const members = await client.list<{ handle: string }>('/api/categories')
  expect(members.map(({ handle }) => handle)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a token that ran out is renewed once', async () => {
  const renewing = open('old', { renewToken: async () => 'good' })
  await renewing.read('/api/products')
  await renewing.read('/api/products')
  expect(service.calls).toHaveLength(3)
  renewing.close()
  const hopeless = open('old', { renewToken: async () => 'bad' })
  await expect(hopeless.read('/api/products')).rejects.toThrow('The token is not valid.')
  hopeless.close()
})

test('a rejected token of another DATA_DIRECTORY names the key and the failed check', async () => {
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'key-of-here' })).toString('base64url')
  const reply = {
    request: 'GET /',
    status: 401,
    headers: {},
    text: '',
    body: { message: 'No.', hint: 'key_unknown' },
  }
  const fault = serviceFault(new Refusal(reply, `${header}.e30.c2ln`), 'acme.localhost:8787')
  expect(fault).toMatch(
    /^acme\.localhost:8787 answered 401: No\.\nkey_unknown\nThe key key-of-here signed the token\./,
  )
  expect(fault).toContain('DATA_DIRECTORY')
})

test('the language is sent with every request of a client that has one', async () => {
  const french = open('good', { locale: 'fr-FR' })
  await french.read('/api/products')
  french.close()
  await client.read('/api/products')
  expect(service.calls.map(({ locale }) => locale)).toEqual(['fr-FR', undefined])
})

test('a closed port is distinguished from a response', async () => {
  await service.close()
  const error = await client.read('/api/products').catch((caught: unknown) => caught)
  expect(serviceFault(error, 'acme.localhost:1')).toContain('Nothing answers at acme.localhost:1.')
  expect(pauses).toHaveLength(4)
  service = await startFakeCatalogue()
})

const answered = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: null,
})

test('Retry-After may be a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(pauseBefore(2, answered(503, 'Thu, 01 Jan 2026 00:00:07 GMT'), now)).toBe(7_000)
  expect(pauseBefore(2, answered(503, 'Wed, 31 Dec 2025 23:59:00 GMT'), now)).toBe(0)
})

test('Retry-After is never obeyed for more than a minute, and nonsense in it is ignored', () => {
  expect(pauseBefore(2, answered(429, '1000000000'))).toBe(60_000)
  expect(pauseBefore(2, answered(429, 'soon'))).toBe(500)
})

test('the client waits longer for a 429 than for a service that does not respond', () => {
  expect(pauseBefore(6, answered(503))).toBeNull()
  expect(pauseBefore(6, answered(429))).toBe(8_000)
  expect(pauseBefore(31, answered(429))).toBeNull()
})

test('answers and errors of other kinds are final', () => {
  expect(pauseBefore(2, answered(200))).toBeNull()
  expect(pauseBefore(2, answered(500))).toBeNull()
  expect(pauseBefore(2, new TypeError('a mistake'))).toBeNull()
})
