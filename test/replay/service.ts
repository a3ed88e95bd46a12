/** The service under test, as its platform sees it: the Worker's three handlers, with Postgres and the receivers of webhooks. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { unstable_readConfig } from 'wrangler'
import { startBridge } from '../../src/local/bridge/bridge.ts'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { startPostgres } from '../../src/local/postgres.ts'
import worker from '../../src/worker.ts'
import { newBucket } from '../support/pictures.ts'
import { newSigner, signed } from '../support/token-issuer.ts'
import { insertTenant, type TenantRow } from './catalogue.ts'

const root = join(import.meta.dirname, '../..')

/** The Worker as its platform calls it. */
const handlers: Required<
  Pick<ExportedHandler<Readonly<Record<string, unknown>>>, 'fetch' | 'queue' | 'scheduled'>
> = worker

/** A webhook that reached a receiver. */
export type Webhook = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request to a tenant. */
type Sent = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** A response with its complete body. */
export type Received = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly text: string
}

export type TokenClaims = {
  readonly scope?: string
  readonly sub?: string
  readonly permissions?: readonly string[]
}

export type Service = {
  /** Connected as the owner of the database. */
  readonly owner: pg.Client
  readonly addTenant: (tenant: Omit<TenantRow, 'keys'>) => Promise<void>
  /** The public keys of tokens, for a tenant that is inserted by other code. */
  readonly keys: TenantRow['keys']
  readonly token: (host: string, claims: TokenClaims) => Promise<string>
  /** Sends a request, and waits until its background work is finished, including webhooks. */
  readonly send: (host: string, sent: Sent) => Promise<Received>
  /** Runs the scheduled handler, and waits until its background work is finished. */
  readonly runScheduled: () => Promise<void>
  /** The webhooks that have arrived since the last call. */
  readonly takeWebhooks: () => Webhook[]
  /** Responses of receivers; 204 by default. */
  readonly respondToWebhooks: (respond: (webhook: Webhook) => Response) => void
  readonly close: () => Promise<void>
}

type Message = { readonly queue: string; readonly body: unknown; readonly attempts: number }

