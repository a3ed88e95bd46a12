import { type Bindings, settingsOf } from '../env.ts'

/**
 * The address of a request; null if its Host header is not a host with an optional port (RFC 9110 §7.2). The runtime puts that header into
 * the address as it is: `Host: a.example:99999` makes an invalid one, and `Host: a.example/b` would change the path.
 */
export function urlOf({ url, headers }: Request): URL | null {
  if (/[\s/?#@,\\]/.test(headers.get('host') ?? '')) return null
  return URL.parse(url)
}

/** Replaces an invalid address; no host has this name (RFC 2606). */
export const unknownUrl = new URL('http://unknown.invalid')

const loopback = new Set(['localhost', '127.0.0.1'])

/**
 * The host by which a tenant is looked up: exact, lower case, without port and trailing dot. On a developer's machine, and
 * nowhere else, the names of the machine itself stand for one tenant's host.
 */
export function hostOf(url: URL, bindings: Bindings): string {
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  const { LOCALHOST_TENANT } = settingsOf(bindings)
  return LOCALHOST_TENANT !== undefined && loopback.has(host) ? LOCALHOST_TENANT : host
}

/** What was asked last of a tenant's hosts: nearly always the same. */
const lastOf = new WeakMap<
  readonly string[],
  { readonly asked: string; readonly origins: readonly string[] }
>()

/** The origins of a tenant that is asked: each of its hosts, and what else stands for one, with the scheme and port that are asked. */
export function originsOf(url: URL, hosts: readonly string[], bindings: Bindings): readonly string[] {
  const last = lastOf.get(hosts)
  if (last?.asked === url.origin) return last.origins
  const origins = madeOrigins(url, hosts, bindings)
  lastOf.set(hosts, { asked: url.origin, origins })
  return origins
}

function madeOrigins(url: URL, hosts: readonly string[], bindings: Bindings): readonly string[] {
  const { LOCALHOST_TENANT } = settingsOf(bindings)
  const others = LOCALHOST_TENANT !== undefined && hosts.includes(LOCALHOST_TENANT) ? [...loopback] : []
  const origins = [...hosts, ...others].map(
    (hostname) => Object.assign(new URL(url.origin), { hostname }).origin,
  )
  // As it was asked for, for instance with a dot at its end.
  return [...new Set([url.origin, ...origins])]
}
