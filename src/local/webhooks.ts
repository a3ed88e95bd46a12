import { createHmac, randomBytes } from 'node:crypto'
import { styleText } from 'node:util'
import { topics } from '../resources/events/topics.ts'
import { signedHeaders } from '../resources/webhooks/dispatch/attempt.ts'
import {
  command,
  Failure,
  httpUrl,
  isLoopback,
  option,
  runHere,
  text,
  type ValuesOf,
  wholeNumber,
} from './cli/command.ts'
import { type Client, localOptions, openLocalClient, serviceFault } from './cli/http.ts'
import { localKeys } from './local-tenants.ts'
import { isTaken } from './network.ts'
import { Lifetime } from './processes.ts'
import { usedService } from './running.ts'
import { type Received, startReceiver } from './webhook-receiver.ts'

/** A delivery as text: a line with its topic and result, its headers, and its body as indented JSON. */
export function deliveryText({ headers, body, status, fault }: Received, at: Date): string {
  const attempt = headers['service-delivery-attempt'] ?? '1'
  const topic = headers['service-topic'] ?? 'a request without a topic'
  const verdict =
    status === 401
      ? styleText('red', `✘ refused with 401: ${fault}`)
      : `${styleText('green', '✔ signature holds')}${status === 500 ? styleText('yellow', ', answered 500 on purpose') : ''}`
  const again = attempt === '1' ? '' : styleText('yellow', `, attempt ${attempt}`)
  const lines = Object.entries(headers)
    .filter(([name]) => /^(?:webhook-|service-|user-agent|content-type)/.test(name))
    .map(([name, value]) => `  ${styleText('dim', `${name}:`)} ${value}`)
  return [
    `${styleText('dim', at.toISOString().slice(11, 23))} ${styleText('bold', topic)}${again}  ${verdict}`,
    ...lines,
    indented(body).replace(/^/gm, '  '),
    '',
  ].join('\n')
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const share = text.transform(Number).refine((number) => number >= 0 && number <= 1, 'is a number from 0 to 1')

const options = {
  ...localOptions,
  topic: option(
    'TOPIC',
    "a topic, 'product/*' or '*' (default: '*'); GET /api/webhook_topics lists all topics",
    text.default('*'),
  ),
  version: option(
    'VERSION',
    "the API version of payloads, such as 2026-04 (default: the tenant's)",
    text.optional(),
  ),
  locale: option(
    'TAG',
    "the language of payloads, such as fr-FR (default: the tenant's default)",
    text.optional(),
  ),
  'include-fields': option(
    'PATHS',
    'dot paths separated by commas: title,variants.sku,categories.*.id (default: all)',
    text.optional(),
  ),
  'fail-rate': option(
    'NUMBER',
    'the share of deliveries that the receiver answers with 500, to see retries: 0 to 1 (default: 0)',
    share.default(0),
  ),
  listen: option(
    'NUMBER',
    'the port of the receiver (default: any free port)',
    wholeNumber(0, 65_535).default(0),
  ),
  replay: option(
    'DELIVERY',
    'instead of subscribing, sends this delivery (its IRI or id) to this machine once',
    text.optional(),
  ),
  to: option(
    'URL',
    'with --replay, the address on this machine (default: a receiver that prints the delivery)',
    httpUrl
      .refine(
        (url) => isLoopback(new URL(url).hostname),
        'is an address of this machine: http://localhost:3000/webhooks',
      )
      .optional(),
  ),
  secret: option(
    'SECRET',
    'with --replay, the secret that signs (default: a secret of this machine, which is printed)',
    text.regex(/^whsec_[A-Za-z0-9+/]+=*$/, 'begins with whsec_').optional(),
  ),
}

/** `npm run webhooks`. */
export const webhooksCommand = command({
  name: 'webhooks',
  summary:
    'Subscribes to a topic of a local tenant, prints each webhook that arrives, and unsubscribes at the end.',
  examples: [
    "npm run webhooks -- --tenant acme --topic 'product/*'",
    'npm run webhooks -- --tenant acme --replay DELIVERY --to http://localhost:3000/webhooks',
  ],
  options,
  notes: [
    'The receiver verifies each delivery with the package "standardwebhooks" and answers 204, or 401 if the signature is wrong. Ctrl-C ends the command and deletes the subscription.',
    'A replay reads the body of the delivery from the service, which renders it from its event, and sends it with the headers of the last attempt. The service records no attempt. The secret of the subscription cannot be read, so that another one signs.',
  ],
  faults: ({ replay, to, secret }) =>
    replay === undefined && (to !== undefined || secret !== undefined)
      ? ['--to and --secret belong to --replay.']
      : [],
  exitCodes: '0 ended by Ctrl-C or the receiver accepted the replay, 1 failed',
  async run({ port: given, ...values }, { print }) {
    const { port, directory } = await usedService(given)
    if (values.replay !== undefined) {
      const secret = values.secret ?? secretOf(await localKeys(directory))
      return replay({ ...values, port, secret, delivery: values.replay, print })
    }
    const lifetime = new Lifetime()
    await start({ ...values, port }, lifetime).catch((error: Error) => {
      const address = `${values.tenant}.localhost:${port}`
      return lifetime.end(1, serviceFault(error, address) ?? error.message)
    })
    return 0
  },
})

/** A secret for replays to this machine, the same in each run. */
function secretOf({ signing }: Awaited<ReturnType<typeof localKeys>>): string {
  return `whsec_${createHmac('sha256', String(signing.d)).update('webhook replays').digest('base64')}`
}

type Delivery = {
  '@id': string
  event: string
  topic: string
  resource: string
  version: string
  sequence: number
  resourceVersion: number
  webhookId: string
  attempts: number
}

type Replay = Pick<ValuesOf<typeof options>, 'tenant' | 'token' | 'to' | 'listen' | 'fail-rate'> & {
  readonly port: number
  readonly delivery: string
  readonly secret: string
  readonly print: (text: string) => void
}

/** Sends a delivery to this machine once. Returns the exit code. */
async function replay({ delivery: asked, secret, print, listen, ...values }: Replay): Promise<number> {
  await using things = new AsyncDisposableStack()
  const client = things.adopt(await openLocalClient(values), async (opened) => opened.close())
  try {
    const delivery = await client.read<Delivery>(await pathOfDelivery(client, asked))
    const { body, error } = await client.read<{ body: string | null; error: string | null }>(
      `${delivery['@id']}/body`,
    )
    if (body === null)
      throw new Failure(`The service cannot render the body of ${delivery['@id']}: ${error}.`)
    const [eventId = '', subscriptionId = ''] = delivery.webhookId.split('_')
    const isBoundary = topics.some((topic) => topic.isBoundary && topic.name === delivery.topic)
    const { effectiveAt } = isBoundary
      ? await client.read<{ effectiveAt: string }>(delivery.event)
      : { effectiveAt: null }
    const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
    const sent = {
      ...delivery,
      eventId,
      subscriptionId,
      effectiveAt,
      traceparent,
      payloadVersion: delivery.version,
    }
    const number = Math.max(1, delivery.attempts)
    const headers = await signedHeaders({ ...sent, number }, body, [secret], new Date())
    const url = values.to ?? (await ownReceiver())
    print(`Sends ${delivery.topic} of ${delivery.resource} to ${url}, signed with ${secret}\n`)
    const began = performance.now()
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' }).catch(() => {
      throw new Failure(`Nothing answers at ${url}.`)
    })
    const text = await response.text()
    print(`The receiver answered ${response.status} in ${Math.round(performance.now() - began)} ms.`)
    if (text !== '') print(text.slice(0, 1024))
    return response.ok ? 0 : 1
  } catch (error) {
    const fault = serviceFault(error, `${values.tenant}.localhost:${values.port}`)
    throw fault === null ? error : new Failure(fault)
  }

  async function ownReceiver(): Promise<string> {
    const show = (received: Received) => print(deliveryText(received, new Date()))
    const receiver = await startReceiver({ port: listen, failRate: values['fail-rate'], show })
    things.defer(() => receiver.close())
    receiver.trust(secret)
    return receiver.url
  }
}

