import ipaddr from 'ipaddr.js'
import { Lru, oncePer } from '../../../core/cache.ts'
import type { Callbacks } from '../../../core/operation.ts'
import { boundedBytes } from '../../../core/sizes.ts'

export type AddressRules = {
  /** Allows loopback addresses, also over http and on any port, for local development and tests. */
  readonly allowLoopback: boolean
}

/** Maximum number of characters. */
export const maximumLength = 2048
const ports = ['', '443', '8443']

/** Domains that are never public hosts of a third party: RFC 2606, RFC 6761, RFC 6762 App. G and similar. */
const reservedDomains =
  /^(?:localhost|local|localdomain|internal|intranet|private|lan|home|corp|arpa|test|example|invalid|onion|alt)$/

/**
 * The reason why webhooks cannot be sent to a URL, from its text alone, in a few technical words. Null if
 * they can.
 */
export function addressFault(text: string, { allowLoopback }: AddressRules): string | null {
  if (text.length > maximumLength) return `more than ${maximumLength} characters`
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || text !== text.trim() || !text.isWellFormed())
    return 'control characters or outer spaces'
  if (!URL.canParse(text)) return 'no URL'
  const url = new URL(text)
  const loopback = allowLoopback && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(loopback && url.protocol === 'http:')) return 'not https'
  // Checks the text, because the parser repairs slashes and drops an empty user or fragment. Other parsers
  // may read the text differently.
  const authority = /^https?:\/\/([^/?#\\]+)(?=[/?#]|$)/i.exec(text)?.[1]
  if (authority === undefined) return 'no host'
  if (authority.includes('@')) return 'user info'
  if (text.includes('#')) return 'fragment'
  if (loopback) return null
  if (!ports.includes(url.port)) return `port ${url.port}`
  return hostFault(url.hostname)
}

/** The host that limits and failures are counted for, with its port unless that is the scheme's default. */
export function callbackHost(text: string): string {
  return new URL(text).host
}

/** Whether a URL's host name is a loopback name or address of this machine. */
function isLoopback(hostname: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/.test(hostname)
}

function hostFault(hostname: string): string | null {
  // The parser has normalised every spelling of an IPv4 address to four decimal parts.
  if (hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return 'IP address'
  if (hostname.endsWith('.')) return 'trailing dot'
  const labels = hostname.split('.')
  if (labels.length < 2 || hostname.length > 253 || !labels.every(isLabel)) return 'no public host name'
  const topLevelDomain = labels.at(-1) ?? ''
  if (reservedDomains.test(topLevelDomain)) return `reserved domain .${topLevelDomain}`
  return /^[a-z]/.test(topLevelDomain) ? null : 'no public host name'
}

function isLabel(label: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)
}

/**
 * The IPv6 range that is routed on the internet. Addresses that map or embed IPv4 are outside of it and are
 * not needed.
 */
const routed = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether a text is a public IP address: IPv4 in four decimal parts or IPv6 in any spelling. Blocks of the
 * special-purpose registries are not public.
 */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).range() === 'unicast'
  if (!ipaddr.IPv6.isValid(text)) return false
  const address = ipaddr.IPv6.parse(text)
  return address.zoneId === undefined && address.range() === 'unicast' && address.match(routed)
}

/** The DNS resolver, and whether loopback addresses count as public. */
export type Resolver = Omit<Callbacks, 'secretKeys'>

/** The resolver did not answer, so it is unknown whether the host is public. */
export class ResolverUnavailable extends Error {
  constructor(cause?: unknown) {
    super('DNS over HTTPS gave no answer', { cause })
    this.name = 'ResolverUnavailable'
  }
}

/** The fault of a host name that has no address. */
export const hostWithoutAddress = 'host name without address'

/** Default timeout in milliseconds. */
const defaultTimeoutMs = 5000
const maximumBytes = 65_536
/** RFC 1035 §3.2.2, RFC 3596 §2.1 */
const types = { A: 1, AAAA: 28 }
const nameError = 3

/**
 * The reason why nothing may be sent to a callback URL at this time, from its text and from DNS over HTTPS.
 * All of its addresses must be public. Null if it may. It is checked at registration and before each attempt,
 * because DNS records change.
 * @throws ResolverUnavailable
 */
