import ipaddr from 'ipaddr.js'
import type { Callbacks } from '../../../core/operation.ts'

/** What can be told of a callback address by looking at it: whether webhooks may be sent there at all. */

export type AddressRules = {
  /** Whether this very machine may be called, also over http and on any port: for local work and tests. */
  readonly allowLoopback: boolean
}

/** Characters of an address. */
export const maximumLength = 2048
const ports = ['', '443', '8443']

/** Names that never lead to somebody else's public host: RFC 2606, RFC 6761, RFC 6762 App. G and their like. */
const reservedDomains =
  /^(?:localhost|local|localdomain|internal|intranet|private|lan|home|corp|arpa|test|example|invalid|onion|alt)$/

/** Why webhooks cannot be sent to an address, in a few technical words; null when they can. */
export function addressFault(text: string, { allowLoopback }: AddressRules): string | null {
  if (text.length > maximumLength) return `more than ${maximumLength} characters`
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || text !== text.trim() || !text.isWellFormed())
    return 'control characters or outer spaces'
  if (!URL.canParse(text)) return 'no URL'
  const url = new URL(text)
  const loopback = allowLoopback && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(loopback && url.protocol === 'http:')) return 'not https'
  // As written: the parser repairs slashes and drops an empty user or fragment, and other parsers may read it otherwise.
  const authority = /^https?:\/\/([^/?#\\]+)(?=[/?#]|$)/i.exec(text)?.[1]
  if (authority === undefined) return 'no host'
  if (authority.includes('@')) return 'user info'
  if (text.includes('#')) return 'fragment'
  if (loopback) return null
  if (!ports.includes(url.port)) return `port ${url.port}`
  return hostFault(url.hostname)
}

/** The host that is counted and that fails as one: with its port where that is not the scheme's own. */
export function callbackHost(text: string): string {
  return new URL(text).host
}

/** Whether a URL's host name means this very machine. */
function isLoopback(hostname: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/.test(hostname)
}

function hostFault(hostname: string): string | null {
  // The parser has brought every spelling of an IPv4 address into four decimal parts.
  if (hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return 'IP address'
  if (hostname.endsWith('.')) return 'trailing dot'
  const labels = hostname.split('.')
  if (labels.length < 2 || hostname.length > 253 || !labels.every(isLabel)) return 'no public host name'
  const last = labels.at(-1) ?? ''
  if (reservedDomains.test(last)) return `reserved domain .${last}`
  return /^[a-z]/.test(last) ? null : 'no public host name'
}

function isLabel(label: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)
}

/** Which IP addresses anyone on the internet may be reached at: the registries' special-purpose blocks are not. */

/** All of IPv6 that is routed on the internet; what maps or embeds IPv4 lies outside, and is not needed. */
const routed = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a text is the address of a public host: IPv4 in four decimal parts or IPv6 in any of its spellings. */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).range() === 'unicast'
  if (!ipaddr.IPv6.isValid(text)) return false
  const address = ipaddr.IPv6.parse(text)
  return address.zoneId === undefined && address.range() === 'unicast' && address.match(routed)
}

/** Where a callback's host name leads, asked of DNS over HTTPS: its addresses must all be public. */

/** How names are looked up, and whether this very machine counts as public. */
export type Resolver = Omit<Callbacks, 'secretKeys'>

/** The resolver gave no answer: whether the address is good cannot be told now. */
export class ResolverUnavailable extends Error {
  constructor(cause?: unknown) {
    super('DNS over HTTPS gave no answer', { cause })
    this.name = 'ResolverUnavailable'
  }
}

/** What `callbackFault` says of a host whose name leads nowhere. */
export const hostWithoutAddress = 'host name without address'

/** Milliseconds for an answer, where no other time is given. */
const deadline = 5000
const mostBytes = 65_536
/** RFC 1035 §3.2.2, RFC 3596 §2.1 */
const types = { A: 1, AAAA: 28 }
const nameError = 3

/**
 * Why nothing may be sent to a callback address at this moment, by how it is written and where its name leads; null when
 * it may. Asked at registration and again before each attempt, since names change. @throws ResolverUnavailable
 */
export async function callbackFault(
  callbackUrl: string,
  resolver: Resolver,
  patience = deadline,
): Promise<string | null> {
  const fault = addressFault(callbackUrl, resolver)
  if (fault !== null) return fault
  const { hostname } = new URL(callbackUrl)
  if (isLoopback(hostname)) return null
  const addresses = await resolveAddresses(hostname, resolver, patience)
  if (addresses.length === 0) return hostWithoutAddress
  return addresses.every(isPublicAddress) ? null : 'address that is not public'
}

/** The IPv4 and IPv6 addresses of a host name; none when there is no such name. @throws ResolverUnavailable */
export async function resolveAddresses(
  host: string,
  { dnsUrl, fetch }: Pick<Resolver, 'dnsUrl' | 'fetch'>,
  patience = deadline,
): Promise<string[]> {
  const asked = Object.entries(types)
  const answers = await Promise.all(asked.map((type) => ask(host, type, dnsUrl, fetch, patience)))
  return answers.flat()
}

async function ask(
  host: string,
  [type, code]: readonly [string, number],
  dnsUrl: string,
  send: typeof fetch,
  patience: number,
): Promise<string[]> {
  const url = new URL(dnsUrl)
  url.searchParams.set('name', host)
  url.searchParams.set('type', type)
  try {
    const response = await send(url, {
      headers: { accept: 'application/dns-json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    if (response.status !== 200) throw new ResolverUnavailable(response.status)
    return addressesIn(JSON.parse(await boundedText(response)), code)
  } catch (error) {
    throw error instanceof ResolverUnavailable ? error : new ResolverUnavailable(error)
  }
}

/** A chain of CNAMEs stands among the answers, before the addresses that it ends in. */
function addressesIn(answer: { Status?: unknown; Answer?: unknown }, type: number): string[] {
  if (answer.Status === nameError) return []
  if (answer.Status !== 0) throw new ResolverUnavailable(answer.Status)
  const records: readonly { type?: unknown; data?: unknown }[] = Array.isArray(answer.Answer)
    ? answer.Answer
    : []
  return records.filter((each) => each.type === type).map((each) => String(each.data))
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new ResolverUnavailable('too long')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
