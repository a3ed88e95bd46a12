/** The service behind a proxy that compresses, as Cloudflare's does with `application/ld+json`. */
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'

let doorstep: Doorstep
let proxy: { port: number; close: () => Promise<void> }

beforeAll(async () => {
  doorstep = await openDoorstep()
  proxy = await openCompressingProxy(doorstep.origin)
})
afterAll(async () => {
  await proxy.close()
  await doorstep.close()
})

type Reply = { status: number; headers: IncomingMessage['headers']; body: ReturnType<typeof JSON.parse> }

test('a document that was read compressed can be changed with its tag, but not with an old one', async () => {
  const made = await ask('POST', '/api/products', { body: { title: 'Coat' } })
  expect(made.status).toBe(201)
  const read = await ask('GET', made.body['@id'])
  expect(read.headers['content-encoding']).toBe('gzip')
  expect(read.headers.etag).toMatch(/^W\/"1\./)
  const ifMatch = { 'if-match': read.headers.etag! }
  const changed = await ask('PATCH', made.body['@id'], { body: { vendor: 'Acme' }, headers: ifMatch })
  expect(changed).toMatchObject({ status: 200, body: { vendor: 'Acme', version: 2 } })
  const stale = await ask('PATCH', made.body['@id'], { body: { vendor: 'Other' }, headers: ifMatch })
  expect(stale).toMatchObject({ status: 412, body: { slug: 'concurrency.version_mismatch' } })
  const removed = await ask('DELETE', made.body['@id'], {
    headers: { 'if-match': `"7.x", ${changed.headers.etag}` },
  })
  expect(removed.status).toBe(204)
})

test('a document that was read compressed is 304 with its tag', async () => {
  const made = await ask('POST', '/api/products', { body: { title: 'Hat' } })
  const read = await ask('GET', made.body['@id'])
  const again = await ask('GET', made.body['@id'], { headers: { 'if-none-match': read.headers.etag! } })
  expect(again.status).toBe(304)
})

/** Compresses every answer that has a body, and weakens its tag, since the bytes are no longer those it was made of. */
async function openCompressingProxy(origin: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const onward = request(`${origin}${incoming.url}`, { method, headers }, async (answer) => {
      const plain = await buffer(answer)
      const { etag, 'content-length': _, 'transfer-encoding': __, ...others } = answer.headers
      const weakened = etag && { etag: etag.replace(/^(?:W\/)?/, 'W/') }
      const encoded = plain.length > 0 && { 'content-encoding': 'gzip' }
      outgoing.writeHead(answer.statusCode!, { ...others, ...weakened, ...encoded })
      outgoing.end(plain.length > 0 ? gzipSync(plain) : undefined)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** A bare HTTP client: `fetch` would decompress silently. */
async function ask(
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const token = await doorstep.shop.token()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json'
  return new Promise((resolve, reject) => {
    const asked = request(
      `http://127.0.0.1:${proxy.port}${path}`,
      {
        method,
        headers: {
          host: new URL(doorstep.origin).host,
          authorization: `Bearer ${token}`,
          'accept-encoding': 'gzip',
          ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      async (answer) => {
        const bytes = await buffer(answer)
        const json = bytes.length > 0 ? JSON.parse(gunzipSync(bytes).toString()) : undefined
        resolve({ status: answer.statusCode!, headers: answer.headers, body: json })
      },
    )
    asked.on('error', reject).end(text)
  })
}
