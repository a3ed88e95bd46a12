import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Doorstep, openDoorstep } from '../../test/support/doorstep.ts'
import { freePort } from './network.ts'

const directory = mkdtempSync(join(tmpdir(), 'webhooks-'))
// The keys of a local service are made in this folder.
vi.stubEnv('DATA_DIRECTORY', directory)
vi.resetModules()
const { webhooksCommand } = await import('./webhooks.ts')

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const print = (text: string) => void (out += `${text}\n`)
  const printError = (text: string) => void (err += `${text}\n`)
  return { code: await webhooksCommand.run(args, { print, printError, env: {} }), out, err }
}

test('without a service it fails at once', async () => {
  const port = await freePort()
  const args = ['--tenant', 'acme', '--token', 'any', '--port', String(port)]
  const file = join(import.meta.dirname, 'webhooks.ts')
  const [code, err] = await new Promise<[unknown, string]>((resolve) => {
    execFile(process.execPath, [file, ...args], (error, _, err) => resolve([error?.code, err]))
  })
  expect({ code, err: err.trim() }).toEqual({
    code: 1,
    err: `Nothing answers at acme.localhost:${port}. Is "npm start" running?`,
  })
})

let doorstep: Doorstep
let delivery: ReturnType<typeof JSON.parse>
let preview: ReturnType<typeof JSON.parse>
let args: readonly string[]
const tenant = `replays-${process.pid}`
const received: { headers: Record<string, string>; body: string }[] = []
const receiver = createServer(async (request, response) => {
  received.push({ headers: request.headers as Record<string, string>, body: String(await buffer(request)) })
  response.writeHead(request.url === '/broken' ? 500 : 204, { 'content-type': 'text/plain' })
  response.end(request.url === '/broken' ? 'The stock is unknown.' : '')
})
const urlOf = (path: string) => `http://localhost:${(receiver.address() as AddressInfo).port}${path}`

beforeAll(async () => {
  doorstep = await openDoorstep({}, { host: `${tenant}.localhost` })
  const { shop, origin } = doorstep
  const { '@id': product } = await shop.create('/api/products', { title: 'Lamp', vendor: 'Nimbus' })
  const { '@id': subscription } = await shop.create('/api/webhook_subscriptions', {
    topic: 'product/*',
    callbackUrl: 'https://hooks.example.com/in',
    version: '2026-04',
    includeFields: ['title'],
  })
  await shop.post(`${subscription}/replay`, { body: { afterSequence: 0 }, status: 202 })
  delivery = (await shop.read(`${subscription}/deliveries`)).member[0]
  preview = (await shop.post(`${subscription}/preview`, { body: { resource: product } })).body
  args = ['--tenant', tenant, '--port', new URL(origin).port, '--token', await shop.token()]
  await new Promise<void>((done) => receiver.listen(0, done))
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await doorstep.close()
  rmSync(directory, { recursive: true })
})

test('a replay sends a delivery with its headers and its body, signed with the printed secret', async () => {
  for (const asked of [delivery.id, delivery['@id'], `https://shop.example.com${delivery['@id']}`]) {
    const { code, out, err } = await run(...args, '--replay', asked, '--to', urlOf('/in'))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [, secret = ''] = /signed with (whsec_\S+)/.exec(out) ?? []
    expect(out).toContain('The receiver answered 204')
    const { headers, body } = received.at(-1)!
    expect(body).toBe(preview.body)
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
    const unique = ['webhook-timestamp', 'webhook-signature', 'traceparent']
    for (const [name, value] of Object.entries(preview.headers))
      if (!unique.includes(name)) expect([name, headers[name.toLowerCase()]]).toEqual([name, value])
  }
  expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.webhookId]))
})

test('a replay uses a given secret, and fails if the receiver does', async () => {
  const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`
  const { code, out } = await run(
    ...args,
    '--replay',
    delivery.id,
    '--to',
    urlOf('/broken'),
    '--secret',
    secret,
  )
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringMatching(/answered 500 in \d+ ms\.\nThe stock is unknown\./),
  })
  const { headers, body } = received.at(-1)!
  expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
})

test('a replay without an address prints the delivery', async () => {
  const { code, out } = await run(...args, '--replay', delivery.id)
  expect(code).toBe(0)
  expect(out).toContain('signature holds')
  expect(out).toContain('"title": "Lamp"')
})

test('a replay of an unknown delivery, and one to another machine, are refused', async () => {
  const unknown = await run(...args, '--replay', doorstep.shop.tenant.id)
  expect(unknown).toMatchObject({
    code: 1,
    err: expect.stringContaining('No subscription of the tenant has a delivery'),
  })
  const elsewhere = await run(...args, '--replay', delivery.id, '--to', 'https://hooks.example.com/in')
  expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('is an address of this machine') })
  expect((await run(...args, '--to', urlOf('/in'))).code).toBe(2)
})
