import { uuidv7 } from 'uuidv7'
import { inject } from 'vitest'
import { createApp } from '../../src/app.ts'
import { allScopes } from '../../src/core/scopes.ts'
import { openDatabase } from '../../src/db/client.ts'
import { encryptSecret, mintSecret } from '../../src/resources/webhook-subscriptions/secret.ts'
import type { DeliveryMessage, EventsMessage } from '../../src/webhooks/messages.ts'
import type { Outside, Sender } from '../../src/webhooks/outside.ts'
import { consume } from '../../src/webhooks/queue.ts'
import { relay } from '../../src/webhooks/relay.ts'
import { owner } from './ledger.ts'
import { openShop, type Shop } from './shop.ts'

/** A POST that a receiver got. */
export type Receipt = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: ReturnType<typeof JSON.parse>
  readonly at: Date
}

type Waiting = { queue: string; body: unknown; at: number; attempts: number }

/** A world around the webhook handlers: a clock that stands until it is moved, queues and receivers in memory. */
export type World = {
  readonly shop: Shop
  readonly outside: Outside
  /** What has arrived, in order. */
  readonly receipts: Receipt[]
  readonly messages: Waiting[]
  /** What receivers answer; by default 204. */
  answer: (receipt: Receipt) => Response | Promise<Response>
  /** Moves the clock. */
  pass(milliseconds: number): void
  /** Works off the queues until no message is left whose time has come. */
  drain(): Promise<void>
  subscribe(row?: Partial<SubscriptionRow>): Promise<{ id: string; secret: string }>
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

const secretKey = btoa('k'.repeat(32))

export async function openWorld(options: { queues?: boolean } = {}): Promise<World> {
  const receipts: Receipt[] = []
  const messages: Waiting[] = []
  let clock = Date.now()
  const sender = <Message>(queue: string): Sender<Message> => ({
    async sendBatch(batch) {
      for (const { body, delaySeconds = 0 } of batch) {
        messages.push({ queue, body: structuredClone(body), at: clock + delaySeconds * 1000, attempts: 1 })
      }
    },
  })
  const queues = options.queues !== false
  const outside: Outside = {
    database: openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') }),
    callbacks: {
      secretKey,
      allowLoopback: false,
      dnsUrl: 'https://dns.test/dns-query',
      fetch: async (asked, init) => {
        const url = String(asked)
        if (url.startsWith('https://dns.test/')) return dnsAnswer(url)
        const text = String(init?.body)
        const headers = Object.fromEntries(new Headers(init?.headers as Record<string, string>))
        const receipt = { url, headers, text, body: JSON.parse(text), at: new Date(clock) }
        receipts.push(receipt)
        return world.answer(receipt)
      },
    },
    events: queues ? sender<EventsMessage>('catalogue-events') : null,
    deliveries: queues ? sender<DeliveryMessage>('catalogue-deliveries') : null,
    now: () => new Date(clock),
    random: () => 0.5,
    crash: () => {},
  }
  const pending = new Set<Promise<unknown>>()
  const afterWrite = async (tenantId: string) => {
    const relayed = relay(outside, tenantId)
    pending.add(relayed)
    await relayed.finally(() => pending.delete(relayed))
  }
  const shop = await openShop({ app: createApp(undefined, undefined, undefined, afterWrite) })
  const world: World = {
    shop,
    outside,
    receipts,
    messages,
    answer: () => new Response(null, { status: 204 }),
    pass(milliseconds) {
      clock += milliseconds
    },
    async drain() {
      for (;;) {
        await Promise.all(pending)
        const index = messages.findIndex((each) => each.at <= clock)
        if (index < 0) return
        const [message] = messages.splice(index, 1)
        await consume(
          {
            queue: message!.queue,
            messages: [
              {
                body: message!.body,
                attempts: message!.attempts,
                ack() {},
                retry({ delaySeconds }) {
                  messages.push({
                    ...message!,
                    at: clock + delaySeconds * 1000,
                    attempts: message!.attempts + 1,
                  })
                },
              },
            ],
          },
          outside,
        )
      }
    },
    subscribe: (row) => subscribe(shop, row),
  }
  return world
}

async function subscribe(
  shop: Shop,
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
  const sealed = await encryptSecret(secret, secretKey, { tenantId: shop.tenant.id, id })
  await owner((client) =>
    client.query(
      `insert into webhook_subscriptions (tenant_id, id, version, topic, callback_url, callback_host, payload_version, locale,
                                          include_fields, status, secret, scopes, document)
       values ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, '{}')`,
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
      ],
    ),
  )
  return { id, secret }
}

function dnsAnswer(url: string): Response {
  const isA = new URL(url).searchParams.get('type') === 'A'
  return Response.json({ Status: 0, Answer: isA ? [{ type: 1, data: '93.184.215.14' }] : [] })
}
