/** The checks of `npm run verify`. Each tries something that the service promises. */
import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Scope } from '../../core/scopes.ts'
import { type Check, Failed, NotTried, warn } from '../cli/checks.ts'
import { reasonOf } from '../cli/command.ts'
import type { Reply, RequestOptions } from '../cli/http.ts'
import { duration } from '../cli/output.ts'
import { type Received, startReceiver } from '../webhook-receiver.ts'
import {
  product,
  products,
  requireBody,
  requireProblem,
  requireStatus,
  requireTag,
  type Service,
  summaryOf,
} from './service.ts'

export type CheckContext = {
  readonly service: Service
  /** The beginning of all created names, and the tag of all created products: `verify-1b9d6bcd`. */
  readonly mark: string
  /** Where webhooks are received. Null if the service cannot call this computer. */
  readonly receiver: {
    readonly port: number
    /** The public URL of the port; null for its loopback address. */
    readonly url: URL | null
  } | null
  /** Whether the check of the rate limit may send hundreds of requests. */
  readonly pastLimit: boolean
  readonly signal: AbortSignal
}

export type ServiceCheck = Check<CheckContext> & {
  /** The scopes that the token needs. */
  readonly scopes: readonly Scope[]
}

/** The next step after most failures. */
const advice =
  "Find the request id in the service's log; if it has no line, the service or a proxy in front of it has a defect."
const writesProducts: readonly Scope[] = ['products:read', 'products:write']

const marked = (mark: string, name: string) => ({ title: `${mark} ${name}`, tags: [mark] })

async function created({ service, mark }: CheckContext, name: string) {
  const response = await service.request('POST', '/api/products', { body: marked(mark, name) })
  return { response, path: requireBody(response, 201, product)['@id'] }
}

const age = z.number().nullable()
const readiness = z.object({ migrations: z.string(), oldestWaitingEvent: age, oldestWaitingDelivery: age })
const unready = z.object({ checks: z.record(z.string(), z.unknown()) })

/** `/health` and `/ready`, which need no token. */
export const ready: Check<Pick<CheckContext, 'service'>> & Pick<ServiceCheck, 'scopes'> = {
  name: 'health and ready',
  scopes: [],
  advice:
    'Are DNS record, certificate and route there? Find answer_failed in the log; .github/docs/logs.md, "Alive and ready".',
  async run({ service }) {
    const ask = (path: string) => service.request('GET', path, { anonymous: true })
    requireBody(await ask('/health'), 200, z.looseObject({ status: z.literal('ok') }))
    const response = await ask('/ready')
    const { data } = unready.safeParse(response.body)
    if (response.status === 503 && data) {
      const states = Object.entries(data.checks).map((entry) => entry.join(' '))
      throw new Failed(`${summaryOf(response)}: ${states.join(', ')}`)
    }
    const { migrations, oldestWaitingEvent, oldestWaitingDelivery } = requireBody(response, 200, readiness)
    if (migrations === 'ahead')
      return [warn('the Worker is older than the database', 'npm run deploy sends the Worker of this tree.')]
    const ageOf = (seconds: number | null) => (seconds === null ? 'none' : duration(seconds))
    const seen = `migrations ${migrations}, oldest event ${ageOf(oldestWaitingEvent)}, oldest delivery ${ageOf(oldestWaitingDelivery)}`
    const isLate = (oldestWaitingEvent ?? 0) >= 600
    return isLate ? [warn(seen, 'Are the queues and the cron of the Worker there?')] : seen
  },
}

/** `/docs` and `/admin` exist, forbid foreign scripts, and work under their policy. */
const pages: ServiceCheck = {
  name: 'pages under their policy',
  advice: 'Run npm run build, and deploy its files with the Worker.',
  scopes: [],
  async run({ service }) {
    let files = 0
    for (const path of ['/docs', '/admin']) {
      const page = requireStatus(await service.request('GET', path, { anonymous: true }), 200)
      if (!page.headers['content-type']?.startsWith('text/html'))
        throw new Failed(`${summaryOf(page)} without HTML`)
      requirePolicy(page)
      for (const file of filesOf(page, new URL(path, service.origin))) {
        requireStatus(await service.request('GET', file, { anonymous: true }), 200)
        files += 1
      }
    }
    return `/docs and /admin with ${files} files, all of their own host, no script in the page`
  },
}

