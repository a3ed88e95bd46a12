import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { inject } from 'vitest'
import type { AfterWrite } from '../../src/app.ts'
import { afterWrite, type Batch, consume } from '../../src/background/queue.ts'
import type { Tenant } from '../../src/core/context.ts'
import { metricsOf } from '../../src/core/metrics.ts'
import { type Runtime, type Sender, sendLimits, type WorkMessage } from '../../src/core/work.ts'
import { openDatabase } from '../../src/db/client.ts'
import { allScopes } from '../../src/resources/index.ts'
import { dispatchTenant } from '../../src/resources/webhooks/dispatch/fan-out.ts'
import { recordDueBoundaries } from '../../src/resources/webhooks/dispatch/offer-boundaries.ts'
import { encryptSecret, mintSecret } from '../../src/resources/webhooks/subscriptions/secrets.ts'
import { type FailurePoint, failingBatch, failingRuntime } from '../faults/failing-calls.ts'
import { createApp, performerIn } from './app.ts'
import { databaseUrls } from './database.ts'
import { owner } from './ledger.ts'
import { openShop, type Shop } from './shop.ts'
import type { Access } from './walls.ts'

/** A POST that a receiver got. */
export type Receipt = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: ReturnType<typeof JSON.parse>
  readonly at: Date
}

type Waiting = { body: WorkMessage; at: number; attempts: number }

/** A world around the webhook handlers: a clock that stands until it is moved, a queue and receivers in memory. */
export type World = {
  readonly shop: Shop
  readonly runtime: Runtime
  /** The received deliveries, in order. */
  readonly receipts: Receipt[]
  readonly messages: Waiting[]
  /** Responses of receivers; by default 204. */
  answer: (receipt: Receipt) => Response | Promise<Response>
  /** Moves the clock. */
  pass(milliseconds: number): void
  /** Moves the clock, and that of the tenant in the database with it. */
  elapse(milliseconds: number): Promise<void>
  /** Where every host name leads. */
  addresses: string[]
  /** How many messages were ever sent. */
  readonly sent: number
  /** The number of background tasks after responses. */
  readonly relays: number
  /** Waits for the background work of responses. */
  settled(): Promise<void>
  /** The minute's cron for this tenant: other tests run it for other tenants of the database. */
  cron(): Promise<void>
  /** Hands over the next batch: up to 25 messages. Returns false if no message is due. */
  consumeBatch(): Promise<boolean>
  /** Hands over batch after batch until no message is due and no acknowledged batch has attempts under way. */
  drain(): Promise<void>
  /** Hands over all messages that wait now at once, each as a batch of its own. */
  drainAtOnce(): Promise<void>
  /** How many acknowledged batches have attempts under way. */
  readonly batchesInBackground: number
  /** Hands over a batch. */
  consume(batch: Batch): Promise<void>
  /** The next worker that reaches that point dies there. */
  failAt(point: FailurePoint): void
  /** Runs SQL as the owner; `$1` is the tenant. */
  owner(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]>
  deliveries(): Promise<Record<string, unknown>[]>
  attempts(): Promise<Record<string, unknown>[]>
  subscription(id: string): Promise<Record<string, unknown> | undefined>
  /** Changes columns of a subscription. */
  change(id: string, columns: Readonly<Record<string, unknown>>): Promise<void>
  /** Made before everything that happens here. */
  subscribe(row?: Partial<SubscriptionRow>): Promise<{ id: string; secret: string }>
  /** Made now. */
  subscribeLate(row?: Partial<SubscriptionRow>): Promise<{ id: string; secret: string }>
}

type SubscriptionRow = {
  topic: string
  callbackUrl: string
  payloadVersion: string | null
  locale: string | null
  includeFields: readonly string[] | null
  status: string
  scopes: readonly string[]
}

/** As in `wrangler.toml` at the top level. */
const messagesInBatch = 25

const secretKey = btoa('k'.repeat(32))
const secretKeys = [secretKey] as const

type Options = {
  readonly access?: Access
  /** Whether deliveries may go to this very machine, too. */
  readonly loopback?: boolean
  /** Settings of the tenant that differ from the default. */
  readonly tenant?: Partial<Tenant>
}

