/** `npm run verify` against the Worker in `wrangler dev`: as it is, and behind a proxy that breaks it on purpose. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { areCurrent, build, pages } from '../../src/local/assets.ts'
import { type Client, openClient } from '../../src/local/client.ts'
import { freePort } from '../../src/local/port.ts'
import { startWorker, untilHealthy, type WorkerProcess } from '../../src/local/worker-process.ts'
import { openShop, type Shop } from '../support/shop.ts'

const host = `verified-${process.pid}-${Date.now()}.localhost`
const directory = mkdtempSync(join(tmpdir(), 'verify-'))
const commands: ChildProcess[] = []
let port: number
let shop: Shop
let worker: WorkerProcess
let client: Client
let forgetful: { port: number; server: Server }

beforeAll(async () => {
  if (!areCurrent(pages)) await build(pages)
  shop = await openShop({ host, audience: `https://${host}/api` })
  port = await freePort()
  client = openClient({ port, host, token: await shop.token() })
  const variables = { DATABASE_URL: inject('appUrl'), NEON_FETCH_ENDPOINT: inject('bridgeEndpoint') }
  worker = await startWorker({ port, verbose: false, variables, directory })
  await untilHealthy(worker, port, host)
  forgetful = await forgetfulProxy()
}, 120_000)

afterAll(async () => {
  for (const command of commands) command.kill('SIGKILL')
  client.close()
  forgetful.server.close()
  forgetful.server.closeAllConnections()
  await worker.stop()
  rmSync(directory, { recursive: true, force: true })
}, 30_000)

/** Passes everything on but `Idempotency-Key`, and what was asked also when the client has gone. */
async function forgetfulProxy() {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const { 'idempotency-key': _, ...kept } = headers
    const onward = request({ host: '127.0.0.1', port, method, path, headers: kept }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  const free = await freePort()
  await new Promise<void>((done) => server.listen(free, '127.0.0.1', done))
  return { port: free, server }
}

function verify(at: number, token: string, ...more: string[]) {
  const command = join(import.meta.dirname, '../../src/local/verify.ts')
  const child = spawn(process.execPath, [command, '--url', `http://${host}:${at}`, '--token', token, ...more])
  commands.push(child)
  const told = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    told.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told.err += text
  })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return { child, ended, told }
}

/** What runs have left: products that are not archived, and subscriptions. */
async function left(): Promise<readonly unknown[]> {
  const products = await client.list<{ status: string; title: string }>('/api/products?itemsPerPage=100')
  const subscriptions = await client.list('/api/webhook_subscriptions')
  return [...products.filter(({ status }) => status !== 'ARCHIVED'), ...subscriptions]
}

type Checks = { check: string; outcome: string; seen: string }[]

test('a service that is well passes all of it, and one that forgets keys does not; nothing is left behind', async () => {
  const well = verify(port, await shop.token({ client: 'well' }), '--past-limit', '--json')
  const broken = verify(forgetful.port, await shop.token({ client: 'broken' }), '--json')
  const codes = await Promise.all([well.ended, broken.ended])
  const { checks }: { checks: Checks } = JSON.parse(well.told.out)
  expect(checks.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
  expect(checks.length).toBe(12)
  const { checks: found }: { checks: Checks } = JSON.parse(broken.told.out)
  const failed = found.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check)
  expect(failed).toContain('idempotent replay')
  expect(failed.filter((check) => !['idempotent replay', 'abort in mid-write'].includes(check))).toEqual([])
  expect(codes).toEqual([0, 1])
  expect(await left()).toEqual([])
}, 90_000)

test('a run that is stopped removes what it made', async () => {
  const { child, ended, told } = verify(port, await shop.token({ client: 'stopped' }))
  for (let waited = 0; !told.err.includes('webhook that fails once'); waited += 20) {
    if (waited > 30_000) throw new Error(JSON.stringify(told))
    await new Promise((done) => setTimeout(done, 20))
  }
  child.kill('SIGINT')
  expect(await ended, JSON.stringify(told)).toBe(130)
  expect(told.out).toMatch(/– webhook that fails once +not tried .* stopped\n✔ what was made is removed/)
  expect(await left()).toEqual([])
}, 60_000)

test('what the token lacks is told before anything is tried', async () => {
  const token = await shop.token({ scope: 'products:read', sub: 'ada', permissions: ['identity:products:*'] })
  const { ended, told } = verify(port, token)
  expect(await ended).toBe(2)
  expect(told.out).toBe('')
  expect(told.err).toContain(
    'lacks products:write, webhook_subscriptions:read, webhook_subscriptions:write, identity:webhook_subscriptions:read, identity:webhook_subscriptions:write. Nothing was tried.',
  )
})