/** @throws Failed if the policy allows inline scripts or scripts of other hosts */
function requirePolicy(page: Reply): void {
  const policy = page.headers['content-security-policy']
  if (typeof policy !== 'string') throw new Failed(`${summaryOf(page)} without Content-Security-Policy`)
  const directives = new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/)
      return [name, sources.join(' ')]
    }),
  )
  const required = { 'default-src': "'none'", 'script-src': "'self'", 'frame-ancestors': "'none'" }
  for (const [name, sources] of Object.entries(required)) {
    const found = directives.get(name) ?? 'nothing'
    if (found !== sources)
      throw new Failed(`${page.request}: its policy has ${name} ${found}, not ${sources}`)
  }
}

/** The paths of scripts, styles and icons. @throws Failed for one that the policy forbids */
function filesOf(page: Reply, url: URL): string[] {
  const scripts = [...page.text.matchAll(/<script\b([^>]*)>([^<]*)/gi)]
  const inline = scripts.filter(([, attributes, text]) => !/\bsrc=/.test(attributes ?? '') || text?.trim())
  if (inline.length > 0 || /<[^>]+\son\w+=/i.test(page.text))
    throw new Failed(`${page.request} has an inline script, which its policy forbids`)
  const links = [...page.text.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]*)"/gi)]
  return links.flatMap(([, link = '']) => {
    if (link.startsWith('data:')) return []
    const { origin, pathname } = new URL(link, url)
    if (origin !== url.origin) throw new Failed(`${page.request} refers to ${link}, which its policy forbids`)
    return [pathname]
  })
}

/** A host of no tenant at the same address. */
const unknownHost: ServiceCheck = {
  name: 'unknown host',
  advice: 'A tenant has this host, or a proxy changes the header Host.',
  scopes: [],
  async run({ service, mark }) {
    const host = otherHost(service.origin.hostname, mark)
    const response = await service
      .request('GET', '/api/products', { host, anonymous: true })
      .catch((error) => {
        if (error instanceof NotTried || service.origin.protocol === 'http:') throw error
        throw new NotTried(`${host}: ${reasonOf(error)}`)
      })
    // A network in front of the service may reject the name. Then this says nothing about the service.
    if (response.headers['x-request-id'] === undefined && response.status >= 300)
      throw new NotTried(`${host}: the network in front of the service answered ${response.status}`)
    requireProblem(response, 404, 'http.tenant_not_found')
    return `${summaryOf(response)} for ${host}`
  },
}

/** A host in the same zone, which its certificate covers and a wildcard route leads to the service. */
function otherHost(host: string, mark: string): string {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0 || host === 'localhost') return `${mark}.invalid`
  const [, ...zone] = host.split('.')
  return zone.length > 1 || host.endsWith('.localhost') ? [mark, ...zone].join('.') : `${mark}.${host}`
}

/** A product is read compressed, and changed with its entity tag, which proxies that compress weaken. */
const entityTags: ServiceCheck = {
  name: 'compression and If-Match',
  advice,
  scopes: writesProducts,
  async run(context) {
    const { service } = context
    const { path } = await created(context, 'compressed')
    const plain = requireStatus(await service.request('GET', path), 200)
    const headers = { 'accept-encoding': 'gzip, br' }
    const packed = requireStatus(await service.request('GET', path, { headers }), 200)
    if (packed.text !== plain.text) throw new Failed(`${path} has another body if it is compressed`)
    const tag = requireTag(packed)
    requireStatus(await service.request('GET', path, { headers: { 'if-none-match': tag } }), 304)

    const weak = { 'if-match': tag.replace(/^(?:W\/)?/, 'W/') }
    const change = (vendor: string) => service.request('PATCH', path, { headers: weak, body: { vendor } })
    requireBody(await change('first'), 200, product)
    requireProblem(await change('second'), 412, 'concurrency.version_mismatch')
    const encoding = packed.headers['content-encoding'] ?? 'not compressed'
    return `${encoding}, ETag ${tag}; If-Match ${weak['if-match']}: 200, then 412`
  },
}