export async function callbackFault(
  callbackUrl: string,
  resolver: Resolver,
  timeoutMs = defaultTimeoutMs,
): Promise<string | null> {
  const check = () => checkHost(new URL(callbackUrl).hostname, resolver, timeoutMs)
  return addressFault(callbackUrl, resolver) ?? (await check()).fault
}

/** Maximum milliseconds for which attempts rely on a check of a host. */
const maximumReuseMs = 30_000
/** The epoch milliseconds until which attempts rely on the last check of a public host. */
const publicHosts = oncePer((_: Resolver) => new Lru<number>(1000))

/** The same for an attempt, which relies on an earlier check for the TTL of the records. @throws ResolverUnavailable */
export async function attemptFault(
  callbackUrl: string,
  resolver: Resolver,
  now: Date,
): Promise<string | null> {
  const fault = addressFault(callbackUrl, resolver)
  if (fault !== null) return fault
  const { hostname } = new URL(callbackUrl)
  const hosts = publicHosts(resolver)
  if ((hosts.get(hostname) ?? 0) > now.getTime()) return null
  const check = await checkHost(hostname, resolver, defaultTimeoutMs)
  if (check.fault === null) hosts.set(hostname, now.getTime() + Math.min(check.ttl * 1000, maximumReuseMs))
  return check.fault
}

async function checkHost(
  hostname: string,
  resolver: Resolver,
  timeoutMs: number,
): Promise<{ readonly fault: string | null; readonly ttl: number }> {
  if (isLoopback(hostname)) return { fault: null, ttl: 0 }
  const records = await resolveAddresses(hostname, resolver, timeoutMs)
  const ttl = Math.min(...records.map((record) => record.ttl))
  if (records.length === 0) return { fault: hostWithoutAddress, ttl: 0 }
  const isPublic = records.every(({ address }) => isPublicAddress(address))
  return { fault: isPublic ? null : 'address that is not public', ttl }
}

/** An address record, and the seconds for which it may be reused. */
type AddressRecord = { readonly address: string; readonly ttl: number }

/**
 * The IPv4 and IPv6 addresses of a host name. Empty if the name does not exist. @throws ResolverUnavailable
 */
export async function resolveAddresses(
  host: string,
  { dnsUrl, fetch }: Pick<Resolver, 'dnsUrl' | 'fetch'>,
  timeoutMs = defaultTimeoutMs,
): Promise<AddressRecord[]> {
  const recordTypes = Object.entries(types)
  const answers = await Promise.all(recordTypes.map((type) => ask(host, type, dnsUrl, fetch, timeoutMs)))
  return answers.flat()
}

async function ask(
  host: string,
  [type, code]: readonly [string, number],
  dnsUrl: string,
  send: typeof fetch,
  timeoutMs: number,
): Promise<AddressRecord[]> {
  const url = new URL(dnsUrl)
  url.searchParams.set('name', host)
  url.searchParams.set('type', type)
  try {
    const response = await send(url, {
      headers: { accept: 'application/dns-json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status !== 200) throw new ResolverUnavailable(response.status)
    const bytes = await boundedBytes(response.body, maximumBytes)
    if (bytes === null) throw new ResolverUnavailable('too long')
    return addressesIn(JSON.parse(new TextDecoder().decode(bytes)), code)
  } catch (error) {
    throw error instanceof ResolverUnavailable ? error : new ResolverUnavailable(error)
  }
}

/** The addresses of a DNS response. A chain of CNAME records precedes them. */
function addressesIn(answer: { Status?: unknown; Answer?: unknown }, type: number): AddressRecord[] {
  if (answer.Status === nameError) return []
  if (answer.Status !== 0) throw new ResolverUnavailable(answer.Status)
  const records: readonly { type?: unknown; data?: unknown; TTL?: unknown }[] = Array.isArray(answer.Answer)
    ? answer.Answer
    : []
  const ttl = Math.min(...records.map(({ TTL }) => (typeof TTL === 'number' && TTL > 0 ? TTL : 0)))
  return records.filter((record) => record.type === type).map(({ data }) => ({ address: String(data), ttl }))
}
