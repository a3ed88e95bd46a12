import * as z from 'zod'
import { SafeError } from './core/log.ts'
import type { DataSet } from './core/metrics.ts'
import type { Callbacks, SecretKeys } from './core/operation.ts'

/** Known by its method alone: what else it is differs between the platform and a developer's machine. */
const counter = z.custom<RateLimit>((given) => typeof Reflect.get(Object(given), 'limit') === 'function')

const files = z.custom<Fetcher>((given) => typeof Reflect.get(Object(given), 'fetch') === 'function')
/** What is used of an R2 bucket. */
export type PictureBucket = Pick<R2Bucket, 'put' | 'get' | 'head' | 'delete'>
const queue = z.custom<Queue>((given) => typeof Reflect.get(Object(given), 'sendBatch') === 'function')

const bucket = z.custom<PictureBucket>((given) => typeof Reflect.get(Object(given), 'put') === 'function')

const dataset = z.custom<DataSet>(
  (given) => typeof Reflect.get(Object(given), 'writeDataPoint') === 'function',
)
/** Keys of 32 bytes as base64, separated by commas, the newest first. */
export const secretKeys = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=(?:\s*,\s*[A-Za-z0-9+/]{43}=)*$/)
  .transform((text): SecretKeys => {
    const [newest, ...older] = text.split(/\s*,\s*/)
    return [newest ?? '', ...older]
  })

/** Outside production, where none is given. */
export const localSecretKeys: SecretKeys = [btoa('\0'.repeat(32))]

const fields = z.object({
  /** The application role's connection string: the role owns nothing and cannot bypass row security. */
  DATABASE_URL: z.string().refine(isConnectionString),
  /** Replaces Neon's address, for a bridge in front of another Postgres. */
  NEON_FETCH_ENDPOINT: z.url().optional(),
  ENVIRONMENT: z.enum(['local', 'production']),
  /** Counters of a client's reads and writes; without one nothing is limited. */
  READ_LIMIT: counter.optional(),
  WRITE_LIMIT: counter.optional(),
  /** Counter of an address's unknown hosts and refused tokens. */
  REFUSED_LIMIT: counter.optional(),
  /** `off` for load tests, and where one client fills a catalogue. */
  RATE_LIMITS: z.enum(['on', 'off']).optional(),
  /** Bytes of answers that an isolate keeps for as long as nothing changes; 0 keeps none. An isolate has 128 MB. */
  ANSWER_MEMORY: z.coerce.number().int().min(0).default(16_000_000),
  /** Which deployment this is: answers of another are not given from the data centre's cache, and without it none are. */
  DEPLOYMENT: z.object({ id: z.string().min(1) }).optional(),
  /** Milliseconds from which on an answer is told to the operator as slow. */
  SLOW_REQUEST: z.coerce.number().int().min(0).default(2000),
  /** Takes a data point for each request and delivery. */
  METRICS: dataset.optional(),
  /** The files of the pages for people; without them there are no such pages. */
  ASSETS: files.optional(),
  /** The R2 bucket of uploaded pictures; without one they are given by their addresses elsewhere. */
  PICTURES: bucket.optional(),
  /** Wake the workers that send webhooks; without them the cron does all of it. */
  EVENTS: queue.optional(),
  DELIVERIES: queue.optional(),
  /** What the secrets of webhook subscriptions are encrypted with. Made-up data does without. */
  WEBHOOK_SECRET_KEY: secretKeys.optional(),
  /** `loopback` lets webhooks call this very machine, also over http. */
  CALLBACKS: z.enum(['public', 'loopback']).default('public'),
  /** The tenant's host that `localhost` and `127.0.0.1` stand for, since machines differ in whether they resolve `*.localhost`. */
  LOCALHOST_TENANT: z.string().min(1).optional(),
  /** Answers DNS questions as `application/dns-json`. */
  DNS_OVER_HTTPS_URL: z.url().default('https://cloudflare-dns.com/dns-query'),
})

/** In production a receiver's secret needs a secret key, and this machine is nobody's receiver and no tenant's host. */
const settings = fields
  .check(({ value, issues }) => {
    if (value.ENVIRONMENT !== 'production') return
    const wrong = (name: keyof typeof value) =>
      issues.push({ code: 'custom', path: [name], message: 'not in production', input: value[name] })
    if (value.WEBHOOK_SECRET_KEY === undefined) wrong('WEBHOOK_SECRET_KEY')
    if (value.CALLBACKS === 'loopback') wrong('CALLBACKS')
    if (value.LOCALHOST_TENANT !== undefined) wrong('LOCALHOST_TENANT')
  })
  .transform(({ WEBHOOK_SECRET_KEY = localSecretKeys, ...others }) => ({ ...others, WEBHOOK_SECRET_KEY }))

/** What the Worker is told from outside, checked. */
export type Settings = z.infer<typeof settings>

/** The Worker's bindings as the platform hands them over, unchecked. */
export type Bindings = Readonly<Record<string, unknown>>

const read = new WeakMap<Bindings, Settings>()

/** What a developer does when the Worker has no valid settings; the terminal and each response say it. */
export const localSettingsHelp =
  'The settings of the local service are missing or invalid: run "npm start", which provides them or shows what fails.'

/** What the operator of a deployment does. */
const deploymentSettingsHelp =
  'The settings of this deployment are missing or invalid: its operator runs "npm run doctor" and reads the log.'

/** Missing or invalid settings. The reason names them, never their values. */
export class InvalidSettings extends SafeError {
  /** For the caller: which command helps. */
  readonly help: string

  constructor(names: readonly string[], isLocal: boolean) {
    super('InvalidSettings', `missing or invalid settings: ${names.join(', ')}`)
    this.help = isLocal ? localSettingsHelp : deploymentSettingsHelp
  }
}

/** Reads the bindings, once for each object of them. Throws InvalidSettings. */
export function settingsOf(bindings: Bindings): Settings {
  const known = read.get(bindings)
  if (known) return known
  const parsed = settings.safeParse(bindings)
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))]
    throw new InvalidSettings(names, bindings.ENVIRONMENT === 'local')
  }
  read.set(bindings, parsed.data)
  return parsed.data
}

/** Whether the bindings are such that the Worker can run with them. */
export function areConsistent(bindings: Bindings): boolean {
  try {
    settingsOf(bindings)
    return true
  } catch {
    return false
  }
}

/** What the driver asks of one; it would tell what it was given instead. */
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

/** What webhooks need of the world outside, as the bindings say it. */
export function callbacksOf(bindings: Bindings): Callbacks {
  const { WEBHOOK_SECRET_KEY, CALLBACKS, DNS_OVER_HTTPS_URL } = settingsOf(bindings)
  return {
    secretKeys: WEBHOOK_SECRET_KEY,
    allowLoopback: CALLBACKS === 'loopback',
    dnsUrl: DNS_OVER_HTTPS_URL,
    // The platform's fetch does not like to be called as a method of something else.
    fetch: (...asked) => fetch(...asked),
  }
}