/** Unique constraints of the database are returned as problems. */
const conflicts: ServiceCheck = {
  name: 'constraint conflicts',
  advice,
  scopes: writesProducts,
  async run({ service, mark }) {
    const name = `${mark}-taken`
    const create = (body: object) =>
      service.request('POST', '/api/products', { body: { ...marked(mark, 'conflict'), ...body } })
    const variants = [{ sku: name }]
    requireBody(await create({ handle: name, externalId: name, variants }), 201, product)
    requireProblem(await create({ handle: name }), 409, 'product.handle_taken')
    requireProblem(await create({ externalId: name }), 409, 'product.external_id_taken')
    requireProblem(await create({ variants }), 409, 'variant.sku_taken')
    return 'the same handle, externalId and SKU again: 409 each, as catalogued'
  },
}

/** The same write twice with one `Idempotency-Key`, and another write with it. */
const replay: ServiceCheck = {
  name: 'idempotent replay',
  advice,
  scopes: writesProducts,
  async run({ service, mark }) {
    const headers = { 'idempotency-key': randomUUID() }
    const body = marked(mark, 'replayed')
    const first = await service.request('POST', '/api/products', { headers, body })
    const { '@id': path } = requireBody(first, 201, product)
    const second = await service.request('POST', '/api/products', { headers, body })
    const { '@id': again } = requireBody(second, 201, product)
    if (again !== path)
      throw new Failed(`the same write with the same key made two products: ${path}, ${again}`)
    if (second.headers['idempotency-replayed'] !== 'true')
      throw new Failed(`${summaryOf(second)} without Idempotency-Replayed: true`)
    if (first.headers['idempotency-replayed'] !== undefined)
      throw new Failed(`${summaryOf(first)} with Idempotency-Replayed, although it was the first`)
    const other = { ...body, vendor: 'another' }
    const misused = await service.request('POST', '/api/products', { headers, body: other })
    requireProblem(misused, 422, 'idempotency.key_reused')
    return 'the same write: one product, Idempotency-Replayed; another write with its key: 422'
  },
}

/** Writers that have read the same version write at once. */
const race: ServiceCheck = {
  name: 'race of eight writers',
  advice,
  scopes: writesProducts,
  async run(context) {
    const { service } = context
    const { path, response } = await created(context, 'raced')
    const headers = { 'if-match': requireTag(response) }
    const vendors = Array.from({ length: 8 }, (_, index) => `writer ${index + 1}`)
    const responses = await Promise.all(
      vendors.map((vendor) => service.request('PATCH', path, { headers, body: { vendor } })),
    )
    const won = responses.filter(({ status }) => status === 200)
    for (const lost of responses.filter(({ status }) => status !== 200)) {
      if (lost.status === 409) requireProblem(lost, 409, 'concurrency.busy')
      else requireProblem(lost, 412, 'concurrency.version_mismatch')
    }
    const [winner, ...others] = won
    if (!winner || others.length > 0) throw new Failed(`${won.length} of ${vendors.length} writers won`)
    const { vendor } = requireBody(winner, 200, product)
    const stored = requireBody(await service.request('GET', path), 200, product)
    if (stored.vendor !== vendor || stored.version !== 2)
      throw new Failed(`${vendor} won, and version ${stored.version} is of ${stored.vendor}`)
    const busy = responses.filter(({ status }) => status === 409).length
    return `one 200, ${vendors.length - 1 - busy} × 412, ${busy} × 409; version 2 is the winner's`
  },
}

