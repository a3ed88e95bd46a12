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
export function isLoopback(hostname: string): boolean {
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
