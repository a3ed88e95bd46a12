/**
 * What reads and writes cost on this machine: the whole application with token verification, a bridge that speaks Neon's
 * protocol, and a real Postgres, on loopback. `npm run bench -- --help`
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { startBridge } from '../../src/local/bridge.ts'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { startPostgres } from '../../src/local/postgres.ts'
import { createApp } from '../support/app.ts'
import { newTenant } from './tenant.ts'

const { values: options } = parseArgs({
  options: {
    products: { type: 'string', default: '500' },
    requests: { type: 'string', default: '400' },
    concurrency: { type: 'string', default: '4' },
    delay: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(`Measures the service on this machine, against a throwaway Postgres.

  npm run bench -- [--products 500] [--requests 400] [--concurrency 4] [--delay 0]

  --products NUMBER     products of ten variants with two offers each
  --requests NUMBER     requests of each kind, after a warm-up of a tenth
  --concurrency NUMBER  requests under way at once
  --delay NUMBER        milliseconds that each message to Postgres is held back, as between Neon's proxy and its Postgres

Prints for each kind: requests per second, latency p50 and p99, CPU of this process (application and bridge together,
not Postgres) and the size of an answer.`)
  process.exit(0)
}

const host = 'bench.test'
const countries = ['FR', 'DE']

const postgres = await startPostgres({ directory: `/tmp/catalogue-bench-${process.pid}`, throwaway: true })
const bridge = await startBridge({ server: postgres.ownerUrl, delay: Number(options.delay) })
try {
  await migrate({ ownerUrl: postgres.ownerUrl, appPassword: 'bench' })
  const owner = new pg.Client(postgres.ownerUrl)
  await owner.connect()
  const { token } = await newTenant(owner, host)

  const app = createApp()
  const env = {
    DATABASE_URL: appUrl(postgres.ownerUrl, 'bench'),
    NEON_FETCH_ENDPOINT: bridge.endpoint,
    ENVIRONMENT: 'local',
  }
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await app.fetch(
      new Request(`http://${host}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      env,
    )
    const text = await response.text()
    if (response.status >= 400)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return text
  }

  const amount = Number(options.products)
  const ids: string[] = []
  for (let done = 0; done < amount; done += 20) {
    process.stderr.write(`\rproducts ${done}/${amount}`)
    const body = Array.from({ length: Math.min(20, amount - done) }, (_, index) => ({
      title: `Product ${done + index}`,
      description: 'Made of something good, in a place that is nice. '.repeat(3),
      status: 'ACTIVE',
      channels: ['web'],
      tags: ['sample', `group-${(done + index) % 10}`],
      vendor: 'Bench',
      options: [
        { title: 'Size', values: Array.from({ length: 10 }, (_, size) => ({ title: `Size ${size}` })) },
      ],
      variants: Array.from({ length: 10 }, (_, size) => ({
        sku: `SKU-${done + index}-${size}`,
        optionValues: [{ option: 'Size', value: `Size ${size}` }],
      })),
    }))
    const { member } = JSON.parse(await call('POST', '/api/products', body)) as {
      member: { id: string; variants: { '@id': string }[] }[]
    }
    ids.push(...member.map((each) => each.id))
    const offers = member.flatMap((each) =>
      each.variants.flatMap((variant) => [
        { variant: variant['@id'], currency: 'EUR', amount: '19.90' },
        { variant: variant['@id'], currency: 'EUR', amount: '17.90', channel: 'web', countries },
      ]),
    )
    for (let at = 0; at < offers.length; at += 200)
      await call('POST', '/api/sale_offers', offers.slice(at, at + 200))
  }
  process.stderr.write('\r')
  await owner.query('analyze')
  await owner.end()

  const any = (index: number) => ids[index % ids.length]!
  const context =
    'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'
  const kinds: readonly (readonly [string, (index: number) => Promise<string>])[] = [
    ['list 20 products × 10 variants', () => call('GET', '/api/products?itemsPerPage=20')],
    ['the same with prices', () => call('GET', `/api/products?itemsPerPage=20&${context}`)],
    [
      'the same in fr-FR',
      () => call('GET', '/api/products?itemsPerPage=20', undefined, { 'Service-Locale': 'fr-FR' }),
    ],
    [
      'the same in 2026-04',
      () => call('GET', '/api/products?itemsPerPage=20', undefined, { 'Service-Api-Version': '2026-04' }),
    ],
    ['read a product', (index) => call('GET', `/api/products/${any(index)}`)],
    ['read a product with prices', (index) => call('GET', `/api/products/${any(index)}?${context}`)],
    ['patch a product', (index) => call('PATCH', `/api/products/${any(index)}`, { vendor: `V ${index}` })],
    ['create a product', (index) => call('POST', '/api/products', { title: `New ${index} ${uuidv7()}` })],
  ]
  console.log('kind                             req/s   p50 ms   p99 ms   CPU µs/req   bytes')
  for (const [name, run] of kinds) console.log(await measured(name, run))
} finally {
  await bridge.close()
  await postgres.stop()
}

async function measured(name: string, run: (index: number) => Promise<string>): Promise<string> {
  const requests = Number(options.requests)
  const concurrency = Number(options.concurrency)
  for (let index = 0; index < requests / 10; index += 1) await run(index)
  const times: number[] = []
  let next = 0
  let bytes = 0
  const cpu = process.cpuUsage()
  const started = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < requests) {
        const index = next
        next += 1
        const at = performance.now()
        bytes = (await run(index)).length
        times.push(performance.now() - at)
      }
    }),
  )
  const elapsed = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1)
  const columns = [
    (requests / elapsed).toFixed(0),
    at(0.5),
    at(0.99),
    ((user + system) / requests).toFixed(0),
    bytes,
  ]
  const widths = [8, 8, 8, 12, 7]
  return name.padEnd(31) + columns.map((each, index) => String(each).padStart(widths[index]!)).join(' ')
}
