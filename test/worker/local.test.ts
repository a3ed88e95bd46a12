/** The local service of a developer: the Worker in `wrangler dev`, `npm run webhooks` next to it, and the state after all of it is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { everyDocument } from '../../src/docs/generate.ts'
import { type Client, openClient } from '../../src/local/cli/http.ts'
import { freePort } from '../../src/local/network.ts'
import { startWorker, untilHealthy, type WorkerProcess } from '../../src/local/worker-process.ts'
import { resources } from '../../src/resources/index.ts'
import { apiVersions } from '../../src/versions/index.ts'
import { owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

const name = `local-${process.pid}-${Date.now()}`
const host = `${name}.localhost`
const directory = mkdtempSync(join(tmpdir(), 'worker-'))
let port: number
let shop: Shop
let token: string
let tenantId: string
let worker: WorkerProcess
let client: Client
const commands: ChildProcess[] = []

async function start(): Promise<void> {
  const variables = { DATABASE_URL: inject('appUrl'), NEON_FETCH_ENDPOINT: inject('bridgeEndpoint') }
  worker = await startWorker({ port, verbose: false, variables, directory })
  await untilHealthy(worker, port, host)
}

beforeAll(async () => {
  shop = await openShop({ host, audience: `https://${host}/api` })
  tenantId = shop.tenant.id
  token = await shop.token()
  port = await freePort()
  client = openClient({ port, host, token })
  await start()
}, 90_000)

afterAll(async () => {
  for (const command of commands) command.kill('SIGKILL')
  client.close()
  await worker.stop()
  rmSync(directory, { recursive: true, force: true })
}, 30_000)

/** `npm run webhooks`, and its output. */
async function watch(...args: string[]) {
  const command = join(import.meta.dirname, '../../src/local/webhooks.ts')
  const child = spawn(process.execPath, [
    command,
    '--tenant',
    name,
    '--port',
    `${port}`,
    '--token',
    token,
    ...args,
  ])
  commands.push(child)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  const deliveries = () => out.split(/^(?=\d\d:\d\d:\d\d\.\d{3} )/m).slice(1)
  await until(
    () => out.includes('Subscribed to'),
    () => out + err,
  )
  return { child, exited, deliveries, printed: () => out + err }
}

async function until(reached: () => boolean | Promise<boolean>, explain: () => string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50)) if (await reached()) return
  throw new Error(`it never came to be: ${explain()}`)
}

const bodyOf = (delivery: string) => JSON.parse(delivery.slice(delivery.indexOf('\n  {')))

test('published documents equal, to the byte, the output of the code, in every version', async () => {
  const paths = everyDocument(resources, apiVersions).flatMap(({ name, reader }) => {
    const path = pathOf(name)
    return path === null
      ? []
      : [reader.everyName ? path : `${path}?version=${reader.apiVersion.version.name}`]
  })
  expect(paths.length).toBeGreaterThan(200)
  for (const path of new Set(paths)) {
    const made = await shop.get(path, { token: null, status: 200 })
    const kept = await bare('GET', path)
    expect(kept.headers['content-type'], path).toBe(made.headers.get('content-type'))
    expect(kept.text.replaceAll(`http://${host}:${port}`, `http://${host}`) === made.text, path).toBe(true)
  }
  const { headers } = await bare('GET', '/api/openapi.json')
  const again = await bare('GET', '/api/openapi.json', { 'if-none-match': headers.etag })
  expect([again.status, again.text]).toEqual([304, ''])
  const statuses = ['/api/contexts/Nothing', '/published/2026-10-openapi.json'].map((path) =>
    bare('GET', path),
  )
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 401])
}, 60_000)

/** A request with nothing added. Node's `fetch` does not resolve `*.localhost`. */
function bare(method: string, path: string, headers: OutgoingHttpHeaders = {}, body = '') {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>(
    (done, failed) => {
      const all = { ...headers, host: `${host}:${port}` }
      request({ host: '127.0.0.1', port, path, method, headers: all }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, text }))
      })
        .on('error', failed)
        .end(body)
    },
  )
}

function pathOf(name: string): string | null {
  if (name === 'entrypoint') return '/api'
  if (name === 'hydra') return '/api/docs.jsonld'
  if (name === 'openapi') return '/api/openapi.json'
  return name.startsWith('context-') ? `/api/contexts/${name.slice('context-'.length)}` : null
}