export async function openWorld(options: Options = {}): Promise<World> {
  const access = options.access ?? {
    DATABASE_URL: databaseUrls().appUrl,
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
  }
  const receipts: Receipt[] = []
  const messages: Waiting[] = []
  const pending = new Set<Promise<unknown>>()
  let clock = Date.now()
  let sent = 0
  let relays = 0
  let fatal: FailurePoint | null = null
  const fail = (point: FailurePoint) => {
    if (point !== fatal) return
    fatal = null
    throw new Error(`died: ${point}`)
  }
  const sender: Sender = {
    async sendBatch(batch) {
      for (const { body, delaySeconds = 0 } of batch) {
        sent += 1
        messages.push({ body: structuredClone(body), at: clock + delaySeconds * 1000, attempts: 1 })
      }
    },
  }
  const runtime: Runtime = {
    database: openDatabase({ url: access.DATABASE_URL, fetchEndpoint: access.NEON_FETCH_ENDPOINT }),
    callbacks: {
      secretKeys,
      allowLoopback: options.loopback === true,
      dnsUrl: 'https://dns.test/dns-query',
      fetch: async (asked, init) => {
        const url = String(asked)
        if (url.startsWith('https://dns.test/')) return dnsAnswer(url, world.addresses)
        const text = String(init?.body)
        const headers = Object.fromEntries(new Headers(init?.headers as Record<string, string>))
        const receipt = { url, headers, text, body: JSON.parse(text), at: new Date(clock) }
        receipts.push(receipt)
        return world.answer(receipt)
      },
    },
    queue: sender,
    background: null,
    limits: sendLimits,
    metrics: metricsOf(undefined),
    perform: (...sent) => performerIn(shop.bindings)(...sent),
    now: () => new Date(clock),
    random: () => 0.5,
  }
  const worker = () => failingRuntime(runtime, fail)
  let last: Promise<unknown> = Promise.resolve()
  const follow: AfterWrite = async (tenantId, _, __, soon) => {
    relays += 1
    // One after the other: on a slow machine, the last of many at once would wait too long for the lock of the fan-out.
    const relayed = last.then(() => afterWrite(worker(), tenantId, soon))
    last = relayed.catch(() => undefined)
    pending.add(relayed)
    await relayed.finally(() => pending.delete(relayed))
  }
  const shop = await openShop({
    ...options.tenant,
    app: createApp({ afterWrite: follow }),
    bindings: { WEBHOOK_SECRET_KEY: secretKey, ...access },
  })
  const background = new Set<Promise<void>>()
  const keepInBackground = (work: Promise<void>) => {
    background.add(work)
    work.finally(() => background.delete(work))
  }
  const consumeWith = (batch: Batch, background: Runtime['background']) =>
    consume(failingBatch(batch, fail), { ...worker(), background })
  const handOver = (batch: readonly Waiting[]) =>
    consumeWith(
      {
        queue: 'catalogue-work',
        messages: batch.map(({ body, attempts }) => ({
          body,
          attempts,
          ack() {},
          retry({ delaySeconds }) {
            messages.push({ body, at: clock + delaySeconds * 1000, attempts: attempts + 1 })
          },
        })),
      },
      keepInBackground,
    )
  const asOwner = (sql: string, ...values: unknown[]) =>
    owner(async (client) => (await client.query(sql, [shop.tenant.id, ...values])).rows)
  const world: World = {
    shop,
    runtime,
    receipts,
    messages,
    addresses: ['93.184.215.14'],
    answer: () => new Response(null, { status: 204 }),
    get sent() {
      return sent
    },
    get relays() {
      return relays
    },
    pass(milliseconds) {
      clock += milliseconds
    },
    async elapse(milliseconds) {
      clock += milliseconds
      await asOwner(
        'update tenant_clock set last_at = greatest(last_at, $2) where tenant_id = $1',
        new Date(clock).toISOString(),
      )
    },
    async settled() {
      await Promise.all(pending)
    },
    async cron() {
      await recordDueBoundaries(worker(), shop.tenant.id, () => true, true)
      await dispatchTenant(worker(), shop.tenant.id)
    },
    async consumeBatch() {
      await world.settled()
      const due = messages.filter((message) => message.at <= clock)
      if (due.length === 0) return false
      const batch = due.slice(0, messagesInBatch)
      for (const message of batch) messages.splice(messages.indexOf(message), 1)
      await handOver(batch)
      return true
    },
    async drain() {
      for (;;) {
        while (await world.consumeBatch());
        if (background.size === 0) return
        // Hands over new messages before the slowest attempt has ended.
        await Promise.race([...background, sleep(20)])
      }
    },
    async drainAtOnce() {
      const waiting = messages.splice(0)
      await Promise.all(waiting.map((message) => handOver([message])))
      await Promise.all(background)
    },
    get batchesInBackground() {
      return background.size
    },
    consume: (batch) => consumeWith(batch, null),
    failAt(point) {
      fatal = point
    },
    owner: asOwner,
    deliveries: () =>
      asOwner('select * from webhook_deliveries where tenant_id = $1 order by event_sequence, id'),
    attempts: () =>
      asOwner(`select a.* from webhook_attempts a join webhook_deliveries d on d.tenant_id = a.tenant_id and d.id = a.delivery_id
                where a.tenant_id = $1 order by d.event_sequence, a.number`),
    subscription: async (id) =>
      (await asOwner('select * from webhook_subscriptions where tenant_id = $1 and id = $2', id))[0],
    async change(id, columns) {
      const names = Object.keys(columns)
      const assignments = names.map((name, index) => `${name} = $${index + 3}`).join(', ')
      await asOwner(
        `update webhook_subscriptions set ${assignments} where tenant_id = $1 and id = $2`,
        id,
        ...Object.values(columns),
      )
    },
    subscribe: (row) => subscribe(shop, '2000-01-01T00:00:00Z', row),
    subscribeLate: (row) => subscribe(shop, 'now', row),
  }
  return world
}

async function subscribe(
  shop: Shop,
  createdAt: string,
  row: Partial<SubscriptionRow> = {},
): Promise<{ id: string; secret: string }> {
  const id = uuidv7()
  const secret = mintSecret()
  const {
    topic = '*',
    callbackUrl = 'https://hooks.shop.dev/in',
    payloadVersion = null,
    locale = null,
    includeFields = null,
    status = 'ACTIVE',
    scopes = allScopes,
  } = row
  const sealed = await encryptSecret(secret, secretKeys, { tenantId: shop.tenant.id, id })
  await owner((client) =>
    client.query(
      `insert into webhook_subscriptions (tenant_id, id, version, topic, callback_url, callback_host, payload_version, locale,
                                          include_fields, status, secret, scopes, created_at, document)
       values ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, '{}')`,
      [
        shop.tenant.id,
        id,
        topic,
        callbackUrl,
        new URL(callbackUrl).host,
        payloadVersion,
        locale,
        includeFields && JSON.stringify(includeFields),
        status,
        sealed,
        scopes,
        createdAt,
      ],
    ),
  )
  return { id, secret }
}

function dnsAnswer(url: string, addresses: readonly string[]): Response {
  const isA = new URL(url).searchParams.get('type') === 'A'
  return Response.json({ Status: 0, Answer: isA ? addresses.map((data) => ({ type: 1, data })) : [] })
}
