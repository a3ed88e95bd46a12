/**
 * The memory of six of the largest reads at once: in this process, and in an isolate of workerd by its own inspector. Figures and
 * no verdict, but the platform gives an isolate 128 MB. `npm run test:large -- --memory`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startBridge } from '../../src/local/bridge/bridge.ts'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { startPostgres } from '../../src/local/postgres.ts'
import { newTenant } from '../bench/tenant.ts'
import { createApp } from '../support/app.ts'
import { type Bundle, bundleWorker } from '../support/bundle.ts'
import { executionContext } from '../support/later.ts'
import { textOf } from './alphabets.ts'
import { type Isolate, startBundled } from './isolate.ts'

const host = 'memory.test'
const atOnce = 6
const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1).padStart(8)

type Ask = (request: Request) => Promise<Response>
type Peak = { readonly start: number; readonly peak: number }
/** Runs something and returns the memory that it took. */
type Meter = (work: () => Promise<number>) => Promise<Peak & { bytes: number }>

const since = '2020-01-01T00:00:00Z'
const kinds: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ['100 products', '/api/products?itemsPerPage=100', {}],
  [
    '100 products, other locale and version',
    '/api/products?itemsPerPage=100',
    { 'service-locale': 'fr-FR', 'service-api-version': '2026-04' },
  ],
  ['products that changed', `/api/products?itemsPerPage=100&updatedAt[after]=${since}`, {}],
  [
    '100 products, two properties',
    '/api/products?itemsPerPage=100&properties[]=title&properties[]=handle',
    {},
  ],
  ['100 events', '/api/events?itemsPerPage=100', {}],
  ['one product of 2,500 variants', 'product', {}],
  [
    'the same, other locale and version',
    'product',
    { 'service-locale': 'fr-FR', 'service-api-version': '2026-04' },
  ],
]

const postgres = await startPostgres({ directory: `/tmp/catalogue-memory-${process.pid}`, throwaway: true })
const bridge = await startBridge({ server: postgres.ownerUrl })
let bundle: Bundle | undefined
try {
  await migrate({ ownerUrl: postgres.ownerUrl, appPassword: 'memory' })
  const owner = new pg.Client(postgres.ownerUrl)
  await owner.connect()
  const { token } = await newTenant(owner, host)
  await owner.end()
  const bindings = {
    DATABASE_URL: appUrl(postgres.ownerUrl, 'memory'),
    NEON_FETCH_ENDPOINT: bridge.endpoint,
    ENVIRONMENT: 'local',
    RATE_LIMITS: 'off',
  }
  const app = createApp()
  const inNode: Ask = async (request) => app.fetch(request, bindings, executionContext)
  const product = await makeLargeThings(asking(inNode, token))
  bundle = bundleWorker()

  console.log(`${atOnce} at once${' '.repeat(49)}     bytes   before  at most (MB)`)
  for (const kind of kinds) {
    await measure('Node, resident', kind, inNode, residentMeter, token, product)
    const isolate = await startBundled(bundle, bindings)
    await measure('workerd, heap', kind, isolate.fetch, heapMeter(isolate), token, product).catch(
      (error: Error) => {
        console.log(`${kind[0]}, workerd died: ${error.message}`)
        process.exitCode = 1
      },
    )
    await isolate.stop().catch(() => {})
  }
} finally {
  bundle?.remove()
  await bridge.close()
  await postgres.stop()
}

type Kind = (typeof kinds)[number]

async function measure(
  where: string,
  [name, path, headers]: Kind,
  ask: Ask,
  meter: Meter,
  token: string,
  product: string,
): Promise<void> {
  const call = asking(ask, token)
  const read = async () => {
    const { status, text } = await call('GET', path === 'product' ? product : path, undefined, headers)
    if (status !== 200) console.log(`  ${name}: ${status} ${text.slice(0, 200)}`)
    return Buffer.byteLength(text)
  }
  // Keys, settings and documents are read once, by any request.
  await call('GET', '/api/products?itemsPerPage=1&properties[]=title')
  const { start, peak, bytes } = await meter(async () =>
    Math.max(...(await Promise.all(Array.from({ length: atOnce }, read)))),
  )
  console.log(
    `${name}, ${where}`.padEnd(58) + String(bytes).padStart(10) + megabytes(start) + megabytes(peak),
  )
}

function asking(ask: Ask, token: string) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await ask(
      new Request(`http://${host}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/ld+json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, text: await response.text() }
  }
}

/** Products that fill a page to its budget, and one of as many variants as there may be; answers the address of that. */
async function makeLargeThings(call: ReturnType<typeof asking>): Promise<string> {
  const made = async (path: string, body: unknown) => {
    const { status, text } = await call('POST', path, body)
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
  for (let number = 0; number < 100; number += 1) {
    if (process.stderr.isTTY) process.stderr.write(`\rproducts ${number}/100`)
    await made('/api/products', {
      title: `Large ${number}`,
      description: textOf('html', 65_535, number),
      seo: { description: textOf('html', 65_535, number) },
      options: [{ title: 'Size', values: [{ title: 'S' }] }],
      variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
    })
  }
  const values = Array.from({ length: 50 }, (_, value) => ({ title: `Value ${value}` }))
  const options = [
    { title: 'One', values },
    { title: 'Two', values },
  ]
  const variants = Array.from({ length: 2_500 }, (_, index) => ({
    optionValues: [
      { option: 'One', value: `Value ${Math.floor(index / 50)}` },
      { option: 'Two', value: `Value ${index % 50}` },
    ],
  }))
  const { '@id': iri } = await made('/api/products', { title: 'Many', options, variants })
  if (process.stderr.isTTY) process.stderr.write('\r')
  return iri
}

/** The memory of the whole process, which the bridge is a part of. */
async function residentMeter(work: () => Promise<number>): Promise<Peak & { bytes: number }> {
  const start = process.memoryUsage.rss()
  let peak = start
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 5)
  const bytes = await work().finally(() => clearInterval(timer))
  return { start, peak: Math.max(peak, process.memoryUsage.rss()), bytes }
}

/** V8's figures of an isolate's heap and buffers. */
function heapMeter({ heap }: Isolate): Meter {
  return async (work) => {
    const start = await heap()
    let peak = start
    let goesOn = true
    const watching = (async () => {
      while (goesOn) {
        peak = Math.max(peak, await heap())
        await sleep(2)
      }
    })()
    const bytes = await work().finally(() => {
      goesOn = false
    })
    await watching
    return { start, peak, bytes }
  }
}