test('a document that carries its context, and a tool that shows its schemas, have them from there', async () => {
  const context = await client.read<{ '@context': unknown }>('/api/contexts/Metaobject')
  const definition = await client.write<{ '@id': string }>('POST', '/api/metaobject_definitions', {
    type: 'colour',
  })
  const made = await client.write<{ '@context': unknown }>('POST', '/api/metaobjects', {
    definition: definition['@id'],
    handle: 'red',
  })
  expect(made['@context']).toEqual(context['@context'])
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const there = await bare('POST', '/mcp', headers, body)
  const here = await shop.fetch(new Request(`http://${host}/mcp`, { method: 'POST', headers, body }))
  expect(JSON.parse(there.text)).toEqual(await here.json())
  expect(there.text).toContain('"outputSchema"')
})

test('a product that is created, changed and archived has three deliveries, verified, in order and with the requested fields', async () => {
  const category = await client.write<{ '@id': string }>('POST', '/api/categories', { title: 'Shoes' })
  const watcher = await watch(
    '--topic',
    'product/*',
    '--version',
    '2026-04',
    '--include-fields',
    'title,categories.childrens',
  )
  const arrived = (count: number) => until(() => watcher.deliveries().length === count, watcher.printed)
  const product = await client.write<{ '@id': string; id: string }>('POST', '/api/products', {
    title: 'Boot',
    categories: [category['@id']],
  })
  await arrived(1)
  await client.write('PATCH', product['@id'], { title: 'Boots' })
  await arrived(2)
  await client.send('DELETE', product['@id'])
  await arrived(3)

  const deliveries = watcher.deliveries()
  for (const [index, topic] of ['product/created', 'product/updated', 'product/deleted'].entries()) {
    expect(deliveries[index]).toContain(` ${topic}  ✔ signature holds\n`)
    expect(deliveries[index]).toContain(`service-resource-version: ${index + 1}\n`)
    expect(deliveries[index]).toContain('service-api-version: 2026-04\n')
    expect(bodyOf(deliveries[index]!)).toEqual({
      '@context': '/api/contexts/Product',
      '@id': product['@id'],
      '@type': 'Product',
      id: product.id,
      title: index === 0 ? 'Boot' : 'Boots',
      categories: [{ '@id': category['@id'], '@type': 'Category', childrens: [] }],
    })
  }
  watcher.child.kill('SIGTERM')
  expect(await watcher.exited, watcher.printed()).toBe(0)
  expect(await client.read('/api/webhook_subscriptions')).toMatchObject({ totalItems: 0 })
}, 60_000)

test('a committed change that was unsent when everything was killed arrives after the next start', async () => {
  const watcher = await watch('--topic', 'category/*')
  await client.write('POST', '/api/categories', { title: 'Kept' })
  worker.kill()
  await worker.exited
  // Running statements continue without their client, and must end before the rows are changed.
  await sleep(1000)
  expect(watcher.deliveries(), watcher.printed()).toEqual([])
  const books = await owner(async (database) => {
    // The minute or two after which unsent claims are claimed again.
    await database.query(
      `update webhook_deliveries set queued_until = null, leased_until = now(), next_attempt_at = now() where tenant_id = $1 and status = 'PENDING'`,
      [tenantId],
    )
    const { rows } = await database.query(
      `select (select count(*)::int from events where tenant_id = $1 and topic = 'category/created') as events,
              (select count(*)::int from webhook_deliveries where tenant_id = $1 and status = 'DELIVERED' and topic like 'category/%') as delivered`,
      [tenantId],
    )
    return rows[0]
  })
  expect(books).toEqual({ events: 2, delivered: 0 })

  await start()
  await until(() => watcher.deliveries().length > 0, watcher.printed)
  // A request that had begun when everything was killed counts as the first attempt.
  expect(watcher.deliveries()[0]).toMatch(/ category\/created(?:, attempt 2)? {2}✔ signature holds\n/)
  expect(bodyOf(watcher.deliveries()[0]!)).toMatchObject({ title: 'Kept' })
  watcher.child.kill('SIGTERM')
  expect(await watcher.exited, watcher.printed()).toBe(0)
}, 90_000)
