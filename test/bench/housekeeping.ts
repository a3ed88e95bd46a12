/**
 * The rate at which housekeeping deletes: of ten thousand tenants at once, and of one tenant with millions of old events while it is read.
 * The Worker in workerd with its queues, a bridge with Neon's protocol and a real Postgres, on loopback. `npm run bench:housekeeping -- --help`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOptions } from '../support/command-options.ts'
import { type Measured, withService } from './measured.ts'
import { quantile } from './quantile.ts'

const options = commandOptions('bench:housekeeping', {
  events: { type: 'string', default: '2000000' },
  tenants: { type: 'string', default: '10000' },
  help: { type: 'boolean', default: false },
})
if (options.help) {
  console.log(`Measures the deletion of old rows on this machine, against a throwaway Postgres.

  npm run bench:housekeeping -- [--tenants 10000] [--events 2000000]

  --tenants NUMBER  tenants with expired keys at one hour: one of them has 100,000, and one fails each time
  --events NUMBER   old events with documents of one tenant, which is read meanwhile; they take 2 kB each on disk

Prints how long both took, the rate of each tenth, and the reads. Exits with 1 if a tenant was left out.`)
  process.exit(0)
}
const [events, tenants] = [options.events, options.tenants].map(Number) as [number, number]
const fullHour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
const keysOfHuge = 100_000

await withService('housekeeping', async (service) => {
  if (tenants > 0) await manyTenants(service)
  if (events > 0) await manyEvents(service)
})

/** Lets the cron run at a full hour, and waits until a count is 0. Returns the seconds; prints each count. */
async function untilNone({ minute }: Measured, count: () => Promise<number>): Promise<number> {
  const started = performance.now()
  await minute(fullHour)
  for (let left = await count(); left > 0; left = await count()) {
    process.stderr.write(`\r${left} left, ${seconds(started)} s   `)
    await sleep(1000)
  }
  process.stderr.write('\n')
  return seconds(started)
}

function seconds(started: number): number {
  return Math.round((performance.now() - started) / 100) / 10
}

async function manyTenants(service: Measured): Promise<void> {
  const { owner, tenant } = service
  await owner.query(
    `create temp table made as select gen_random_uuid() as id, n from generate_series(1, ${tenants}) n;
     insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks)
     select made.id, 'tenant-' || made.n || '.test', 'Bench', t.locales, t.default_api_version, t.issuer, t.audience, t.jwks
       from made, tenants t where t.id = '${tenant}';
     insert into tenant_clock (tenant_id) select id from made;
     insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, created_at)
     select made.id, 'bench', key::text, '', '', '{}', now() - interval '25 hours'
       from made, lateral generate_series(1, case made.n when 1 then ${keysOfHuge} else 2 end) key;
     create function fail() returns trigger language plpgsql as 'begin raise exception ''failing tenant''; end';`,
  )
  const { rows } = await owner.query<{ id: string }>('select id from made where n = 2')
  await owner.query(
    `create trigger fail before delete on idempotency_keys for each row when (old.tenant_id = '${rows[0]?.id}') execute function fail();
     analyze`,
  )
  const took = await untilNone(service, async () => {
    const { rows: left } = await owner.query<{ count: number }>(
      'select count(distinct k.tenant_id)::int as count from idempotency_keys k join made on made.id = k.tenant_id where made.n <> 2',
    )
    return left[0]?.count ?? 0
  })
  console.log(`${tenants} tenants, one with ${keysOfHuge} rows and one that fails: ${took} s`)
  await owner.query('drop trigger fail on idempotency_keys')
}

async function manyEvents(service: Measured): Promise<void> {
  const { owner, tenant, call } = service
  const path = (await call('POST', '/api/products', { title: 'Lamp' }))['@id']
  // Documents that Postgres cannot compress, as long as those of a product with a few texts.
  await owner.query(
    `update events set sequence = sequence + ${events} where tenant_id = '${tenant}';
     update tenant_clock set sequence = sequence + ${events} where tenant_id = '${tenant}';
     insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, actor, api_version, request_id,
                         document, changes, fanned_out_at)
     select tenant_id, n, gen_random_uuid(), topic, kind, gen_random_uuid(), 1, now() - interval '100 days', actor, api_version, request_id,
            (select string_agg(md5(n || '.' || part), '') from generate_series(1, 32) part), '[]', fanned_out_at
       from events e, generate_series(1, ${events}) n where e.tenant_id = '${tenant}' and e.kind = 'products'`,
  )
  await owner.query('vacuum analyze events')
  const end = performance.now() + 10_000
  const before = await reads(call, path, () => performance.now() > end)
  let isOver = false
  const during = reads(call, path, () => isOver)
  const tenths: number[] = []
  const started = performance.now()
  const took = await untilNone(service, async () => {
    const { rows } = await owner.query<{ cleared: number }>(
      'select cleared_sequence::float8 as cleared from housekeeping where tenant_id = $1',
      [tenant],
    )
    const cleared = rows[0]?.cleared ?? 0
    while (cleared >= (events / 10) * (tenths.length + 1)) tenths.push(seconds(started))
    return Math.max(0, events - cleared)
  })
  isOver = true
  const parts = tenths.map((end, index) => (end - (tenths[index - 1] ?? 0)).toFixed(0))
  console.log(`${events} events: ${took} s; each tenth ${parts.join(', ')} s
reads before  ${shown(before)}
reads during  ${shown(await during)}`)
}

/** Milliseconds of reads, one after the other, until they are over. */
async function reads(
  call: Measured['call'],
  path: string,
  isOver: () => boolean,
): Promise<readonly number[]> {
  const times: number[] = []
  while (!isOver()) {
    const started = performance.now()
    await call('GET', path)
    times.push(performance.now() - started)
    await sleep(20)
  }
  return times
}

function shown(times: readonly number[]): string {
  const at = (share: number) => `${quantile(times, share).toFixed(1)} ms`
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, ${times.length} reads`
}
