/** Sends the requests that change the catalogue, and records their events and webhooks. */
import { Webhook as Verifier } from 'standardwebhooks'
import { passStep, passTime } from './clock.ts'
import { setTenantClock } from './derived.ts'
import { Ordinals } from './ordinals.ts'
import { outcomeOf } from './outcome.ts'
import { callersAt } from './read-run.ts'
import type { Entry } from './recording.ts'
import type { Received, Service, Webhook } from './service.ts'
import type { Call, Site } from './writes.ts'

/** Subscriptions to all topics: one plain, one with an old version and another locale, one with fewer fields. */
const subscriptions = [
  { topic: '*', callbackUrl: 'https://hooks.shop.dev/all' },
  { topic: '*', callbackUrl: 'https://hooks.shop.dev/old', version: '2026-04', locale: 'fr-FR' },
  {
    topic: '*',
    callbackUrl: 'https://hooks.shop.dev/few',
    includeFields: ['title', '*.id', 'variants.*.sku'],
  },
]

/** Runs a topic in a tenant of its own. `number` makes its id. */
export async function writeEntries(
  service: Service,
  name: string,
  number: number,
  run: (site: Site) => Promise<void>,
): Promise<Entry[]> {
  const host = `${name}.test`
  const id = `01a20000-0000-7000-8000-${String(number).padStart(12, '0')}`
  await service.addTenant({ id, host, locales: ['en-US', 'fr-FR'] })
  let callers = await callersAt(service, host)
  const { replace } = new Ordinals()
  const entries: Entry[] = []
  const webhooks: Webhook[] = []
  const secrets: string[] = []
  const failing = new Map<string, number>()
  service.takeWebhooks()
  service.respondToWebhooks(({ url }) => {
    const [, status = 204] = [...failing].find(([text]) => url.includes(text)) ?? []
    return new Response(null, { status })
  })

  const call: Call = async (request, body, options = {}) => {
    const { caller = 'full', locale, version, headers: more = {} } = options
    const [method = '', path = ''] = request.split(' ')
    const raw =
      typeof body === 'string' || body instanceof Uint8Array ? new Uint8Array(Buffer.from(body)) : undefined
    const token = callers[caller] ?? null
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json'
    const headers = Object.entries({
      authorization: token && `Bearer ${token}`,
      'content-type': body === undefined ? null : type,
      'service-locale': locale ?? null,
      'service-api-version': version ?? null,
      ...more,
    }).filter((header): header is [string, string] => header[1] !== null)
    passStep()
    const received = await service.send(host, {
      method,
      path,
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body: raw ?? JSON.stringify(body) }),
    })
    webhooks.push(...sortWebhooks(service.takeWebhooks()))
    const json = jsonIn(received)
    if (typeof json?.secret === 'string') secrets.push(json.secret)
    const title = [
      method,
      path,
      ...(caller === 'full' ? [] : [caller]),
      ...[version, locale].filter((part) => part !== undefined),
      ...Object.entries(more).map(([header, value]) => `${header}: ${replace(value ?? '')}`),
      ...(body === undefined
        ? []
        : [typeof body === 'string' ? body : raw ? `${raw.length} bytes` : JSON.stringify(body)]),
    ]
    entries.push({
      title: title
        .map((part) => replace(part))
        .join(' ')
        .slice(0, 600)
        .toWellFormed(),
      outcomes: [outcomeOf({ host, context: '', version, locale }, sortDeliveries(path, received), replace)],
    })
    const etag = received.headers.find(([header]) => header === 'etag')?.[1] ?? ''
    return { status: received.status, etag, body: json }
  }

  for (const body of subscriptions) await call('POST /api/webhook_subscriptions', body)
  const site: Site = {
    call,
    setClock: (moment) => setTenantClock(service.owner, id, moment),
    async runScheduled() {
      await service.runScheduled()
      webhooks.push(...sortWebhooks(service.takeWebhooks()))
    },
    async passTime(milliseconds) {
      passTime(milliseconds)
      // A token lives for an hour.
      callers = await callersAt(service, host)
    },
    failReceivers: (text, status) => void failing.set(text, status),
  }
  // If a response lacks a value that the next request needs, the comparison shows where the topic ended.
  await run(site).catch((error: Error) => {
    const outcome = { context: '', head: replace(error.message), body: '' }
    entries.push({ title: 'The topic ended early', outcomes: [outcome] })
  })
  await everyEvent(call)
  await call('GET /api/events?after=3&itemsPerPage=20', undefined, { version: '2026-04', locale: 'fr-FR' })
  return [...entries, ...webhooks.map((webhook) => webhookEntry(webhook, secrets, replace))]
}

async function everyEvent(call: Call): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { body } = await call(`GET /api/events?after=${after}&itemsPerPage=100`)
    after = body?.member?.[99]?.sequence
  }
}

function jsonIn({ text }: Received) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sorts a list of deliveries: deliveries with the same time of creation come in any order. */
function sortDeliveries(path: string, received: Received): Received {
  const document = /\/deliveries(?:\?|$)/.test(path) ? jsonIn(received) : undefined
  if (!document?.member) return received
  const member = document.member.toSorted(
    (a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence,
  )
  return { ...received, text: JSON.stringify({ ...document, member }) }
}

/** Sorts the webhooks of one request, which arrive in any order. */
function sortWebhooks(webhooks: readonly Webhook[]): Webhook[] {
  const keyOf = ({ url, headers }: Webhook) =>
    [headers['service-sequence']?.padStart(9, '0'), url, headers['service-delivery-attempt']].join(' ')
  return webhooks.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function webhookEntry(
  { url, headers, body }: Webhook,
  secrets: readonly string[],
  replace: Ordinals['replace'],
): Entry {
  const signatures = headers['webhook-signature']?.split(' ') ?? []
  const good = signatures.filter((signature) =>
    secrets.some((secret) => isSigned(secret, body, { ...headers, 'webhook-signature': signature })),
  )
  const values = { ...headers, 'webhook-signature': `${good.length} of ${signatures.length} hold` }
  const head = Object.entries(values)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${replace(value)}`)
    .join(' · ')
  const title = `webhook to ${new URL(url).pathname}, sequence ${headers['service-sequence']}`
  return { title, outcomes: [{ context: '', head, body: replace(body) }] }
}

function isSigned(secret: string, body: string, headers: Readonly<Record<string, string>>): boolean {
  // The library compares the timestamp with the clock, which the replay has moved since.
  const { now } = Date
  Date.now = () => Number(headers['webhook-timestamp']) * 1000
  try {
    new Verifier(secret).verify(body, { ...headers })
    return true
  } catch {
    return false
  } finally {
    Date.now = now
  }
}
