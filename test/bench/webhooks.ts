/**
 * Delivers a thousand changes to ten receivers, each of which fails one request in five: the Worker in workerd
 * with its queues, a bridge with Neon's protocol and a real Postgres, on loopback. `npm run bench:webhooks -- --help`
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { commandOptions } from '../support/command-options.ts'
import { type Call, type Measured, withService } from './measured.ts'
import { quantile } from './quantile.ts'

const options = commandOptions('bench:webhooks', {
  events: { type: 'string', default: '1000' },
  subscriptions: { type: 'string', default: '10' },
  failures: { type: 'string', default: '0.2' },
  rate: { type: 'string', default: '10' },
  hanging: { type: 'string', default: '0' },
  help: { type: 'boolean', default: false },
})
if (options.help) {
  console.log(`Measures webhooks on this machine, against a throwaway Postgres: nothing may be lost.

  npm run bench:webhooks -- [--events 1000] [--subscriptions 10] [--failures 0.2] [--rate 10] [--hanging 0]

  --events NUMBER         changes of products, half of them creations
  --subscriptions NUMBER  receivers, each with a port of its own, that get all of them (at most 20)
  --failures SHARE        of requests that a receiver answers with 500
  --rate NUMBER           changes per second; 0 for as fast as they are taken
  --hanging NUMBER        further receivers, which accept each request and never send a response

Prints attempts, duplicates, and the time from a commit to its first request. Once all is written, the waits between attempts
are cut short. Exits with 1 when anything was lost, came under
two ids or with two bodies, out of order, or with a signature that does not verify.`)
  process.exit(0)
}
const amount = Number(options.events)
const share = Number(options.failures)
const rate = Number(options.rate)

type Receipt = {
  subscription: number
  id: string
  text: string
  version: number
  resource: string
  at: number
  good: boolean
}
const receipts: Receipt[] = []
const secrets: string[] = []
let forged = 0

const receivers = await Promise.all(
  Array.from({ length: Number(options.subscriptions) }, (_, index) => receiver(index)),
)
const hangingReceivers = await Promise.all(
  Array.from({ length: Number(options.hanging) }, () => listening(createServer(() => {}))),
)
/** Ids of the subscriptions of hanging receivers. */
const hanging: string[] = []
await withService('webhooks', async (service) => {
  const subscribe = (to: ReturnType<typeof createServer>) =>
    service.call('POST', '/api/webhook_subscriptions', {
      topic: 'product/*',
      callbackUrl: `http://127.0.0.1:${portOf(to)}/`,
    })
  for (const each of receivers) secrets.push((await subscribe(each)).secret)
  for (const each of hangingReceivers) hanging.push((await subscribe(each)).id)
  const cron = setInterval(() => {
    service.minute().catch(console.error)
  }, 60_000)
  const started = performance.now()
  await write(service.call)
  const written = (performance.now() - started) / 1000
  await untilDone(service)
  clearInterval(cron)
  await report(service, written, (performance.now() - started) / 1000)
}).finally(() => {
  for (const each of [...receivers, ...hangingReceivers]) each.close().closeAllConnections()
})

function portOf(of: ReturnType<typeof createServer>): number {
  return (of.address() as AddressInfo).port
}

async function receiver(subscription: number): Promise<ReturnType<typeof createServer>> {
  const listener = createServer(async (request, response) => {
    const at = Date.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const good = Math.random() >= share
    const headers = request.headers as Record<string, string>
    try {
      const { '@id': resource, version } = new Webhook(secrets[subscription]!).verify(text, headers) as never
      receipts.push({ subscription, id: headers['webhook-id']!, text, version, resource, at, good })
    } catch {
      forged += 1
    }
    response.writeHead(good ? 204 : 500).end()
  })
  return listening(listener)
}

async function listening(
  listener: ReturnType<typeof createServer>,
): Promise<ReturnType<typeof createServer>> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return listener
}

async function write(call: Call): Promise<void> {
  const started = performance.now()
  const made: string[] = []
  for (let index = 0; index < amount; index += 1) {
    if (rate > 0) await sleep(Math.max(0, started + (index * 1000) / rate - performance.now()))
    if (index % 2 === 0)
      made.push((await call('POST', '/api/products', { title: `Product ${index}` }))['@id'])
    else await call('PATCH', made[Math.floor(Math.random() * made.length)]!, { vendor: `Vendor ${index}` })
    process.stderr.write(`\rwritten ${index + 1}/${amount}, received ${receipts.length}   `)
  }
}