/** Writes whose connection breaks before their response, repeated with the same key. */
const abortedWrite: ServiceCheck = {
  name: 'abort in mid-write',
  advice,
  scopes: writesProducts,
  async run({ service, mark }) {
    // In the body, and milliseconds after its last byte.
    const times = ['in its body', 0, 5, 20] as const
    let [cut, replayed] = [0, 0]
    for (const [index, time] of times.entries()) {
      const tag = `${mark}-cut-${index}`
      const options = {
        headers: { 'idempotency-key': randomUUID() },
        body: { title: `${mark} cut`, tags: [mark, tag] },
      }
      if (await service.cut('POST', '/api/products', options, time)) cut += 1
      const response = await repeatedWrite(service, options)
      if (response.headers['idempotency-replayed'] === 'true') replayed += 1
      const { '@id': path } = requireBody(response, 201, product)
      const list = requireBody(await service.request('GET', `/api/products?tag=${tag}`), 200, products)
      if (list.totalItems !== 1 || list.member[0]?.['@id'] !== path) {
        const when = time === 'in its body' ? time : `${time} ms after it was sent`
        throw new Failed(`cut ${when} and repeated with its key, a write made ${list.totalItems} products`)
      }
    }
    return `${cut} of ${times.length} cut before their response, each repeated: one product each, ${replayed} replayed`
  },
}

/** Repeats a write until the first one has ended, also after the run was stopped: until then its result is unknown. */
async function repeatedWrite({ requestAlways }: Service, options: RequestOptions): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await requestAlways('POST', '/api/products', options)
    if ((response.status !== 409 && response.status !== 503) || attempt === 40)
      return requireStatus(response, 201)
    await sleep(250)
  }
}

/** Reads at once, each on its own connection, are answered or get a `Retry-After`. */
const parallelReads: ServiceCheck = {
  name: '300 parallel reads',
  advice,
  scopes: writesProducts,
  async run(context) {
    const { service, mark } = context
    const { path } = await created(context, 'read')
    const durations: number[] = []
    const responses = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const started = performance.now()
        const response = await service.requestOnce(
          'GET',
          index % 2 === 0 ? path : `/api/products?tag=${mark}`,
        )
        durations.push(performance.now() - started)
        return response
      }),
    )
    const wrong = responses.find(
      ({ status, headers }) =>
        status !== 200 && !([429, 503].includes(status) && headers['retry-after'] !== undefined),
    )
    if (wrong) throw new Failed(`${summaryOf(wrong)} without Retry-After`)
    const counts = Map.groupBy(responses, ({ status }) => status)
    if (!counts.has(200)) throw new Failed('none of them was answered')
    const statuses = [...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ')
    return `${statuses}; the slowest took ${Math.round(Math.max(...durations))} ms`
  },
}

/** Milliseconds: the second attempt is due after 5 s. If the queue lost it, the cron finds it within two minutes. */
const webhookTimeoutMs = 150_000

/** A webhook to a receiver that fails once arrives again, unchanged and signed. */
export const webhook: ServiceCheck = {
  name: 'webhook that fails once',
  advice: 'Find consumer_failed and attempt_failed in the log. Does --receiver lead to --listen?',
  scopes: [...writesProducts, 'webhook_subscriptions:read', 'webhook_subscriptions:write'],
  async run({ service, mark, receiver: place, signal }) {
    if (!place) throw new NotTried('the service cannot call this computer: --receiver URL --listen PORT')
    const received: Received[] = []
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const receiver = await startReceiver({
      port: place.port,
      failRate: 0.5,
      random: () => (received.some(({ status }) => status === 500) ? 1 : 0),
      show: (delivery) => {
        received.push(delivery)
        if (repeatedDelivery(received)) end()
      },
    })
    const timer = setTimeout(end, webhookTimeoutMs)
    signal.addEventListener('abort', () => end())
    try {
      const base = place.url ?? new URL(receiver.url)
      const callbackUrl = `${base.href.replace(/\/?$/, '/')}${mark}`
      const body = { topic: 'product/created', callbackUrl, includeFields: ['title'] }
      const subscription = z.looseObject({ '@id': z.string(), secret: z.string() })
      const response = await service.request('POST', '/api/webhook_subscriptions', { body })
      receiver.trust(requireBody(response, 201, subscription).secret)
      const options = { body: marked(mark, 'sent') }
      requireBody(await service.request('POST', '/api/products', options), 201, product)
      const started = performance.now()
      await isOver
      if (signal.aborted) throw new NotTried('stopped')
      return deliveryResult(received, performance.now() - started)
    } finally {
      clearTimeout(timer)
      await receiver.close()
    }
  },
}

