import { styleText } from 'node:util'
import { command, Failure, localTenant, option, port, runHere, text, wholeNumber } from './cli/command.ts'
import { type Client, isUnreachable, openClient, Refusal } from './cli/http.ts'
import { isTaken } from './network.ts'
import { Lifetime } from './processes.ts'
import { type Received, startReceiver } from './webhook-receiver.ts'

type Style = Parameters<typeof styleText>[0]

/** A delivery as text for a person: a line that sums it up, a sentence where its topic has one, its headers, its body as indented JSON. */
export function deliveryText({ headers, body, status, fault }: Received, at: Date): string {
  const attempt = headers['service-delivery-attempt'] ?? '1'
  const topic = headers['service-topic'] ?? 'a request without a topic'
  const verdict =
    status === 401
      ? styleText('red', `✘ refused with 401: ${fault}`)
      : `${styleText('green', '✔ signature holds')}${status === 500 ? styleText('yellow', ', answered 500 on purpose') : ''}`
  const again = attempt === '1' ? '' : styleText('yellow', `, attempt ${attempt}`)
  const sentence = sentenceOf({ headers, body })
  const lines = Object.entries(headers)
    .filter(([name]) => /^(?:webhook-|service-|user-agent|content-type)/.test(name))
    .map(([name, value]) => `  ${styleText('dim', `${name}:`)} ${value}`)
  return [
    `${styleText('dim', at.toISOString().slice(11, 23))} ${styleText('bold', topic)}${again}  ${verdict}`,
    ...(sentence === null ? [] : [`  ${sentence}`]),
    ...lines,
    coloured(indented(body)).replace(/^/gm, '  '),
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

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g

function coloured(json: string): string {
  return json.replace(token, (whole, text?: string, colon?: string) => {
    if (text === undefined) return styleText('yellow', whole)
    const style: Style = colon === undefined ? 'green' : 'cyan'
    return `${styleText(style, text)}${colon ?? ''}`
  })
}

/** A sentence about an offer that began or ended; null for other topics. It omits fields that the delivery lacks. */
export function sentenceOf({ headers, body }: Pick<Received, 'headers' | 'body'>): string | null {
  const sentence = sentences[headers['service-topic'] ?? '']
  const at = headers['service-effective-at']
  const offer = sentence && at ? offerIn(body) : null
  if (!sentence || !at || !offer) return null
  const { id, amount, currency, compareAtAmount, variant, channel, countries, minQuantity, validUntil } =
    offer
  const price = [
    amount && currency ? `${amount} ${currency}` : null,
    compareAtAmount ? `instead of ${compareAtAmount}` : null,
    variant ? `for ${variant}` : null,
    minQuantity && minQuantity > 1 ? `from ${minQuantity} pieces on` : null,
    channel ? `in the channel ${channel}` : null,
    countries && countries.length > 0 ? `in ${countries.join(', ')}` : null,
  ].filter((each) => each !== null)
  const what = price.length > 0 ? price.join(' ') : 'its price'
  return `Sale offer ${id} ${sentence({ at, what, until: validUntil ?? null })}`
}

type Boundary = { readonly at: string; readonly what: string; readonly until: string | null }

const sentences: Readonly<Record<string, (boundary: Boundary) => string>> = {
  'sale_offer/started': ({ at, what, until }) =>
    `began at ${at}: ${what} applies${until === null ? '' : ` until ${until}`}.`,
  'sale_offer/ended': ({ at, what }) => `ended at ${at}: ${what} no longer applies.`,
}

type Offer = {
  readonly id: string
  readonly amount?: string
  readonly currency?: string
  readonly compareAtAmount?: string | null
  readonly variant?: string
  readonly channel?: string | null
  readonly countries?: readonly string[]
  readonly minQuantity?: number
  readonly validUntil?: string | null
}

function offerIn(body: string): Offer | null {
  try {
    const offer: Offer | null = JSON.parse(body)
    return typeof offer?.id === 'string' ? offer : null
  } catch {
    return null
  }
}

const share = text.transform(Number).refine((number) => number >= 0 && number <= 1, 'is a number from 0 to 1')

/** `npm run webhooks`. */
export const webhooksCommand = command({
  name: 'webhooks',
  summary:
    'Subscribes to a topic of a local tenant, prints each webhook that arrives, and unsubscribes at the end.',
  examples: ["npm run webhooks -- --tenant acme --topic 'product/*'"],
  options: {
    tenant: option('NAME', 'the tenant, as in NAME.localhost', localTenant),
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
    port: option('NUMBER', 'the port of the running service (default: 8787)', port.default(8787)),
    token: option('TOKEN', 'a bearer token; without it, a token as from "npm run token"', text.optional()),
  },
  notes: [
    'The receiver verifies each delivery with the package "standardwebhooks" and answers 204, or 401 if the signature is wrong. Ctrl-C ends the command and deletes the subscription.',
  ],
  exitCodes: '0 ended by Ctrl-C, 1 failed',
  async run(values) {
    const lifetime = new Lifetime()
    await start(values, lifetime).catch((error) => lifetime.end(1, reason(error, values)))
    return 0
  },
})

type Subscription = { '@id': string; secret: string; version: string | null; topic: string }

type Values = {
  readonly tenant: string
  readonly topic: string
  readonly version?: string | undefined
  readonly locale?: string | undefined
  readonly 'include-fields'?: string | undefined
  readonly 'fail-rate': number
  readonly listen: number
  readonly port: number
  readonly token?: string | undefined
}

async function start(
  { tenant, port, listen, token, topic, version, locale, ...values }: Values,
  lifetime: Lifetime,
): Promise<void> {
  const host = `${tenant}.localhost`
  if (!(await isTaken(port))) throw new Failure(`Nothing answers at ${host}:${port}. Is "npm start" running?`)
  // Imported only without a token, because a given token needs no local key.
  const createToken = async () => (await import('./token.ts')).tokenFor(tenant)
  const client = openClient({
    port,
    host,
    token: token ?? (await createToken()),
    ...(token === undefined && { renewToken: createToken }),
  })
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

/** Why the command could not begin, in one message. */
function reason(error: unknown, { tenant, port }: Values): string {
  const address = `${tenant}.localhost:${port}`
  if (error instanceof Refusal) {
    const violations = error.violations.map(({ propertyPath, message }) => `\n  ${propertyPath}: ${message}`)
    return `${address} answered ${error.status}: ${error.message}${violations.join('')}`
  }
  if (isUnreachable(error)) return `Nothing answers at ${address}. Is "npm start" running?`
  return (error as Error).message
}

if (import.meta.main) await runHere(webhooksCommand)
