import { styleText } from 'node:util'
import { command, Failure, option, runHere, text, type ValuesOf, wholeNumber } from './cli/command.ts'
import { type Client, localOptions, openLocalClient, serviceFault } from './cli/http.ts'
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
}

/** `npm run webhooks`. */
export const webhooksCommand = command({
  name: 'webhooks',
  summary:
    'Subscribes to a topic of a local tenant, prints each webhook that arrives, and unsubscribes at the end.',
  examples: ["npm run webhooks -- --tenant acme --topic 'product/*'"],
  options,
  notes: [
    'The receiver verifies each delivery with the package "standardwebhooks" and answers 204, or 401 if the signature is wrong. Ctrl-C ends the command and deletes the subscription.',
  ],
  exitCodes: '0 ended by Ctrl-C, 1 failed',
  async run({ port: given, ...values }) {
    const { port } = await usedService(given)
    const lifetime = new Lifetime()
    await start({ ...values, port }, lifetime).catch((error: Error) => {
      const address = `${values.tenant}.localhost:${port}`
      return lifetime.end(1, serviceFault(error, address) ?? error.message)
    })
    return 0
  },
})

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
