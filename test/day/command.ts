/** A day of many tenants against the real service, whose final state is compared with a model. `npm run test:day -- --help` */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { agesAt } from '../../src/resources/housekeeping.ts'
import { allScopes } from '../../src/resources/index.ts'
import { encryptSecret, mintSecret } from '../../src/resources/webhooks/subscriptions/secrets.ts'
import { chanceOf } from '../faults/chance.ts'
import { commandOptions } from '../support/command-options.ts'
import { pictureOf, recordOf, type Sample } from './gauges.ts'
import { hostOf, hosts, openDay } from './world.ts'

const options = commandOptions('test:day', {
  tenants: { type: 'string', default: '10000' },
  minutes: { type: 'string', default: '240' },
  limit: { type: 'string', default: '1800' },
  seed: { type: 'string', default: '1' },
  record: { type: 'string' },
  help: { type: 'boolean', default: false },
})
const [amount, minutes, limit, seed] = [options.tenants, options.minutes, options.limit, options.seed].map(
  Number,
) as [number, number, number, number]
if (options.help) {
  console.log(`Runs a day of many tenants: one change for each, imports, a broken receiver, a database that is away, a deployment.

  npm run test:day -- [--tenants 10000] [--minutes 240] [--limit 1800] [--seed 1] [--record FILE]

  --tenants NUMBER  tenants, and changes of the day (at least 100)
  --minutes NUMBER  minutes of the service's clock into which the day is compressed, each with its cron (at least 60)
  --limit SECONDS   fails if the run takes longer
  --seed NUMBER     decides who changes what and when
  --record FILE     writes the gauges of an hour, with the faults in it, as OpenMetrics

The handlers, jobs and Postgres are real. Queue, receivers and the clock, also that of Postgres, belong to this process.
Draws the gauges in test/artefacts/day.svg. Exits with 1 if the final state differs from the model.`)
  process.exit(0)
}
if (!(amount >= 100 && minutes >= 60 && limit > 0 && Number.isInteger(amount + minutes + seed))) {
  console.error('A number is missing or too small: npm run test:day -- --help')
  process.exit(2)
}