/** Starts Postgres, the bridge and the Worker in this process, whose `fetch`, `Math.random` and log it replaces. */
export async function startService(): Promise<Service> {
  const postgres = await startPostgres({
    directory: join(tmpdir(), `product-catalogue-replay-${process.pid}`),
    throwaway: true,
  })
  const { ownerUrl } = postgres
  await migrate({ ownerUrl, appPassword: 'replay' })
  const bridge = await startBridge({ server: ownerUrl })
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  const signer = await newSigner('ES256', 'replay-key')
  const messages: Message[] = []
  const pending = new Set<Promise<unknown>>()
  const context: ExecutionContext = {
    waitUntil(promise) {
      const settled = promise.catch(() => {}).finally(() => pending.delete(settled))
      pending.add(settled)
    },
    passThroughOnException() {},
    props: {},
  } as ExecutionContext
  const env = {
    DATABASE_URL: appUrl(ownerUrl, 'replay'),
    NEON_FETCH_ENDPOINT: bridge.endpoint,
    ENVIRONMENT: 'local',
    CALLBACKS: 'loopback',
    DNS_OVER_HTTPS_URL: dnsAddress,
    PICTURES: newBucket(),
    ASSETS: { fetch: publishedFile },
    SLOW_REQUEST: '3600000',
    ...queueBindings(messages),
  }
  const receivers = openReceivers(bridge.endpoint)
  silenceLog()
  Math.random = () => 0.5

  async function finishWork(): Promise<void> {
    for (;;) {
      while (pending.size > 0) await Promise.all(pending)
      const message = messages.shift()
      if (!message) return
      await handlers.queue(batchOf(message, messages), env, context)
    }
  }

  return {
    owner,
    keys: [signer.jwk],
    addTenant: (tenant) => insertTenant(owner, { ...tenant, keys: [signer.jwk] }),
    token(host, { scope, sub = 'replay-client', permissions }) {
      const now = Math.floor(Date.now() / 1000)
      return signed(
        { typ: 'at+jwt', alg: signer.alg, kid: signer.kid },
        {
          iss: `https://login.${host}/`,
          aud: `https://${host}/api`,
          sub,
          client_id: 'replay-client',
          iat: now - 10,
          exp: now + 3600,
          jti: 'replay',
          ...(scope !== undefined && { scope }),
          ...(permissions && { permissions }),
        },
        signer,
      )
    },
    async send(host, { method, path, headers = {}, body }) {
      const request = new Request(`http://${host}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      })
      const response = await handlers.fetch(request as Parameters<typeof handlers.fetch>[0], env, context)
      const text = await textOf(response)
      await finishWork()
      return { status: response.status, headers: [...response.headers], text }
    },
    async runScheduled() {
      // Not the first minute of an hour, in which the service deletes old rows.
      const minute = { scheduledTime: Date.UTC(2027, 1, 1, 12, 30), cron: '* * * * *', noRetry() {} }
      await handlers.scheduled(minute, env, context)
      await finishWork()
    },
    takeWebhooks: () => receivers.webhooks.splice(0),
    respondToWebhooks(respond) {
      receivers.respond = respond
    },
    async close() {
      await owner.end()
      await bridge.close()
      await postgres.stop()
    },
  }
}

/** The body of a response; for a picture its size and hash. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('image/')) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`
}

const dnsAddress = 'https://dns.replay.test/dns-query'

/** The bindings of the queues in wrangler.toml. Their messages are put into `messages`. */
function queueBindings(messages: Message[]): Readonly<Record<string, object>> {
  const { queues } = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const producers: readonly { readonly binding: string; readonly queue: string }[] = queues.producers ?? []
  return Object.fromEntries(
    producers.map(({ binding, queue }) => {
      const add = (body: unknown) => void messages.push({ queue, body: structuredClone(body), attempts: 1 })
      const sender = {
        send: async (body: unknown) => add(body),
        async sendBatch(batch: Iterable<{ readonly body: unknown }>) {
          for (const { body } of batch) add(body)
        },
      }
      return [binding, sender]
    }),
  )
}

/** A batch of one message. A message that the service retries goes to the end of the queue, four times at most. */
function batchOf({ queue, body, attempts }: Message, messages: Message[]): MessageBatch {
  const again = () => {
    if (attempts < 5) messages.push({ queue, body, attempts: attempts + 1 })
  }
  const message = {
    id: 'replay',
    timestamp: new Date(),
    body,
    attempts,
    ack() {},
    retry: again,
  }
  return { queue, messages: [message], ackAll() {}, retryAll: again } as unknown as MessageBatch
}

type Receivers = { readonly webhooks: Webhook[]; respond: (webhook: Webhook) => Response }

/** Replaces `fetch`: requests to the bridge are sent. All other requests go to a DNS resolver and to receivers in this process. */
function openReceivers(bridgeEndpoint: string): Receivers {
  const receivers: Receivers = { webhooks: [], respond: () => new Response(null, { status: 204 }) }
  const systemFetch = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (url.startsWith(bridgeEndpoint)) return systemFetch(input, init)
    if (url.startsWith(dnsAddress)) return dnsResponse(new URL(url))
    const request = new Request(input, init)
    const webhook = { url, headers: Object.fromEntries(request.headers), body: await request.text() }
    receivers.webhooks.push(webhook)
    return receivers.respond(webhook)
  }
  return receivers
}

/** Names below `private.shop.dev` lead to a private network, all others to a public address. */
function dnsResponse({ searchParams }: URL): Response {
  const data = searchParams.get('name')?.endsWith('.private.shop.dev') ? '10.0.0.7' : '93.184.215.14'
  const isA = searchParams.get('type') === 'A'
  return Response.json({ Status: 0, Answer: isA ? [{ type: 1, data }] : [] })
}

/** The published documents of `npm run build`. */
async function publishedFile(address: string | URL | Request): Promise<Response> {
  const { pathname } = new URL(address instanceof Request ? address.url : address)
  const file = join(root, 'dist/assets', pathname)
  if (!existsSync(file)) return new Response(null, { status: 404 })
  const content = readFileSync(file)
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`
  return new Response(content, { headers: { ETag: etag } })
}

/** Builds the published documents if they are older than the code. */
export function buildDocuments(): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'src/local/build.ts'), '--documents'],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`The published documents cannot be built: ${stdout}${stderr}`)
}

/** Drops the lines of the service's log, because the service refuses many of the requests on purpose. */
function silenceLog(): void {
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    const write = console[level]
    console[level] = (...values: unknown[]) => {
      if (!/^\{"event":"/.test(String(values[0]))) write(...values)
    }
  }
}
