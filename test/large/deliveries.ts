/** Webhooks of large resources: every delivery arrives or is FAILED with a reason, and none is stuck. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { consume } from '../../src/background/queue.ts'
import { byteLimits } from '../../src/core/limits.ts'
import type { Site } from './site.ts'
import { someOfEach } from './visit.ts'

/** Messages that the platform hands over at once. */
const atOnce = 25

/** A receiver on this machine, for samples that are sent at once. */
export async function openReceiver(): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Subscribes to everything: whole, in another version and language, and to many paths of it. */
export async function subscribe(site: Site, url: string): Promise<string[]> {
  const all = [
    { topic: '*', version: '2026-04', locale: 'fi-FI' },
    { topic: '*' },
    {
      topic: 'product/*',
      includeFields: ['title', 'variants.*.sku', 'categories.*.title', 'options.values.title'],
    },
  ]
  const made: string[] = []
  for (const [index, each] of (site.thorough ? all : all.slice(0, 1)).entries()) {
    const body = { ...each, callbackUrl: `${url}/${index}` }
    const { body: answered } = await site.want({ method: 'POST', path: '/api/webhook_subscriptions', body })
    made.push(`/api/webhook_subscriptions/${answered.id}`)
  }
  return made
}

/** The subscriptions to large resources. */
export async function tryOut(
  site: Site,
  subscriptions: readonly string[],
  iris: readonly string[],
): Promise<void> {
  for (const each of subscriptions) {
    for (const resource of someOfEach(iris, 1)) {
      if (resource.startsWith('/api/webhook_subscriptions/')) continue
      await site.ask({ method: 'POST', path: `${each}/preview`, body: { resource } })
    }
    await site.want({ method: 'POST', path: `${each}/test` })
  }
}

/** Runs all work, and checks the result of each delivery. */
export async function deliver(site: Site, subscriptions: readonly string[]): Promise<void> {
  const { world } = site
  await workOff(site)
  const [first] = subscriptions
  if (first && site.thorough) {
    await site.want({ method: 'POST', path: `${first}/replay`, body: { afterSequence: 0 } })
    await workOff(site)
  }
  for (const { text } of world.receipts) {
    const bytes = Buffer.byteLength(text)
    if (bytes > byteLimits.event) report(site, `a payload has ${bytes} bytes > ${byteLimits.event}`)
  }
  world.receipts.length = 0
  const attempts = await world.attempts()
  for (const each of await world.deliveries()) {
    const last = attempts.findLast(({ delivery_id: id }) => id === each.id)
    const label = `${each.topic} is ${each.status} after ${each.attempts} attempts: ${last?.error ?? 'no reason'}`
    const hasText =
      each.status === 'DELIVERED' || (each.status === 'FAILED' && (last?.error ?? null) !== null)
    if (!hasText) report(site, `a delivery of ${label}`)
  }
  for (const each of subscriptions) {
    await site.want({ method: 'GET', path: `${each}/deliveries?itemsPerPage=100` })
  }
}

/** Hands messages over in batches as the platform does, and lets time pass until nothing waits. */
async function workOff(site: Site): Promise<void> {
  const { world } = site
  for (let round = 0; round < 24; round += 1) {
    await world.settled()
    await world.cron()
    while (world.messages.length > 0) await handOver(site)
    const waiting = (await world.deliveries()).some(({ status }) => status === 'PENDING')
    if (!waiting) return
    world.pass(13 * 3_600_000)
  }
}

async function handOver({ world, costs }: Site): Promise<void> {
  const own = world.messages.splice(0, atOnce)
  const before = process.cpuUsage()
  const started = performance.now()
  const messages = own.map(({ body, attempts }) => ({
    body,
    attempts,
    ack() {},
    retry() {
      // Remaining work is found by the minute's cron.
    },
  }))
  await consume({ queue: 'catalogue-work', messages }, world.runtime)
  const { user, system } = process.cpuUsage(before)
  const [cpu, milliseconds] = [(user + system) / 1000, performance.now() - started]
  const name = `${atOnce} messages`
  if ((costs.get(name)?.cpu ?? 0) < cpu) costs.set(name, { name, cpu, milliseconds, bytes: 0 })
}

function report(site: Site, what: string): void {
  site.fault({ method: 'deliver', path: '' }, what)
}
