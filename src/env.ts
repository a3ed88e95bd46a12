import * as z from 'zod'
import { oncePer } from './core/cache.ts'
import { SafeError } from './core/log.ts'
import type { DataSet } from './core/metrics.ts'
import type { Callbacks, SecretKeys } from './core/operation.ts'

/** A binding, recognised by a method only, because the rest differs between the platform and local development. */
function bindingWith<Binding>(method: keyof Binding & string) {
  return z.custom<Binding>((binding) => typeof Reflect.get(Object(binding), method) === 'function').optional()
}

/** The methods of an R2 bucket that the service uses. */
export type PictureBucket = Pick<R2Bucket, 'put' | 'get' | 'head' | 'delete'>

const counter = bindingWith<RateLimit>('limit')

/** Keys of 32 bytes in base64, comma-separated, newest first. */
export const secretKeys = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=(?:\s*,\s*[A-Za-z0-9+/]{43}=)*$/)
  .transform((text): SecretKeys => {
    const [newest, ...older] = text.split(/\s*,\s*/)
    return [newest ?? '', ...older]
  })

/** The default outside production. */
export const localSecretKeys: SecretKeys = [btoa('\0'.repeat(32))]

const fields = z.object({
  /** The connection string of the role `catalogue_app`, which owns nothing and cannot bypass row security. */
  DATABASE_URL: z.string().refine(isConnectionString),
  /** Replaces Neon's address, for a bridge in front of another Postgres. */
  NEON_FETCH_ENDPOINT: z.url().optional(),
  /** `production` requires `WEBHOOK_SECRET_KEY`, and allows neither `loopback` nor `LOCALHOST_TENANT`. */
  ENVIRONMENT: z.enum(['local', 'production']),
  /** Rate limit of a client's reads. Without it their number is unlimited. */
  READ_LIMIT: counter,
  /** Rate limit of a client's writes. Without it their number is unlimited. */
  WRITE_LIMIT: counter,
  /** Rate limit of an IP address for unknown hosts and rejected tokens. */
  REFUSED_LIMIT: counter,
  /** `off` for load tests, or while one client fills a catalogue. */
  RATE_LIMITS: z.enum(['on', 'off']).optional(),
  /** Maximum bytes of the in-memory response cache of an isolate, which has 128 MB. 0 disables the cache. */
  ANSWER_MEMORY: z.coerce.number().int().min(0).default(16_000_000),
  /** The id of this deployment. The data centre's cache returns only responses of the same deployment, and none without an id. */
  DEPLOYMENT: z.object({ id: z.string().min(1) }).optional(),
  /** Milliseconds from which the log reports a response as slow. */
  SLOW_REQUEST: z.coerce.number().int().min(0).default(2000),
  /** Receives a data point for each request and delivery. */
  METRICS: bindingWith<DataSet>('writeDataPoint'),
  /** The token of `/metrics`, a secret of 32 characters or more. Without it, the page is 404. */
  METRICS_TOKEN: z.string().min(32).optional(),
  /** An address that each run of the cron calls, so that a monitor notices missing runs. */
  HEARTBEAT_URL: z.url().optional(),
  /** The files of /docs and /admin, and the published documents. */
  ASSETS: bindingWith<Fetcher>('fetch'),
  /** The R2 bucket of uploaded pictures. Without it, pictures can only be external URLs. */
  PICTURES: bindingWith<PictureBucket>('put'),
  /** The queue of the background work. Without it nothing is delivered. */
  WORK: bindingWith<Queue>('sendBatch'),
  /** The Durable Object that stores when work is due. Without it the cron queries the database every minute. */
  WAKE_UP: bindingWith<DurableObjectNamespace>('idFromName'),
  /** The keys that encrypt the secrets of webhook subscriptions: 32 bytes in base64 each, comma-separated, newest first. */
  WEBHOOK_SECRET_KEY: secretKeys.optional(),
  /** `loopback` allows webhooks to call this machine, also over http. */
  CALLBACKS: z.enum(['public', 'loopback']).default('public'),
  /** The tenant host that `localhost` and `127.0.0.1` map to, because not every machine resolves `*.localhost`. */
  LOCALHOST_TENANT: z.string().min(1).optional(),
  /** A resolver that returns `application/dns-json`. */
  DNS_OVER_HTTPS_URL: z.url().default('https://cloudflare-dns.com/dns-query'),
})

/**
 * Production needs a secret key, because it stores receivers' secrets. It must not call loopback addresses or
 * map localhost to a tenant.
 */
const settings = fields
  .check(({ value, issues }) => {
    if (value.ENVIRONMENT !== 'production') return
    const wrong = (name: keyof typeof value) =>
      issues.push({ code: 'custom', path: [name], message: 'not in production', input: value[name] })
    if (value.WEBHOOK_SECRET_KEY === undefined) wrong('WEBHOOK_SECRET_KEY')
    if (value.CALLBACKS === 'loopback') wrong('CALLBACKS')
    if (value.LOCALHOST_TENANT !== undefined) wrong('LOCALHOST_TENANT')
  })
  .transform(({ WEBHOOK_SECRET_KEY = localSecretKeys, ...rest }) => ({ ...rest, WEBHOOK_SECRET_KEY }))

/** The validated settings of the Worker. */
export type Settings = z.infer<typeof settings>

/** The Worker's bindings as the platform passes them, not validated. */
export type Bindings = Readonly<Record<string, unknown>>

/** The instruction for a developer if the settings are invalid. The terminal and each response show it. */
export const localSettingsHelp =
  'The settings of the local service are missing or invalid: run "npm start", which provides them or shows what fails.'

/** The instruction for the operator of a deployment. */
const deploymentSettingsHelp =
  'The settings of this deployment are missing or invalid: its operator runs "npm run doctor" and reads the log.'

/** Missing or invalid settings. The message contains their names, never their values. */
export class InvalidSettings extends SafeError {
  /** The instruction for the caller. */
  readonly help: string

  constructor(names: readonly string[], isLocal: boolean) {
    super('InvalidSettings', `missing or invalid settings: ${names.join(', ')}`)
    this.help = isLocal ? localSettingsHelp : deploymentSettingsHelp
  }
}

/**
 * Validates the bindings, once for each bindings object.
 * @throws InvalidSettings
 */
export const settingsOf = oncePer((bindings: Bindings): Settings => {
  const parsed = settings.safeParse(bindings)
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))]
    throw new InvalidSettings(names, bindings.ENVIRONMENT === 'local')
  }
  return parsed.data
})

/** Whether the Worker can run with these bindings. */
export function areConsistent(bindings: Bindings): boolean {
  try {
    settingsOf(bindings)
    return true
  } catch {
    return false
  }
}

/** Checks a connection string the way the driver does. The driver's own error would contain the string. */
function isConnectionString(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return (
    url !== null &&
    /^postgres(?:ql)?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.username !== '' &&
    url.pathname.length > 1
  )
}

/** The outbound calls that webhooks make, as the bindings configure them. */
export function callbacksOf(bindings: Bindings): Callbacks {
  const { WEBHOOK_SECRET_KEY, CALLBACKS, DNS_OVER_HTTPS_URL } = settingsOf(bindings)
  return {
    secretKeys: WEBHOOK_SECRET_KEY,
    allowLoopback: CALLBACKS === 'loopback',
    dnsUrl: DNS_OVER_HTTPS_URL,
    // The platform's fetch must not be called as a method of another object.
    fetch: (...args) => fetch(...args),
  }
}