async function untilDone({ owner, tenant, minute }: Measured): Promise<void> {
  for (let left = 1; left > 0; ) {
    await sleep(1000)
    // The third attempt's failure means five minutes and the fifth's two hours: they are made to pass.
    const { rowCount } = await owner.query(
      `update webhook_deliveries set next_attempt_at = now()
        where tenant_id = $1 and status = 'PENDING' and lease is null and next_attempt_at > now() + interval '2 seconds'
          and subscription_id <> all($2::uuid[])`,
      [tenant, hanging],
    )
    if (rowCount) await minute()
    const { rows } = await owner.query(
      `select (select count(*) from events where tenant_id = $1 and fanned_out_at is null)
            + (select count(*) from webhook_deliveries
                where tenant_id = $1 and status = 'PENDING' and subscription_id <> all($2::uuid[])) as left`,
      [tenant, hanging],
    )
    left = Number(rows[0].left)
    process.stderr.write(`\rwritten ${amount}/${amount}, received ${receipts.length}, pending ${left}   `)
  }
  process.stderr.write('\r'.padEnd(70))
  process.stderr.write('\r')
}

async function report({ owner, tenant }: Measured, written: number, elapsed: number): Promise<void> {
  const { rows } = await owner.query(
    'select id, extract(epoch from occurred_at) * 1000 as at from events where tenant_id = $1',
    [tenant],
  )
  const { rows: states } = await owner.query(
    'select status, count(*)::int as count from webhook_deliveries where tenant_id = $1 group by status',
    [tenant],
  )
  const committed = new Map<string, number>(rows.map((each) => [each.id, Number(each.at)]))
  const byId = Map.groupBy(receipts, (each) => each.id)
  const groups = [...byId.values()]
  const firsts = groups.map(([first]) => first!)
  const commitOf = ({ id }: Receipt) => committed.get(id.split('_')[0]!)!
  // Version by version: a delivery that waits for an earlier failed one does so by design.
  const arrivals = new Map<string, number>()
  for (const { subscription, resource, version, at, good } of receipts) {
    const key = `${subscription} ${resource} ${version}`
    if (good && !arrivals.has(key)) arrivals.set(key, at)
  }
  const isFree = (each: Receipt) =>
    each.version === 1 ||
    arrivals.get(`${each.subscription} ${each.resource} ${each.version - 1}`)! <= commitOf(each)
  const delaysOf = (of: readonly Receipt[]) => {
    const delays = of.map((each) => each.at - commitOf(each))
    const at = (share: number) => `${Math.round(quantile(delays, share))} ms`
    return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`
  }
  const duplicates = groups.reduce(
    (sum, each) => sum + Math.max(0, each.filter(({ good }) => good).length - 1),
    0,
  )
  const lost =
    committed.size * receivers.length - groups.filter((each) => each.some(({ good }) => good)).length
  const twoBodies = groups.filter((each) => new Set(each.map(({ text }) => text)).size > 1).length
  const last = new Map<string, number>()
  let disorder = 0
  for (const { subscription, resource, version } of firsts) {
    const lane = `${subscription} ${resource}`
    if ((last.get(lane) ?? 0) >= version) disorder += 1
    last.set(lane, version)
  }
  console.log(`events                        ${committed.size}, written in ${written.toFixed(1)} s
subscriptions                 ${receivers.length}, each failing ${share * 100} % of requests, and ${hanging.length} that hang
deliveries                    ${byId.size}: ${states.map((each) => `${each.count} ${each.status}`).join(', ')}
attempts                      ${receipts.length} in ${elapsed.toFixed(1)} s
lost                          ${lost}
duplicates per 1,000          ${((duplicates / byId.size) * 1000).toFixed(2)}
ids with two bodies           ${twoBodies}
first receipts out of order   ${disorder}
signatures that do not verify ${forged}
commit → first POST           ${delaysOf(firsts.filter(isFree))}
  behind an earlier version   ${delaysOf(firsts.filter((each) => !isFree(each)))}`)
  if (lost + twoBodies + disorder + forged > 0) process.exitCode = 1
}
