/** Where a callback's host name leads, asked of DNS over HTTPS: its addresses must all be public. */
import type { Callbacks } from '../../../core/operation.ts'
import { addressFault, isLoopback } from './callback-address.ts'
import { isPublicAddress } from './public-address.ts'

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