const idOf = ({ headers }: Received) => headers['webhook-id']

/** The delivery that was answered 204 after a 500. */
function repeatedDelivery(received: readonly Received[]): Received | undefined {
  const failed = received.find(({ status }) => status === 500)
  return failed && received.find((delivery) => delivery.status === 204 && idOf(delivery) === idOf(failed))
}

/** @throws Failed if the delivery did not arrive again, or with another body */
function deliveryResult(received: readonly Received[], durationMs: number): string {
  const failed = received.find(({ status }) => status === 500)
  const again = repeatedDelivery(received)
  if (!failed || !again) {
    const fault = received.find((delivery) => delivery.fault !== undefined)?.fault
    const seen =
      received.length === 0 ? 'nothing arrived' : failed ? 'it arrived once' : `signature: ${fault}`
    throw new Failed(`${seen} in ${Math.round(webhookTimeoutMs / 1000)} s`)
  }
  if (again.body !== failed.body) throw new Failed('it arrived again with another body')
  const attempts = [failed, again].map(({ headers }) => headers['service-delivery-attempt'])
  return `answered 500, arrived again after ${(durationMs / 1000).toFixed(1)} s as attempts ${attempts.join(' and ')}, unchanged and signed`
}

/** A number of requests that may be exceeded without `--past-limit`. */
const fewRequests = 100
const requestsAtOnce = 50

/** Reads until the service rejects them. It runs last, because the client is then rejected for a while. */
export const pastLimit: ServiceCheck = {
  name: '429 past the limit',
  advice:
    'Check the variable RATE_LIMITS and the rate limit bindings in wrangler.toml. "npm start" limits clients only with RATE_LIMITS=on.',
  scopes: [],
  async run({ service, pastLimit: isRequested }) {
    const { requests, seconds } = await readLimitOf(service)
    if (!isRequested && requests > fewRequests)
      throw new NotTried(`${requests} reads in ${seconds} s are allowed: --past-limit exceeds them`)
    // Counters of the platform are exact only on average, and a window may end meanwhile.
    const most = 3 * requests + fewRequests
    for (let sent = 0; sent < most; sent += requestsAtOnce) {
      const responses = await Promise.all(
        Array.from({ length: requestsAtOnce }, () => service.requestOnce('GET', '/api/versions')),
      )
      const rejected = responses.find(({ status }) => status !== 200)
      if (!rejected) continue
      requireProblem(rejected, 429, 'rate_limit.exceeded')
      const { 'retry-after': wait, ratelimit } = rejected.headers
      if (!(Number(wait) > 0) || !String(ratelimit).includes('"reads";r=0'))
        throw new Failed(`${summaryOf(rejected)} without Retry-After and RateLimit`)
      const good = responses.filter(({ status }) => status === 200).length
      return `429 after ${sent + good} reads, Retry-After ${wait}, RateLimit ${ratelimit}`
    }
    throw new Failed(`${most} reads, of which ${requests} in ${seconds} s are allowed, and no 429`)
  },
}

/** The limit in `RateLimit-Policy`. @throws Failed without one */
async function readLimitOf(service: Service): Promise<{ requests: number; seconds: number }> {
  const response = requireStatus(await service.request('GET', '/api/versions'), 200)
  const found = /"reads";q=(\d+);w=(\d+)/.exec(String(response.headers['ratelimit-policy']))
  if (!found) throw new Failed(`${summaryOf(response)} without RateLimit-Policy for reads`)
  return { requests: Number(found[1]), seconds: Number(found[2]) }
}

/** The checks that run one after the other. The webhook check, which mostly waits, runs at the same time. */
export const sequentialChecks: readonly ServiceCheck[] = [
  ready,
  pages,
  unknownHost,
  entityTags,
  conflicts,
  replay,
  race,
  abortedWrite,
  parallelReads,
]
