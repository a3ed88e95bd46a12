/**
 * How soon the events of boundaries are recorded: a thousand offers that begin at one instant, woken by the queue, and a hundred thousand
 * that begin at one instant during reads and writes. The Worker in workerd with its queues, a bridge with Neon's
 * protocol and a real Postgres, on loopback. `npm run bench:boundaries -- --help`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { commandOptions } from '../support/command-options.ts'
import { type Measured, withService } from './measured.ts'
import { quantile } from './quantile.ts'

const options = commandOptions('bench:boundaries', {
  near: { type: 'string', default: '1000' },
  moments: { type: 'string', default: '5' },
  many: { type: 'string', default: '100000' },
  help: { type: 'boolean', default: false },
})
if (options.help) {
  console.log(`Measures the events of offers that begin, on this machine, against a throwaway Postgres.

  npm run bench:boundaries -- [--near 1000] [--moments 5] [--many 100000]

  --near NUMBER     offers that begin at each of some moments of the next minute
  --moments NUMBER  so many moments, ten seconds apart
  --many NUMBER     offers that begin at one instant, whose events are recorded during reads and writes

Prints how long after its moment each event was recorded, how long the tenant's clock was held for one part, and what reads and
writes took meanwhile. Exits with 1 when an event is missing.`)
  process.exit(0)
}
const [near, moments, many] = [options.near, options.moments, options.many].map(Number) as [
  number,
  number,
  number,
]
/** Offers whose parts hold the clock one after the other. */
const heldFor = 25_000

await withService('boundaries', async (service) => {
  const { owner, tenant, call } = service
  const worker = new pg.Client(service.appUrl)
  await worker.connect()
  try {
    for (const client of [owner, worker])
      await client.query(`select set_config('app.tenant', $1, false)`, [tenant])
    const template = await call('POST', '/api/products', {
      title: 'Lamp',
      categories: [(await call('POST', '/api/categories', { title: 'Lamps' }))['@id']],
      variants: [{ sku: 'LAMP', saleOffers: [{ amount: '10.00', currency: 'EUR' }] }],
    })
    await soon(service)
    await held(service, worker)
    await late(service, template['@id'])
  } finally {
    await worker.end()
  }
})

