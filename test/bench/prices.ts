/**
 * Lists of products by the price in a market, with filters, facets and suggestions, in a large catalogue; and writes of offers. The Worker in
 * workerd with its queues, a bridge with Neon's protocol and a real Postgres, on loopback. `npm run bench:prices -- --help`
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { commandOptions } from '../support/command-options.ts'
import { fill, vacuumed } from '../support/fill.ts'
import { host, type Measured, withService } from './measured.ts'
import { quantile } from './quantile.ts'

const options = commandOptions('bench:prices', {
  products: { type: 'string', default: '50000' },
  variants: { type: 'string', default: '5' },
  rounds: { type: 'string', default: '11' },
  writes: { type: 'string', default: '100' },
  markets: { type: 'string', default: '4' },
  help: { type: 'boolean', default: false },
})
if (options.help) {
  console.log(`Measures lists by prices on this machine, against a throwaway Postgres.

  npm run bench:prices -- [--products 50000] [--variants 5] [--markets 4] [--rounds 11] [--writes 100]

  --products NUMBER  products, a multiple of 200
  --variants NUMBER  variants of each product, with two offers each
  --markets NUMBER   markets, at most 32
  --rounds NUMBER    how often each request is sent
  --writes NUMBER    offers that are changed, one after the other; before there are markets, and after

Prints the median time of a request, and the median time in which Postgres parsed, planned and executed its statements.`)
  process.exit(0)
}
const { products, variants, rounds, writes, markets } = {
  products: Number(options.products),
  variants: Number(options.variants),
  rounds: Number(options.rounds),
  writes: Number(options.writes),
  markets: Number(options.markets),
}

const inMarket = 'market=m0&itemsPerPage=30'
const facets = ['vendor', 'productType', 'tags', 'price', 'option.Size']
  .map((name) => `facets[]=${name}`)
  .join('&')
const selections =
  'tag[]=sample&vendor[]=Vendor 1&vendor[]=Vendor 2&vendor[]=Vendor 3&price[from]=10&price[until]=150'
const paths = [
  '/api/products?itemsPerPage=30',
  `/api/products?${inMarket}`,
  `/api/products?${inMarket}&order[price]=asc`,
  `/api/products?${inMarket}&order[price]=desc`,
  `/api/products?${inMarket}&order[price]=asc&page=100`,
  `/api/products?${inMarket}&order[price]=asc&price[from]=20&price[until]=120`,
  `/api/products?${inMarket}&order[price]=desc&price[from]=20&price[until]=120`,
  `/api/products?${inMarket}&price[from]=20&price[until]=120`,
  `/api/products?${inMarket}&price[from]=20&price[until]=20.10`,
  `/api/products?${inMarket}&order[price]=asc&reduced=true`,
  `/api/products?${inMarket}&order[price]=asc&hasPrice=false`,
  `/api/products?${inMarket}&order[price]=asc&priceAt=2099-12-24T00:00:00Z`,
  `/api/products?${inMarket}&order[price]=asc&vendor[]=Vendor 3`,
  `/api/products?${inMarket}&order[price]=asc&option[Size][]=Size 1`,
  `/api/products?${inMarket}&order[price]=desc&option[Size][]=Size 1&tag[]=sale`,
  `/api/products?${inMarket}&order[price]=asc&q=lamp`,
  `/api/products?${inMarket}&order[price]=asc&${facets}&${selections}`,
  `/api/products?${inMarket}&${facets}&${selections}`,
  '/api/products?q=la&suggest=true',
  '/api/price_changes?market=m0&ahead=P7D',
]

const median = (times: readonly number[]) => quantile(times, 0.5)
const shown = (ms: number) => `${ms.toFixed(1)} ms`.padStart(10)

await withService('prices', async (service) => {
  const { owner, tenant, callerOf } = service
  const scratchHost = 'scratch.test'
  const scratchCall = await callerOf(scratchHost)
  const { rows } = await owner.query<{ id: string }>('select id from tenants where host = $1', [scratchHost])
  await fill({
    owner,
    call: (to, method, path, body) => (to === scratchHost ? scratchCall : service.call)(method, path, body),
    tenant: { id: tenant, host },
    scratch: { id: rows[0]?.id ?? '', host: scratchHost },
    products,
    variants,
    onProgress: (done) => process.stderr.write(`\r${done} products   `),
  })
  await drawAmounts(service)
  const offers = await someOffers(service)
  const before = await writesOf(service, offers)
  await makeMarkets(service)
  const after = await writesOf(service, offers)
  console.log(`${products} products, ${variants} variants each, ${markets} markets
a write of an offer: ${shown(median(before))} without markets, ${shown(median(after))} with them
${'request'.padEnd(100)} ${'time'.padStart(10)} ${'Postgres'.padStart(10)}`)
  await logDurations(service)
  for (const path of paths) {
    const { took, inPostgres } = await measured(service, path)
    console.log(`${path.replace('/api/', '').slice(0, 100).padEnd(100)} ${shown(took)} ${shown(inPostgres)}`)
  }
})

/** Gives each variant a price of its own: 5 to 205, a fifth of them reduced. The history of offers stays as it is. */
async function drawAmounts({ owner, tenant }: Measured): Promise<void> {
  await owner.query('begin; set local synchronous_commit = off; alter table sale_offers disable trigger user')
  await owner.query(
    `update sale_offers o
        set amount = d.amount, compare_at_amount = case when random() < 0.2 then d.amount + 5 end
       from (select id, round((5 + random() * 200)::numeric, 2) as amount from sale_offers where tenant_id = $1 offset 0) d
      where o.tenant_id = $1 and o.id = d.id`,
    [tenant],
  )
  await owner.query('alter table sale_offers enable trigger user; commit')
  await vacuumed(owner, ['sale_offers'])
}

