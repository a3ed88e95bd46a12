/** The bundled Worker in the plain runtime, with nothing in front of it: invalid hosts, missing settings, and its memory. */
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ask } from '../bench/service/request.ts'
import { type RunningWorker, startWorkerd } from '../bench/service/workerd.ts'
import { type Bundle, bundleWorker } from '../support/bundle.ts'
import { openShop } from '../support/shop.ts'

let bundle: Bundle
let worker: RunningWorker

beforeAll(async () => {
  bundle = bundleWorker()
  worker = await startWorkerd(bundle, {
    DATABASE_URL: inject('appUrl'),
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
  })
}, 90_000)

afterAll(async () => {
  await worker?.stop()
  bundle?.remove()
})

/** Sends these lines, which an HTTP client would refuse to send. */
function send(port: number, ...lines: string[]): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    socket.on('end', () => resolve({ status: Number(text.split(' ')[1]), text }))
    socket.on('error', reject)
    socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
  })
}

test.each([
  ['a port beyond 65535', ['acme.localhost:99999']],
  ['a port that is no number', ['acme.localhost:abc']],
  ['an encoded null character', ['acme.localhost%00']],
  ['a control character', ['acme.localhost\u0001']],
  ['a space', ['acme.localhost globex']],
  ['an unfinished IPv6 address', ['[::1']],
  ['an impossible IPv4 address', ['1.2.3.999']],
  ['a path', ['acme.localhost/admin']],
  ['a fragment', ['acme.localhost#x']],
  ['a user', ['globex.localhost@acme.localhost']],
  ['a second Host header', ['acme.localhost', 'globex.localhost']],
])('a Host header with %s is 400', async (_, hosts) => {
  const headers = hosts.map((host) => `Host: ${host}`)
  for (const path of ['/api/products', '/health']) {
    const { status, text } = await send(worker.port, `GET ${path} HTTP/1.1`, ...headers)
    expect(status, text).toBe(400)
    expect(text).toContain('"slug":"http.malformed_header"')
    expect(text).toContain('the header “Host” is not valid')
    expect(text.toLowerCase()).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/)
  }
})

test.each([
  'acme.localhost',
  'acme.localhost:8787',
  'ACME.localhost.',
  '[::1]:8787',
  '127.0.0.1',
  'xn--bcher-kva.example',
])('a Host header %s is read', async (host) => {
  expect(await send(worker.port, 'GET /health HTTP/1.1', `Host: ${host}`)).toMatchObject({ status: 200 })
})

test('a deployment without its settings answers 503 and logs their names', async () => {
  const unset = await startWorkerd(bundle, { ENVIRONMENT: 'production', DATABASE_URL: 'postgresql://secret' })
  try {
    const { status, text } = await send(unset.port, 'GET /api/products HTTP/1.1', 'Host: acme.example')
    expect(status, text).toBe(503)
    expect(text).toContain('"slug":"server.invalid_settings"')
    expect(text).toContain('its operator runs \\"npm run doctor\\"')
    expect(unset.said()).toContain('missing or invalid settings: DATABASE_URL, WEBHOOK_SECRET_KEY')
    expect(unset.said() + text).not.toContain('secret"')
  } finally {
    await unset.stop()
  }
})

test.runIf(process.platform === 'linux')(
  'a response leaves nothing behind in memory',
  async () => {
    const shop = await openShop()
    const description = 'd'.repeat(60_000)
    const body = ['A', 'B', 'C', 'D', 'E'].map((title) => ({ title, description }))
    await shop.create('/api/products', body)
    const headers = { Host: shop.host, Authorization: `Bearer ${await shop.token()}` }
    const readAll = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        const { status, text } = await ask(worker.port, { method: 'GET', path: '/api/products', headers })
        expect(status).toBe(200)
        expect(text.length, text.slice(0, 200)).toBeGreaterThan(300_000)
      }
    }
    await readAll(200)
    const before = worker.residentBytes()!
    await readAll(700)
    // 700 kept responses would occupy 210 MB.
    expect(worker.residentBytes()! - before).toBeLessThan(70_000_000)
  },
  180_000,
)
