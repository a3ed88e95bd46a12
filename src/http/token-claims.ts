import type { Actor, Tenant } from '../core/context.ts'
import { TokenRefused } from './token-check.ts'
import { namesOf, scopesOf } from './token-scopes.ts'

type Claims = Readonly<Record<string, unknown>>

/** Seconds: the longest time from issue to expiry, and the greatest age, of a token that is believed. */
export const longestLifetime = 86_400

/**
 * The actor that verified claims name. Signature, issuer and clock are checked before.
 * @throws TokenRefused when a claim is malformed, the token is meant for others too or it was revoked
 */
export function actorOf(
  claims: Claims,
  tenant: Tenant,
  audiences: readonly string[] = [tenant.audience],
): Actor {
  const { sub, jti } = claims
  if (!isIdentifier(sub)) throw new TokenRefused('subject')
  if (!isIdentifier(jti)) throw new TokenRefused('token_id')
  if (!isForAlone(claims.aud, audiences)) throw new TokenRefused('audience')
  demandSaneTimes(claims)
  if (isRevoked(claims, jti, tenant)) throw new TokenRefused('revoked')
  const client = clientOf(claims, tenant.tokenProfile)
  const scopes = scopesOf(claims, tenant.tokenProfile)
  const permissions = claims.permissions === undefined ? new Set<string>() : namesOf(claims.permissions)
  if (client === null) throw new TokenRefused('client')
  if (scopes === null) throw new TokenRefused('scope')
  if (permissions === null) throw new TokenRefused('permissions')
  return { subject: sub, client, scopes, permissions, person: sub !== client }
}

/** RFC 9068 §2.2 has `client_id`; others write `azp`, `cid` or `appid`, of which all that are present must agree. */
function clientOf(claims: Claims, profile: Tenant['tokenProfile']): string | null {
  const { client_id, azp, cid, appid } = claims
  const names = profile === 'rfc9068' ? [client_id] : [azp, cid, appid].filter((name) => name !== undefined)
  const [client] = names
  return isIdentifier(client) && names.every((name) => name === client) ? client : null
}

/** One audience: a token for several services could be replayed by any of them. */
function isForAlone(audience: unknown, ours: readonly string[]): boolean {
  const [only, ...others] = Array.isArray(audience) ? audience : [audience]
  return others.length === 0 && ours.includes(only)
}

function demandSaneTimes({ exp, iat, nbf }: Claims): void {
  if (!isInstant(exp) || !isInstant(iat) || (nbf !== undefined && !isInstant(nbf)))
    throw new TokenRefused('times')
  if (iat >= exp || exp - iat > longestLifetime) throw new TokenRefused('lifetime')
}

function isRevoked({ iat }: Claims, jti: string, { revokedTokens, tokensValidAfter }: Tenant): boolean {
  if (revokedTokens.includes(jti)) return true
  return tokensValidAfter !== null && (typeof iat !== 'number' || iat < tokensValidAfter)
}

/** Whole seconds since the epoch; RFC 7519 §2 allows fractions, which nobody compares alike. */
function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Non-empty text that can be stored, logged and compared: no control characters, no lone surrogates, no outer spaces. */
function isIdentifier(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 255) return false
  return value.isWellFormed() && value.trim() === value && !/\p{Cc}/u.test(value)
}
