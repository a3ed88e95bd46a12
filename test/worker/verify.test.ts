/** `npm run verify` against the Worker in `wrangler dev`: as it is, and behind a proxy that breaks it on purpose. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { areCurrent, build, pages } from '../../src/local/build.ts'
import { type Client, openClient } from '../../src/local/cli/http.ts'
import { freePort } from '../../src/local/network.ts'
import { startWorker, untilHealthy, type WorkerProcess } from '../../src/local/worker-process.ts'
import { type BrokenProxy, openBrokenProxy } from '../support/broken-proxy.ts'
import { openShop, type Shop } from '../support/shop.ts'

const host = `verified-${process.pid}-${Date.now()}.localhost`
const directory = mkdtempSync(join(tmpdir(), 'verify-'))
const commands: ChildProcess[] = []
let port: number
let shop: Shop
let worker: WorkerProcess
let client: Client
let forgetful: BrokenProxy

beforeAll(async () => {
  if (!areCurrent(pages)) await build(pages)
  shop = await openShop({ host, audience: `https://${host}/api` })
  port = await freePort()
  client = openClient({ port, host, token: await shop.token() })
  const variables = { DATABASE_URL: inject('appUrl'), NEON_FETCH_ENDPOINT: inject('bridgeEndpoint') }
  worker = await startWorker({ port, verbose: false, variables, directory })
  await untilHealthy(worker, port, host)
  forgetful = await openBrokenProxy('127.0.0.1', port, {
    request: ({ 'idempotency-key': _, ...kept }) => kept,
  })
}, 120_000)

afterAll(async () => {
  for (const command of commands) command.kill('SIGKILL')
  client.close()
  await forgetful.close()
  await worker.stop()
  rmSync(directory, { recursive: true, force: true })
}, 30_000)

function verify(at: number, token: string, ...more: string[]) {
  const command = join(import.meta.dirname, '../../src/local/verify/command.ts')
  const child = spawn(process.execPath, [command, '--url', `http://${host}:${at}`, '--token', token, ...more])
  commands.push(child)
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return { child, ended, output }
}

/** Leftovers of runs: products that are not archived, and subscriptions. */
async function left(): Promise<readonly unknown[]> {
  const products = await client.list<{ status: string; title: string }>('/api/products?itemsPerPage=100')
  const subscriptions = await client.list('/api/webhook_subscriptions')
  return [...products.filter(({ status }) => status !== 'ARCHIVED'), ...subscriptions]
}

type Checks = { check: string; state: string; seen: string }[]

test('a service that is well passes all of it, and leaves nothing behind', async () => {
  const { ended, output } = verify(port, await shop.token(), '--json')
  const code = await ended
  const { checks }: { checks: Checks } = JSON.parse(output.out)
  const others = checks.filter(({ state }) => state !== 'ok')
  expect(others.map(({ check, state }) => [check, state])).toEqual([['429 past the limit', 'not tried']])
  expect([checks.length, code]).toEqual([12, 0])
  expect(await left()).toEqual([])
}, 60_000)

test('one that forgets Idempotency-Key fails, and nothing is left behind either', async () => {
  const { ended, output } = verify(forgetful.port, await shop.token(), '--only', 'idempotent replay')
  expect([await ended, output.out]).toEqual([
    1,
    expect.stringMatching(
      /^fail {2}idempotent replay .*made two products.*\n +→ .*\nok {4}created resources are removed .* archived: 2\n/,
    ),
  ])
  expect(await left()).toEqual([])
})

test('a run that is stopped removes its test data', async () => {
  const listening = `${await freePort()}`
  const tunnel = ['--receiver', `http://127.0.0.1:${listening}/in`, '--listen', listening]
  const { child, ended, output } = verify(port, await shop.token(), ...tunnel)
  for (let waited = 0; !output.err.includes('race of eight writers'); waited += 20) {
    if (waited > 30_000) throw new Error(JSON.stringify(output))
    await new Promise((done) => setTimeout(done, 20))
  }
  child.kill('SIGINT')
  expect(await ended, JSON.stringify(output)).toBe(130)
  // The step that runs at the interruption ends.
  expect(output.out).toMatch(/not tried {2}300 parallel reads .* stopped\n/)
  expect(output.out).toMatch(/\nok {9}created resources are removed .* deleted: 1, /)
  expect(await left()).toEqual([])
}, 60_000)
