import { parseArgs } from 'node:util'
import type { ReceiverPlace } from './check.ts'
import { isLoopback } from './wire.ts'

/** What `npm run verify -- --help` prints. */
export const help = `Proves a running service from outside, over HTTP alone, and removes what it made for it.

  ACCESS_TOKEN=… npm run verify -- --url https://acme.example.com

  --url URL          the tenant's host, with its scheme and port (required)
  --token TOKEN      a bearer token of that tenant (default: ACCESS_TOKEN, which npm does not print, nor ps show); what it
                     lacks is told before anything is tried
  --receiver URL     an address that leads to --listen on this machine, such as a tunnel's: tries a webhook where the
                     service cannot call this machine by itself
  --listen NUMBER    the port that webhooks are received on (default: any free one)
  --only CHECK       tries this check alone, by its name in the table; may be repeated
  --past-limit       sends reads until the client is refused, also where that takes hundreds
  --json             prints JSON in place of the table
  --help             this text

Tried: health and ready, unknown host, compression and If-Match, constraint conflicts, idempotent replay, a race of eight
writers, writes that are cut off and repeated, 300 parallel reads, a webhook that fails once, the pages, 429 past the limit.
Titles, handles and tags of what is made begin with "verify-". Products are archived at the end and subscriptions deleted,
also after Ctrl-C; events of products stay in the feed, and other subscribers are told of them.
Exit code: 0 nothing failed, 1 something failed, 2 wrong usage (nothing was tried), 130 stopped by Ctrl-C.`

/** A mistake in the command itself: nothing was tried, and it ends with 2. */
export class UsageError extends Error {}

/** What one run is asked for. */
export type Wanted = {
  readonly url: URL
  readonly token: string
  readonly receiver: ReceiverPlace | null
  readonly pastLimit: boolean
  /** Names of checks; none for all. */
  readonly only: readonly string[]
  readonly json: boolean
}

const options = {
  url: { type: 'string' },
  token: { type: 'string' },
  receiver: { type: 'string' },
  listen: { type: 'string' },
  only: { type: 'string', multiple: true },
  'past-limit': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Reads what was typed; null where help is asked for. `names` are those of the checks. @throws UsageError */
export function readArguments(
  args: readonly string[],
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Wanted | null {
  const values = parsed(args)
  if (values.help) return null
  if (values.url === undefined)
    throw new UsageError('Give --url, the host of a tenant: https://acme.example.com')
  const token = values.token ?? env.ACCESS_TOKEN?.trim()
  if (!token) throw new UsageError('Give --token, or ACCESS_TOKEN: a bearer token of that tenant.')
  const url = addressIn('--url', values.url)
  if (url.pathname !== '/' || url.search !== '')
    throw new UsageError('--url ends with the host: https://acme.example.com')
  const port = values.listen === undefined ? 0 : Number(values.listen)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--listen is a number from 0 to 65535.')
  const tunnel = values.receiver === undefined ? null : addressIn('--receiver', values.receiver)
  if (tunnel && port === 0) throw new UsageError('--receiver needs --listen, the port that it leads to.')
  const only = values.only ?? []
  const unknown = only.find((each) => !names.includes(each))
  if (unknown !== undefined) throw new UsageError(`There is no check "${unknown}", but: ${names.join(', ')}.`)
  return {
    url,
    token,
    receiver: tunnel || isLoopback(url.hostname) ? { port, url: tunnel } : null,
    only,
    pastLimit: values['past-limit'],
    json: values.json,
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function addressIn(name: string, text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new UsageError(`${name} is an address: https://acme.example.com`)
  return url
}
