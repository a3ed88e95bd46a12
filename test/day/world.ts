/** The service of a simulated day in this process: real Postgres, handlers and jobs, with a clock, a queue and receivers of its own. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { type Jobs, jobs, sendJobs } from '../../src/background/jobs.ts'
import { afterWrite, type Batch, consume } from '../../src/background/queue.ts'
import { metricsOf } from '../../src/core/metrics.ts'
import { type Runtime, sendLimits } from '../../src/core/work.ts'
import { openDatabase } from '../../src/db/client.ts'
import { startBridge } from '../../src/local/bridge/bridge.ts'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { startPostgres } from '../../src/local/postgres.ts'
import { allScopes } from '../../src/resources/index.ts'
import { createApp } from '../support/app.ts'
import { headerOf, newSigner, signed } from '../support/token-issuer.ts'

/** Moves the clock of this process and, by its functions of the time, that of Postgres. Within a step both run as usual. */
const RealDate = Date
let ahead = 0
const now = () => RealDate.now() + ahead
globalThis.Date = new Proxy(RealDate, {
  construct: (target, parts) => (parts.length === 0 ? new target(now()) : Reflect.construct(target, parts)),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

/** A POST that a receiver accepted. */
type Receipt = {
  readonly id: string
  readonly subscription: string
  readonly resource: string
  /** Its topic and the version of the resource. */
  readonly change: string
}

type Message = { readonly body: unknown; at: number; attempts: number }

const secretKeys = [btoa('k'.repeat(32))] as const
const metricsToken = 'm'.repeat(32)
/** As in production: wrangler.toml. */
const messagesInBatch = 5
const mostAttempts = 4
const batchesAtOnce = 6

export const hosts = { good: 'hooks.shop.dev', broken: 'broken.shop.dev' } as const

export async function openDay() {
  const directory = join(tmpdir(), `product-catalogue-day-${process.pid}`)
  const postgres = await startPostgres({ directory, throwaway: true })
  await migrate({ ownerUrl: postgres.ownerUrl, appPassword: 'day' })
  const bridge = await startBridge({ server: postgres.ownerUrl })
  const owner = new pg.Client(postgres.ownerUrl)
  const superuser = new pg.Client(
    Object.assign(new URL(postgres.ownerUrl), { username: 'postgres', password: 'postgres' }).href,
  )
  for (const client of [owner, superuser]) await client.connect()
  // Postgres does not plan again when a function of its own changes. So these read the milliseconds from a sequence.
  const moved = `+ pg_sequence_last_value('public.day_ahead')::float8 * interval '1 millisecond'`
  await superuser.query(`
    create sequence day_ahead minvalue 0 start 0;
    select setval('day_ahead', 0);
    grant select on sequence day_ahead to public;
    create function real_clock_timestamp() returns timestamptz language internal volatile as 'clock_timestamp';
    alter function pg_catalog.pg_sequence_last_value(regclass) stable;
    create or replace function pg_catalog.now() returns timestamptz language sql stable parallel safe
      as $$ select transaction_timestamp() ${moved} $$;
    create or replace function pg_catalog.clock_timestamp() returns timestamptz language sql volatile parallel safe
      as $$ select public.real_clock_timestamp() ${moved} $$`)
  const signer = await newSigner('ES256', 'day-key')
  const bindings = {
    DATABASE_URL: appUrl(postgres.ownerUrl, 'day'),
    NEON_FETCH_ENDPOINT: bridge.endpoint,
    ENVIRONMENT: 'local',
    WEBHOOK_SECRET_KEY: secretKeys[0],
    METRICS_TOKEN: metricsToken,
    SLOW_REQUEST: '60000',
  }
  const receipts: Receipt[] = []
  let messages: Message[] = []
  const background = new Set<Promise<unknown>>()
  const inBackground = (work: Promise<unknown>) => {
    const going: Promise<unknown> = work.catch(() => {}).finally(() => background.delete(going))
    background.add(going)
  }

  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    if (world.database === 'away') throw new TypeError('fetch failed')
    const response = await fetch(url, init)
    // It committed, and the response is lost.
    if (world.database === 'failing' && Math.random() < 0.5) throw new TypeError('fetch failed')
    return response
  }

  async function receive(url: string | URL | Request, init?: RequestInit): Promise<Response> {
    const { host, searchParams } = new URL(String(url))
    if (host === 'dns.test')
      return Response.json({
        Status: 0,
        Answer: searchParams.get('type') === 'A' ? [{ type: 1, data: '93.184.215.14' }] : [],
      })
    if (host === hosts.broken && world.isReceiverBroken) throw new TypeError('fetch failed')
    const headers = new Headers(init?.headers)
    const id = headers.get('webhook-id') ?? ''
    const change = `${headers.get('service-topic')} ${headers.get('service-resource-version')}`
    receipts.push({
      ...{ id, change },
      subscription: id.split('_')[1] ?? '',
      resource: JSON.parse(String(init?.body))['@id'],
    })
    return new Response(null, { status: 204 })
  }

  const newRuntime = (): Runtime => ({
    database: openDatabase({ url: bindings.DATABASE_URL, fetchEndpoint: bindings.NEON_FETCH_ENDPOINT }),
    callbacks: { secretKeys, allowLoopback: false, dnsUrl: 'https://dns.test/dns-query', fetch: receive },
    queue: {
      async sendBatch(batch) {
        for (const { body, delaySeconds = 0 } of batch)
          messages.push({ body, at: Date.now() + delaySeconds * 1000, attempts: 1 })
      },
    },
    background: inBackground,
    limits: sendLimits,
    metrics: metricsOf(undefined),
    perform: async () => [],
    now: () => new Date(),
    random: Math.random,
  })
  const newService = () =>
    createApp({ afterWrite: async (tenant, _, __, soon) => inBackground(afterWrite(runtime, tenant, soon)) })
  let runtime = newRuntime()
  let service = newService()
  const context = { waitUntil: inBackground, passThroughOnException() {}, props: {} }

  async function handOver(batch: readonly Message[]): Promise<void> {
    const again = (message: Message, delaySeconds: number) => {
      if (message.attempts < mostAttempts)
        messages.push({ ...message, at: Date.now() + delaySeconds * 1000, attempts: message.attempts + 1 })
    }
    const open = new Set(batch)
    const received: Batch['messages'] = batch.map((message) => ({
      body: message.body,
      attempts: message.attempts,
      ack: () => open.delete(message),
      retry: ({ delaySeconds }) => open.delete(message) && again(message, delaySeconds),
    }))
    await consume({ queue: 'catalogue-work', messages: received }, runtime).catch(() => {})
    for (const message of open) again(message, 30)
  }

  const tokens = new Map<number, string>()
  async function tokenOf(tenant: number): Promise<string> {
    const known = tokens.get(tenant)
    if (known !== undefined) return known
    const host = hostOf(tenant)
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: `https://login.${host}/`, aud: `https://${host}/api`, sub: 'day', client_id: 'day' }
    const times = { iat, exp: iat + 86_400, jti: randomUUID() }
    const token = await signed(headerOf(signer), { ...claims, ...times, scope: allScopes.join(' ') }, signer)
    tokens.set(tenant, token)
    return token
  }

  const world = {
    owner,
    jwks: { keys: [signer.jwk] },
    receipts,
    secretKeys,
    database: 'here' as 'here' | 'failing' | 'away',
    isReceiverBroken: false,
    get waitingMessages() {
      return messages.length
    },
    async setClock(to: number): Promise<void> {
      const next = Math.max(ahead, to - RealDate.now())
      await superuser.query(`select setval('day_ahead', $1)`, [next])
      ahead = next
    },
    /** Sends a request of a tenant. A null tenant reads /metrics. */
    async request(
      tenant: number | null,
      method: string,
      path: string,
      body?: unknown,
      key: string = randomUUID(),
    ) {
      const headers = {
        authorization: `Bearer ${tenant === null ? metricsToken : await tokenOf(tenant)}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
        ...(method === 'POST' && { 'idempotency-key': key }),
      }
      const url = `http://${tenant === null ? 'monitor.test' : hostOf(tenant)}${path}`
      const request = new Request(url, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const response = await service.fetch(request, bindings, context as ExecutionContext)
      return { status: response.status, text: await response.text() }
    },
    cron: (minute: Date, only: Jobs = jobs) =>
      sendJobs(runtime, minute.getUTCMinutes() === 0, only).catch(() => {}),
    /** Hands over due messages until none is left and no work continues in the background. */
    async drain(): Promise<void> {
      for (;;) {
        const due = messages.filter(({ at }) => at <= Date.now())
        messages = messages.filter(({ at }) => at > Date.now())
        if (due.length === 0 && background.size === 0) return
        if (due.length === 0) await Promise.race([...background, sleep(5)])
        const worker = async () => {
          while (due.length > 0) await handOver(due.splice(0, messagesInBatch))
        }
        await Promise.all(Array.from({ length: batchesAtOnce }, worker))
      }
    },
    /** Applies all functions again while requests are served, replaces the Worker, and delivers the messages of its batches again. */
    async deploy(): Promise<void> {
      messages.push(...messages.map((message) => ({ ...message })))
      await owner.query(`delete from schema_migrations where name = 'functions'`)
      await migrate({ ownerUrl: postgres.ownerUrl, appPassword: null })
      runtime = newRuntime()
      service = newService()
    },
    async close(): Promise<void> {
      for (const client of [owner, superuser]) await client.end()
      await bridge.close()
      await postgres.stop()
    },
  }
  return world
}

export const hostOf = (tenant: number) => `t${tenant}.day.test`