/** The path of a delivery from its IRI, or from its id in any subscription of the tenant. */
async function pathOfDelivery(client: Client, asked: string): Promise<string> {
  if (asked.includes('/')) return new URL(asked, 'http://service.invalid').pathname
  for (const { '@id': subscription } of await client.list<Subscription>('/api/webhook_subscriptions')) {
    const path = `${subscription}/deliveries/${encodeURIComponent(asked)}`
    if ((await client.send('GET', path)).status === 200) return path
  }
  throw new Failure(`No subscription of the tenant has a delivery ${asked}.`)
}

type Subscription = { '@id': string; secret: string; version: string | null; topic: string }

async function start(
  {
    tenant,
    port,
    listen,
    token,
    topic,
    version,
    locale,
    ...values
  }: ValuesOf<typeof options> & { readonly port: number },
  lifetime: Lifetime,
): Promise<void> {
  const host = `${tenant}.localhost`
  if (!(await isTaken(port))) throw new Failure(`Nothing answers at ${host}:${port}. Is "npm start" running?`)
  const client = await openLocalClient({ tenant, port, token })
  const show = (received: Parameters<typeof deliveryText>[0]) =>
    console.log(deliveryText(received, new Date()))
  const receiver = await lifetime.hold(
    startReceiver({ port: listen, failRate: values['fail-rate'], show }),
    (running) => running.close(),
  )
  const includeFields = values['include-fields']?.split(',').map((path) => path.trim())
  const body = {
    topic,
    ...(version !== undefined && { version }),
    ...(locale !== undefined && { locale }),
    ...(includeFields && { includeFields }),
  }
  const subscription = await lifetime.hold(
    client.write<Subscription>('POST', '/api/webhook_subscriptions', { callbackUrl: receiver.url, ...body }),
    (created) => remove(client, created),
  )
  receiver.trust(subscription.secret)
  console.log(
    `Subscribed to ${subscription.topic} of ${host}:${port}${subscription.version ? ` in version ${subscription.version}` : ''}, called at ${receiver.url}\n` +
      'Change something. Ctrl-C ends this and deletes the subscription.\n',
  )
}

async function remove(client: Client, { '@id': path }: Subscription): Promise<void> {
  try {
    const { status } = await client.send('DELETE', path)
    if (status !== 204 && status !== 404) console.error(`${path} was not removed (status ${status}).`)
  } catch {
    console.error(`${path} was not removed: the service is away.`)
  }
  client.close()
}

if (import.meta.main) await runHere(webhooksCommand)
