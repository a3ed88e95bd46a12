import { parseArgs } from 'node:util'
import { type Client, isUnreachable, openClient, Refusal } from './client.ts'
import { Lifetime } from './lifetime.ts'
import { isTaken } from './port.ts'
import { demoTenants } from './tenants.ts'
import { startReceiver } from './webhooks/receiver.ts'
import { deliveryText } from './webhooks/show.ts'

const help = `Subscribes to a topic of a running service, shows each webhook that arrives, and unsubscribes at the end.

  npm run webhooks -- --tenant acme --topic 'product/*'

  --tenant NAME           the tenant, as in NAME.localhost (required)
  --topic TOPIC           a topic, 'product/*' or '*' (default '*'); all: GET /api/webhook_topics
  --version VERSION       pins the API version of payloads, such as 2026-04 (default: the tenant's)
  --locale TAG            the language of payloads, such as fr-FR (default: the tenant's first)
  --include-fields PATHS  dot paths separated by commas: title,variants.sku,categories.*.id (default: everything)
  --fail-rate NUMBER      answers this part of the deliveries with 500, so that retries can be seen: 0 to 1 (default 0)
  --listen NUMBER         the port to be called on (default: any free one)
  --port NUMBER           the port of the running service (default 8787)
  --token TOKEN           a bearer token; without it one is minted as "npm run token" does
  --help                  this text

Each delivery is verified with the package "standardwebhooks", as a receiver would do it, and answered with 204; one whose
signature does not hold with 401. Ctrl-C ends it and removes the subscription.
Exit code: 0 when it was ended by Ctrl-C, else 1.`

const options = {
  tenant: { type: 'string' },
  topic: { type: 'string', default: '*' },
  version: { type: 'string' },
  locale: { type: 'string' },
  'include-fields': { type: 'string' },
  'fail-rate': { type: 'string', default: '0' },
  listen: { type: 'string', default: '0' },
  port: { type: 'string', default: '8787' },
  token: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

type Subscription = { '@id': string; secret: string; version: string | null; topic: string }

/** What one of these runs asks for. */
type Wanted = {
  readonly tenant: string
  readonly port: number
  readonly listen: number
  readonly failRate: number
  readonly token: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

async function start(
  { tenant, port, listen, failRate, token, body }: Wanted,
  lifetime: Lifetime,
): Promise<void> {
  const host = `${tenant}.localhost`
  if (!(await isTaken(port))) throw new Error(`Nothing answers at ${host}:${port}. Is "npm start" running?`)
  // Loaded only when a token is to be minted: one that was given needs no key on this machine.
  const mint = async () => (await import('./token.ts')).tokenFor(tenant)
  const renewal = token === undefined ? { renewToken: mint } : {}
  const client = openClient({ port, host, token: token ?? (await mint()), ...renewal })
  const show = (received: Parameters<typeof deliveryText>[0]) =>
    console.log(deliveryText(received, new Date()))
  const receiver = await lifetime.hold(startReceiver({ port: listen, failRate, show }), (running) =>
    running.close(),
  )
  const subscription = await lifetime.hold(
    client.write<Subscription>('POST', '/api/webhook_subscriptions', { callbackUrl: receiver.url, ...body }),
    (made) => remove(client, made),
  )
  receiver.trust(subscription.secret)
  const { topic, version } = subscription
  console.log(
    `Subscribed to ${topic} of ${host}:${port}${version ? ` in version ${version}` : ''}, called at ${receiver.url}\n` +
      'Change something; Ctrl-C ends this and removes the subscription.\n',
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

function wanted(): Wanted | null {
  const { values } = parseArgs({ options, strict: true })
  if (values.help) return null
  const { tenant, topic, version, locale, token } = values
  if (!tenant || !/^[a-z0-9-]+$/.test(tenant))
    throw new Error(`Give --tenant: ${demoTenants.map(({ name }) => name).join(' or ')}.`)
  const failRate = Number(values['fail-rate'])
  if (!(failRate >= 0 && failRate <= 1)) throw new Error('--fail-rate is a number from 0 to 1.')
  const includeFields = values['include-fields']?.split(',').map((path) => path.trim())
  return {
    tenant,
    token,
    failRate,
    port: portIn('--port', values.port, 1),
    listen: portIn('--listen', values.listen, 0),
    body: {
      topic,
      ...(version && { version }),
      ...(locale && { locale }),
      ...(includeFields && { includeFields }),
    },
  }
}

function portIn(name: string, text: string, least: number): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= least && port <= 65_535) return port
  throw new Error(`${name} is a number from ${least} to 65535.`)
}

/** Why it could not begin, in one message. */
function reason(error: unknown, { tenant, port }: Wanted): string {
  const at = `${tenant}.localhost:${port}`
  if (error instanceof Refusal) {
    const violations = error.violations.map(({ propertyPath, message }) => `\n  ${propertyPath}: ${message}`)
    return `${at} answered ${error.status}: ${error.message}${violations.join('')}`
  }
  if (isUnreachable(error)) return `Nothing answers at ${at}. Is "npm start" running?`
  return (error as Error).message
}

try {
  const asked = wanted()
  if (asked === null) console.log(help)
  else {
    const lifetime = new Lifetime()
    start(asked, lifetime).catch((error: Error) => lifetime.end(1, reason(error, asked)))
  }
} catch (error) {
  console.error(`${(error as Error).message}\nSee: npm run webhooks -- --help`)
  process.exitCode = 1
}