/** Copies of the existing offer, which begin at one instant; recorded as it was. */
async function offersFrom({ owner, tenant }: Measured, amount: number, moment: Date): Promise<void> {
  const copied = async (table: string, own: string) => {
    const { rows } = await owner.query(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all($2)`,
      [table, [own, 'valid_from']],
    )
    const { columns } = rows[0]
    await owner.query(
      `insert into ${table} (${own}, valid_from, ${columns})
       select c.id, $2, ${columns} from copies c, (select * from ${table} where tenant_id = $1 and valid_from is null limit 1) t`,
      [tenant, moment],
    )
  }
  await owner.query('begin; set local synchronous_commit = off')
  await owner.query(
    `create temp table copies on commit drop as select gen_random_uuid() as id from generate_series(1, ${amount})`,
  )
  await copied('sale_offers', 'id')
  await copied('sale_offer_terms', 'sale_offer_id')
  await owner.query('insert into sale_offer_boundaries (tenant_id) values ($1) on conflict do nothing', [
    tenant,
  ])
  await owner.query('commit')
  await owner.query('analyze sale_offers, sale_offer_terms, events')
}

async function recordedEvents({ owner, tenant }: Measured, since: Date): Promise<number> {
  const { rows } = await owner.query(
    'select count(*)::int as count from events where tenant_id = $1 and effective_at >= $2',
    [tenant, since],
  )
  return rows[0].count
}

function shown(values: readonly number[]): string {
  const at = (share: number) => `${quantile(values, share).toFixed(1)} ms`
  return `least ${at(0)}, p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`
}

/** Offers that begin within the minute that a sweep looks ahead. */
async function soon(service: Measured): Promise<void> {
  const { owner, tenant, minute } = service
  const first = new Date(Math.ceil(Date.now() / 1000) * 1000 + 15_000)
  for (let nth = 0; nth < moments; nth += 1)
    await offersFrom(service, near, new Date(first.getTime() + nth * 10_000 + nth * 137))
  await minute()
  const expected = near * moments
  for (let left = 120; left > 0 && (await recordedEvents(service, first)) < expected; left -= 1)
    await sleep(1000)
  const { rows } = await owner.query(
    `select extract(epoch from occurred_at - effective_at)::float8 * 1000 as lag from events
      where tenant_id = $1 and effective_at is not null`,
    [tenant],
  )
  console.log(`${moments} moments, ${near} offers each   ${rows.length} events
moment → recorded                ${shown(rows.map(({ lag }) => lag))}`)
  if (rows.length !== expected) process.exitCode = 1
}

/**
 * How long the parts that the Worker records hold the tenant's clock, from its lock to the end of the commit: as Postgres
 * measures it, without the time of a client.
 */
async function held(service: Measured, worker: pg.Client): Promise<void> {
  const { owner, tenant } = service
  const moment = new Date(Date.now() - 1)
  await offersFrom(service, heldFor, moment)
  await owner.query(
    "update sale_offer_terms set known_from = $2::timestamptz - interval '1 hour' where tenant_id = $1 and valid_from = $2",
    [tenant, moment],
  )
  // All parts are one statement here.
  await worker.query('set statement_timeout = 0')
  await worker.query(`
    do $$
    declare
      stored text := (select e.document from events e where e.tenant_id = current_tenant() and e.kind = 'sale_offers' order by e.sequence desc limit 1);
      due jsonb;
      recorded jsonb;
      held float8[] := '{}';
    begin
      loop
        select jsonb_agg(jsonb_build_object('event', gen_random_uuid(), 'topic', d.topic, 'at', d.at::text, 'offer', o.id,
                                            'version', o.version, 'document', stored))
          into due from due_boundaries(25) d join sale_offers o on o.tenant_id = current_tenant() and o.id = d.sale_offer_id;
        exit when due is null;
        recorded := record_boundaries(due);
        commit;
        held := held || extract(epoch from clock_timestamp() - (recorded ->> 'now')::timestamptz)::float8 * 1000;
      end loop;
      perform set_config('bench.held', held::text, false);
    end
    $$`)
  const { rows } = await worker.query(`select current_setting('bench.held')::float8[] as held`)
  const times: number[] = rows[0].held
  console.log(`clock held for a part of 25      ${shown(times)} (${times.length} parts)`)
}

/** Offers that begin at one moment that has come, while others read and write. */
async function late(service: Measured, product: string): Promise<void> {
  const { owner, tenant, call, minute } = service
  const others = async (until: () => boolean) => {
    const took: { reads: number[]; writes: number[] } = { reads: [], writes: [] }
    const timed = async (times: number[], work: () => Promise<unknown>) => {
      const started = performance.now()
      await work()
      times.push(performance.now() - started)
    }
    const reader = async () => {
      while (!until()) {
        await timed(took.reads, () => call('GET', '/api/sale_offers?itemsPerPage=10'))
        await sleep(100)
      }
    }
    const writer = async () => {
      for (let nth = 0; !until(); nth += 1) {
        await timed(took.writes, () => call('PATCH', product, { vendor: `Vendor ${nth}` }))
        await sleep(100)
      }
    }
    await Promise.all([reader(), writer()])
    return took
  }
  const restUntil = performance.now() + 10_000
  const rest = await others(() => performance.now() > restUntil)
  const moment = new Date(Date.now() + 1000)
  await offersFrom(service, many, moment)
  await owner.query(
    "update sale_offer_terms set known_from = $2::timestamptz - interval '1 hour' where tenant_id = $1 and valid_from = $2",
    [tenant, moment],
  )
  let done = false
  const meanwhile = others(() => done)
  const started = performance.now()
  for (let count = 0; count < many && performance.now() - started < 900_000; ) {
    const began = performance.now()
    await minute()
    count = await recordedEvents(service, moment)
    process.stderr.write(`\r${count}/${many}   `)
    if (count < many) await sleep(Math.max(0, 60_000 - (performance.now() - began)))
  }
  const seconds = (performance.now() - started) / 1000
  done = true
  const { reads, writes } = await meanwhile
  const count = await recordedEvents(service, moment)
  console.log(`\r${many} at one moment         ${count} events in ${seconds.toFixed(1)} s
reads meanwhile                  ${shown(reads)}; before ${shown(rest.reads)}
writes meanwhile                 ${shown(writes)}; before ${shown(rest.writes)}`)
  if (count !== many) process.exitCode = 1
}
