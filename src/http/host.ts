import { type Bindings, settingsOf } from '../env.ts'

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

/** The origins of whoever is asked: every host that stands for the same tenant, with the scheme and port that are asked. */
export function originsOf(url: URL, bindings: Bindings): readonly string[] {
  const host = hostOf(url, bindings)
  if (host !== settingsOf(bindings).LOCALHOST_TENANT) return [url.origin]
  return [host, ...loopback].map((each) => Object.assign(new URL(url.origin), { hostname: each }).origin)
}