const minute = 60_000
const began = performance.now()
const chance = chanceOf(seed)
/** The numbers of lines of the service's log by event: thousands while the database is away, and few otherwise. */
const lines = { here: new Map<string, number>(), away: new Map<string, number>() }
let isAway = false
for (const name of ['error', 'warn', 'log'] as const) {
  const print = console[name]
  console[name] = (text: unknown, ...more: unknown[]) => {
    const event = /^\{"event":"(\w+)"/.exec(String(text))?.[1]
    if (event === undefined) return print(text, ...more)
    const counted = isAway ? lines.away : lines.here
    counted.set(event, (counted.get(event) ?? 0) + 1)
  }
}

const world = await openDay()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
/** The first full hour after this moment. */
const start = Math.ceil(Date.now() / (60 * minute)) * 60 * minute
const at = (share: number) => Math.floor(share * minutes)
const plan = {
  broken: [at(0.15), at(0.4)],
  // Of an even number of hours this is a full hour: the jobs of housekeeping fail too, each with a line.
  away: [at(0.5), at(0.5) + 10],
  imports: [at(0.3), at(0.45), at(0.7)],
  deployment: at(0.58),
  recorded: [Math.max(0, at(0.6) - 60), Math.max(60, at(0.6))],
} as const

type Subscription = {
  readonly id: string
  readonly tenant: number
  readonly topic: string
  readonly host: string
}
/** The model: the changes that each resource had, by tenant and topic of the subscription. */
const model = new Map<string, Map<string, string[]>>()
const modelOf = (tenant: number, topic: string) => {
  const key = `${tenant} ${topic}`
  const known = model.get(key) ?? new Map<string, string[]>()
  model.set(key, known)
  return known
}
const isSeller = (tenant: number) => tenant % 20 === 0
const oldRows = { keys: [] as number[], deliveries: [] as number[], documents: [] as number[] }

const subscriptions = await fill()
const filled = performance.now()

/** Inserts the tenants by SQL, each with subscriptions and with old rows, of which two thirds expire during the day. */
async function fill(): Promise<Subscription[]> {
  const ids = Array.from({ length: amount }, () => uuidv7())
  const numbers = JSON.stringify(ids)
  const made = ids.flatMap((_, tenant): Subscription[] => {
    const host = tenant % 50 === 1 ? hosts.broken : hosts.good
    const topics = isSeller(tenant) ? ['product/*', 'sale_offer/*'] : ['product/*']
    return topics.map((topic) => ({ id: uuidv7(), tenant, topic, host }))
  })
  const rows = []
  for (const { id, tenant, topic, host } of made) {
    const secret = await encryptSecret(mintSecret(), world.secretKeys, { tenantId: ids[tenant]!, id })
    rows.push({ id, tenant: ids[tenant], topic, host, secret, url: `https://${host}/in` })
  }
  const ages = agesAt(new Date(start))
  const aged = (age: string, into: number[]) => {
    const moments = ids.map(
      () => new Date(age).getTime() + Math.floor(chance.next() * 1.5 * minutes * minute),
    )
    into.push(...moments)
    return JSON.stringify(moments.map((moment) => new Date(moment).toISOString()))
  }
  const { owner } = world
  await owner.query('begin')
  await owner.query(
    `insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks)
     select id::uuid, host, 'Day', '{en-US}', '2026-10', 'https://login.' || host || '/', 'https://' || host || '/api', $2
       from jsonb_array_elements_text($1) with ordinality t(id, n), lateral (select 't' || n - 1 || '.day.test' as host) h`,
    [numbers, JSON.stringify(world.jwks)],
  )
  await owner.query(
    `insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, actor, api_version, request_id, document, changes, fanned_out_at)
     select id::uuid, 1, id::uuid, 'product/created', 'products', id::uuid, 1, ($2::jsonb ->> (n - 1)::int)::timestamptz, '{}', '2026-10', '', '{}', '[]', now()
       from jsonb_array_elements_text($1) with ordinality t(id, n)`,
    [numbers, aged(ages.documents, oldRows.documents)],
  )
  await owner.query(
    `insert into tenant_clock (tenant_id, sequence, last_at) select tenant_id, 1, occurred_at from events`,
  )
  await owner.query(
    `insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, stamps, created_at)
     select id::uuid, 'old', 'old', '', '', '{}', '[]', ($2::jsonb ->> (n - 1)::int)::timestamptz from jsonb_array_elements_text($1) with ordinality t(id, n)`,
    [numbers, aged(ages.keys, oldRows.keys)],
  )
  await owner.query(
    `insert into webhook_subscriptions (tenant_id, id, version, topic, callback_url, callback_host, status, secret, scopes, created_at, document)
     select tenant, id, 1, topic, url, host, 'ACTIVE', secret, $2, '2000-01-01', '{}'
       from jsonb_to_recordset($1) as r(tenant uuid, id uuid, topic text, url text, host text, secret text)`,
    [JSON.stringify(rows), allScopes],
  )
  await owner.query(
    `insert into webhook_deliveries (tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id, resource_version, payload_version, locale, scopes, status, next_attempt_at, created_at, completed_at)
     select t.id::uuid, t.id::uuid, s.id, t.id::uuid, 1, 'product/created', 'products', t.id::uuid, 1, '2026-10', 'en-US', '{}', 'DELIVERED', moment, moment, moment
       from jsonb_array_elements_text($1) with ordinality t(id, n)
       join webhook_subscriptions s on s.tenant_id = t.id::uuid and s.topic = 'product/*',
       lateral (select ($2::jsonb ->> (n - 1)::int)::timestamptz as moment) m`,
    [numbers, aged(ages.deliveries, oldRows.deliveries)],
  )
  await owner.query('commit')
  await owner.query('vacuum analyze')
  return made
}

/** Writers that wait for a moment of the clock, and the number of the others. */
const sleepers: { readonly at: number; readonly wake: () => void }[] = []
let active = 0
let changes = 0

/** Repeats a write with its idempotency key until it is accepted, as a client does. */
async function accepted(
  tenant: number,
  method: string,
  path: string,
  body: unknown,
): Promise<ReturnType<typeof JSON.parse>> {
  const key = uuidv7()
  for (let wait = 1; ; wait = Math.min(4, wait * 2)) {
    const { status, text } = await world.request(tenant, method, path, body, key)
    if (status < 300) {
      changes += 1
      return JSON.parse(text)
    }
    if (status !== 503 && status !== 429)
      throw new Error(`${method} ${path} of tenant ${tenant} was ${status}: ${text}`)
    active -= 1
    await new Promise<void>((wake) => {
      sleepers.push({ at: Date.now() + (wait + chance.next()) * minute, wake })
    })
    active += 1
  }
}

const failures: string[] = []
function go(work: () => Promise<unknown>): void {
  active += 1
  work()
    .catch((error) => failures.push(String(error)))
    .finally(() => {
      active -= 1
    })
}

const record = (tenant: number, topic: string, resource: string, ...own: string[]) => {
  const changesOf = modelOf(tenant, topic)
  changesOf.set(resource, [...(changesOf.get(resource) ?? []), ...own])
}
const products = new Map<number, string[]>()
let marker = 0
let boundaries = 0

async function create(tenant: number, number: number): Promise<readonly ReturnType<typeof JSON.parse>[]> {
  const rows = Array.from({ length: number }, () => {
    marker += 1
    return { title: `Product ${marker}`, variants: [{ sku: `SKU-${marker}` }] }
  })
  const body = await accepted(tenant, 'POST', '/api/products', number === 1 ? rows[0] : rows)
  const all = number === 1 ? [body] : body.member
  for (const product of all) record(tenant, 'product/*', product['@id'], 'product/created 1')
  products.set(tenant, [
    ...(products.get(tenant) ?? []),
    ...all.map((product: { '@id': string }) => product['@id']),
  ])
  return all
}

/** A change of a tenant, some of which have many: a new product, a changed one, or one with an offer that starts later. */
async function change(): Promise<void> {
  const tenant = Math.floor(amount * chance.next() ** 2)
  const [known] = products.get(tenant) ?? []
  if (known !== undefined && chance.is(0.6)) {
    marker += 1
    const { version } = await accepted(tenant, 'PATCH', known, { vendor: `Vendor ${marker}` })
    // Versions have no gaps, also if a lost response made a client repeat a change.
    const own = modelOf(tenant, 'product/*')
    const updates = Math.max(version, own.get(known)?.length ?? 1) - 1
    const updated = Array.from({ length: updates }, (_, index) => `product/updated ${index + 2}`)
    return void own.set(known, ['product/created 1', ...updated])
  }
  const [product] = await create(tenant, 1)
  if (!isSeller(tenant)) return
  const validFrom = new Date(Date.now() + (1 + chance.next() * 10) * minute).toISOString()
  const offer = { variant: product.variants[0]['@id'], currency: 'EUR', amount: '10.00', validFrom }
  const { '@id': id, createdAt } = await accepted(tenant, 'POST', '/api/sale_offers', offer)
  // A write that was accepted late has no such boundary.
  const starts = Date.parse(createdAt) < Date.parse(validFrom) ? ['sale_offer/started 1'] : []
  record(tenant, 'sale_offer/*', id, 'sale_offer/created 1', ...starts)
  boundaries += starts.length
}

const samples: Sample[] = []
async function sample(): Promise<void> {
  const { status, text } = await world.request(null, 'GET', '/metrics')
  samples.push({ at: Date.now(), text: status === 200 ? text : null })
}

const stepsOfMinute = 6
let due = 0
for (let n = 0; n < minutes; n += 1) {
  world.isReceiverBroken = n >= plan.broken[0] && n < plan.broken[1]
  isAway = n >= plan.away[0] && n <= plan.away[1]
  world.database = n === plan.away[0] ? 'failing' : n > plan.away[0] && n <= plan.away[1] ? 'away' : 'here'
  for (let step = 0; step < stepsOfMinute; step += 1) {
    await world.setClock(start + n * minute + (step * minute) / stepsOfMinute)
    if (step === 0) await world.cron(new Date(start + n * minute))
    for (const sleeper of sleepers.splice(0)) {
      if (sleeper.at <= Date.now()) sleeper.wake()
      else sleepers.push(sleeper)
    }
    // Few changes at night, most in the middle of the day.
    due += ((1 - Math.cos((2 * Math.PI * (n + 0.5)) / minutes)) * amount) / minutes / stepsOfMinute
    for (; due >= 1; due -= 1) go(change)
    const first = Math.floor((amount / 7) * (plan.imports.indexOf(n as never) + 1))
    if (step === 1 && plan.imports.includes(n as never))
      for (let import_ = 0; import_ < 5; import_ += 1) go(() => create(first + import_, 50))
    if (step === 2 && n === plan.deployment) go(() => world.deploy())
    await sleep(0)
    while (active > 0) await sleep(2)
    await world.drain()
  }
  await sample()
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stderr.write(
    `\rminute ${n + 1} of ${minutes}, ${changes} writes, ${world.receipts.length} webhooks, ${seconds} s   `,
  )
  if (seconds > limit) {
    console.error(`\nThe limit of ${limit} seconds was exceeded in minute ${n + 1}.`)
    process.exit(1)
  }
}
await rest()
process.stderr.write('\n')

/** Lets time pass until nothing waits, then until housekeeping has run once more. */
async function rest(): Promise<void> {
  const waiting = `select (select count(*) from events where fanned_out_at is null)
    + (select count(*) from webhook_deliveries where status = 'PENDING') as left`
  for (const step of [1, 1, 1, 5, 5, 30, 60, 120, 120, 120, 240, 480]) {
    const { rows } = await world.owner.query(waiting)
    if (Number(rows[0].left) + sleepers.length + active === 0 && world.waitingMessages === 0) break
    await pass(Date.now() + step * minute)
  }
  await pass(Math.ceil(Date.now() / (60 * minute)) * 60 * minute)
  await sample()
}

async function pass(to: number): Promise<void> {
  await world.setClock(to)
  for (const { wake } of sleepers.splice(0)) wake()
  await world.cron(new Date(to))
  while (active > 0) await sleep(2)
  await world.drain()
}

/** The differences between the final state and the model. */
async function differences(): Promise<string[]> {
  const found = [...failures]
  const count = async (what: string, query: string, most: number, least = most) => {
    const { rows } = await world.owner.query(query)
    const counted = Number(rows[0].count)
    const expected = least === most ? most : `${least} to ${most}`
    if (counted < least || counted > most) found.push(`${what}: ${counted} instead of ${expected}`)
  }
  const received = Map.groupBy(world.receipts, ({ subscription }) => subscription)
  for (const { id, tenant, topic, host } of subscriptions) {
    const wanted = modelOf(tenant, topic)
    // The first receipt of each id: a receiver ignores an id that it has accepted before.
    const firsts = new Map((received.get(id) ?? []).toReversed().map((receipt) => [receipt.id, receipt]))
    const inOrder = (received.get(id) ?? []).filter((receipt) => firsts.get(receipt.id) === receipt)
    const seen = Map.groupBy(inOrder, ({ resource }) => resource)
    for (const resource of new Set([...wanted.keys(), ...seen.keys()])) {
      const lists = [wanted.get(resource) ?? [], (seen.get(resource) ?? []).map((receipt) => receipt.change)]
      // After five failed attempts a delivery does not delay the later ones.
      const [expected, got] = lists.map((list) => (host === hosts.broken ? list.toSorted() : list).join(', '))
      if (expected !== got)
        found.push(`${topic} of ${hostOf(tenant)}, ${resource}: received ${got} instead of ${expected}`)
    }
  }
  const ofProducts = [...model].filter(([key]) => key.endsWith('product/*')).flatMap(([, own]) => [...own])
  const versions = ofProducts.reduce((sum, [, own]) => sum + own.length, 0)
  // Housekeeping begins at the full hour. Rows that expire while it runs may be deleted or left.
  const hour = Math.floor(Date.now() / (60 * minute)) * 60 * minute
  const left = (moments: readonly number[], age: keyof ReturnType<typeof agesAt>) =>
    [hour, Date.now()].map(
      (end) => moments.filter((moment) => moment >= Date.parse(agesAt(new Date(end))[age])).length,
    ) as [number, number]
  await count('products', 'select count(*) from products', ofProducts.length)
  await count('versions of products', 'select sum(version) as count from products', versions)
  await count('events without deliveries', 'select count(*) from events where fanned_out_at is null', 0)
  await count('waiting deliveries', `select count(*) from webhook_deliveries where status <> 'DELIVERED'`, 0)
  await count(
    'events of boundaries',
    'select count(*) from events where effective_at is not null',
    boundaries,
  )
  await count(
    'boundaries',
    'select count(distinct (resource_id, topic, effective_at)) from events where effective_at is not null',
    boundaries,
  )
  await count(
    'old idempotency keys',
    `select count(*) from idempotency_keys where client = 'old'`,
    ...left(oldRows.keys, 'keys'),
  )
  await count(
    'old deliveries',
    'select count(*) from webhook_deliveries where id = event_id',
    ...left(oldRows.deliveries, 'deliveries'),
  )
  await count(
    'old documents of events',
    'select count(*) from events where sequence = 1 and id = tenant_id and document is not null',
    ...left(oldRows.documents, 'documents'),
  )
  const waits = [
    ...(samples.at(-1)?.text?.matchAll(/^catalogue_oldest_waiting_seconds\{kind="(\w+)"\} (\S+)$/gm) ?? []),
  ]
  const late = waits.filter(
    ([, kind, seconds]) => Number(seconds) > (kind === 'expired_row' ? (Date.now() - hour) / 1000 : 0),
  )
  return [...found, ...late.map(([line]) => `still waiting: ${line}`)]
}

const faults = await differences()
const artefacts = join(import.meta.dirname, '../artefacts')
mkdirSync(artefacts, { recursive: true })
writeFileSync(join(artefacts, 'day.svg'), pictureOf(samples, start, plan, `${amount} tenants`))
if (options.record) writeFileSync(options.record, recordOf(samples.slice(...plan.recorded)))
await world.close()

const seconds = (performance.now() - filled) / 1000
const counts = (of: ReadonlyMap<string, number>) =>
  [...of].map(([event, number]) => `${number} ${event}`).join(', ') || 'nothing'
const twice = world.receipts.length - new Set(world.receipts.map(({ id }) => id)).size
console.log(`tenants      ${amount}, filled in ${((filled - began) / 1000).toFixed(0)} s
day          in ${minutes} minutes of the clock: ${(1440 / minutes).toFixed(1)} times compressed
run          ${seconds.toFixed(0)} s: the clock went ${((minutes * 60) / seconds).toFixed(0)} times faster
writes       ${changes}
webhooks     ${world.receipts.length}, of which ${twice} repeated
log          ${counts(lines.here)}
log, away    ${counts(lines.away)}
picture      test/artefacts/day.svg
differences  ${faults.length}`)
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
process.exit(faults.length === 0 ? 0 : 1)
