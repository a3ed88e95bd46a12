import type { Tenant } from '../core/context.ts'

const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/

/** How many scopes or permissions a token may name. */
const mostNames = 256

/**
 * The scopes of a token, or null when they are written in a way its profile does not know.
 *
 * RFC 9068 §2.2.3 has one string `scope`; other issuers write `scp` or `scope`, as a string or as a list. Where a token
 * has both they must agree, because nobody can say which one its issuer meant.
 */
export function scopesOf(
  claims: Readonly<Record<string, unknown>>,
  profile: Tenant['tokenProfile'],
): ReadonlySet<string> | null {
  const { scope, scp } = claims
  if (profile === 'rfc9068') return scope === undefined ? new Set() : spaceSeparated(scope)
  const written = [scope, scp].filter((value) => value !== undefined).map(listOrSpaceSeparated)
  const [first = new Set<string>(), second = first] = written
  if (first === null || second === null) return null
  return first.size === second.size && [...first].every((name) => second.has(name)) ? first : null
}

/** A list of names in the charset of a scope (RFC 6749 §3.3), or null when it is anything else. */
export function namesOf(value: unknown): ReadonlySet<string> | null {
  if (!Array.isArray(value) || value.length > mostNames) return null
  const isName = (name: unknown): name is string => typeof name === 'string' && scopeToken.test(name)
  return value.every(isName) ? new Set(value) : null
}

function spaceSeparated(value: unknown): ReadonlySet<string> | null {
  return typeof value === 'string' ? namesOf(value.split(' ')) : null
}

function listOrSpaceSeparated(value: unknown): ReadonlySet<string> | null {
  return Array.isArray(value) ? namesOf(value) : spaceSeparated(value)
}