/** Offers that apply now, of different products. */
async function someOffers({ owner, tenant }: Measured): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    `select distinct on (product_id) id from sale_offers where tenant_id = $1 and valid_from is null order by product_id, id limit $2`,
    [tenant, writes + 20],
  )
  return rows.map(({ id }) => `/api/sale_offers/${id}`)
}

/** Milliseconds of each write. The first ones only warm the sessions up. */
async function writesOf({ call }: Measured, offers: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const offer of offers) {
    const amount = (5 + Math.random() * 200).toFixed(2)
    const started = performance.now()
    await call('PATCH', offer, { amount, compareAtAmount: null })
    times.push(performance.now() - started)
  }
  return times.slice(20)
}

async function makeMarkets({ owner, call, minute }: Measured): Promise<void> {
  const countries = [
    'FR',
    'DE',
    'US',
    'PL',
    'IT',
    'ES',
    'NL',
    'BE',
    'AT',
    'PT',
    'IE',
    'DK',
    'SE',
    'FI',
    'CZ',
    'HU',
  ]
  for (let n = 0; n < markets; n += 1) {
    const country = countries[n % countries.length]
    const channel = n < countries.length ? 'web' : 'store'
    await call('POST', '/api/markets', { key: `m${n}`, channel, country, currency: 'EUR' })
  }
  for (;;) {
    const { member } = await call('GET', '/api/markets?itemsPerPage=100')
    if (
      member.every(({ pricesCompleteAt }: { pricesCompleteAt: string | null }) => pricesCompleteAt !== null)
    )
      break
    const { rows } = await owner.query('select count(distinct variant_id)::int as count from variant_prices')
    process.stderr.write(`\r${rows[0]?.count} of ${products * variants} variants priced   `)
    await minute()
    await sleep(5000)
  }
  process.stderr.write('\n')
  await vacuumed(owner, ['variant_prices', 'product_prices'])
}

/** Has Postgres log how long each statement takes. */
async function logDurations({ owner }: Measured): Promise<void> {
  const superuser = new pg.Client(`postgresql://postgres:postgres@127.0.0.1:${owner.port}/postgres`)
  await superuser.connect()
  await superuser.query('alter system set log_min_duration_statement = 0')
  await superuser.query('select pg_reload_conf()')
  await superuser.end()
}

/** Sends a request several times, and reads from Postgres' log how long its statements took. Nothing is cached. */
async function measured(service: Measured, path: string): Promise<{ took: number; inPostgres: number }> {
  const { call, log } = service
  const took: number[] = []
  const inPostgres: number[] = []
  for (let round = -3; round < rounds; round += 1) {
    const from = statSync(log).size
    const started = performance.now()
    // Another address each time: the Worker stores responses by their address.
    await call('GET', `${path}&nth=${round}`)
    const ms = performance.now() - started
    await sleep(30)
    if (round < 0) continue
    took.push(ms)
    inPostgres.push(durationsSince(log, from))
  }
  return { took: median(took), inPostgres: median(inPostgres) }
}

/** The sum of the durations that a log has after a position. */
function durationsSince(log: string, from: number): number {
  const file = openSync(log, 'r')
  const bytes = Buffer.alloc(statSync(log).size - from)
  readSync(file, bytes, 0, bytes.length, from)
  closeSync(file)
  return [...bytes.toString().matchAll(/LOG: {2}duration: ([\d.]+) ms/g)].reduce(
    (sum, [, ms]) => sum + Number(ms),
    0,
  )
}
