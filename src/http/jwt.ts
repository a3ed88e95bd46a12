import { base64url, errors } from 'jose'
import type { Actor, Tenant } from '../core/context.ts'
import { SafeError } from '../core/log.ts'
import { decodeUtf8, parseJson } from '../core/strict-json.ts'

/** The checks of a token. Every failure has the same response; the log names the failed check. */
export type TokenCheck =
  | 'form'
  | 'header'
  | 'payload'
  | 'algorithm'
  | 'key_unknown'
  | 'key_unfit'
  | 'signature'
  | 'type'
  | 'claim_missing'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not_yet_valid'
  | 'lifetime'
  | 'times'
  | 'subject'
  | 'token_id'
  | 'revoked'
  | 'client'
  | 'scope'
  | 'permissions'

/** A token that did not pass a check. */
export class TokenError extends SafeError {
  constructor(check: TokenCheck) {
    super('TokenError', check)
  }
}

/** The failed check of an error that jose's verification threw. */
export function checkOf(error: unknown): TokenCheck {
  if (error instanceof errors.JWTExpired) return error.claim === 'exp' ? 'expired' : 'lifetime'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return 'claim_missing'
    return claimChecks[error.claim] ?? 'times'
  }
  return error instanceof errors.JWTInvalid ? 'payload' : 'signature'
}

const claimChecks: Readonly<Record<string, TokenCheck>> = {
  typ: 'type',
  iss: 'issuer',
  aud: 'audience',
  nbf: 'not_yet_valid',
  iat: 'not_yet_valid',
}

const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/

/** How many scopes or permissions a token may name. */
const mostNames = 256

/**
 * The scopes of a token, or null when they are written in a way its profile does not know.
 *
 * RFC 9068 §2.2.3 has one string `scope`; other issuers write `scp` or `scope`, as a string or as a list. If a token
 * has both they must agree, because it is unclear which one its issuer meant.
 */
function scopesOf(
  claims: Readonly<Record<string, unknown>>,
  profile: Tenant['tokenProfile'],
): ReadonlySet<string> | null {
  const { scope, scp } = claims
  if (profile === 'rfc9068') return scope === undefined ? new Set() : spaceSeparated(scope)
  const sets = [scope, scp].filter((value) => value !== undefined).map(listOrSpaceSeparated)
  const [first = new Set<string>(), second = first] = sets
  if (first === null || second === null) return null
  return first.size === second.size && [...first].every((name) => second.has(name)) ? first : null
}

/** A list of names in the charset of a scope (RFC 6749 §3.3), or null when it is anything else. */
function namesOf(value: unknown): ReadonlySet<string> | null {
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

type Claims = Readonly<Record<string, unknown>>

/** Seconds: the longest time from issue to expiry, and the greatest age, of a token that is believed. */
export const longestLifetime = 86_400

/**
 * The actor that verified claims name. Signature, issuer and clock are checked before.
 * @throws TokenError when a claim is malformed, the token is meant for others too or it was revoked
 */
export function actorOf(
  claims: Claims,
  tenant: Tenant,
  audiences: readonly string[] = [tenant.audience],
): Actor {
  const { sub, jti } = claims
  if (!isIdentifier(sub)) throw new TokenError('subject')
  if (!isIdentifier(jti)) throw new TokenError('token_id')
  if (!isForAlone(claims.aud, audiences)) throw new TokenError('audience')
  demandSaneTimes(claims)
  const token = { id: jti, issuedAt: claims.iat }
  if (isRevoked(token, tenant)) throw new TokenError('revoked')
  const client = clientOf(claims, tenant.tokenProfile)
  const scopes = scopesOf(claims, tenant.tokenProfile)
  const permissions = claims.permissions === undefined ? new Set<string>() : namesOf(claims.permissions)
  if (client === null) throw new TokenError('client')
  if (scopes === null) throw new TokenError('scope')
  if (permissions === null) throw new TokenError('permissions')
  return { subject: sub, client, scopes, permissions, person: sub !== client, token }
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
  const [first, ...rest] = Array.isArray(audience) ? audience : [audience]
  return rest.length === 0 && ours.includes(first)
}

function demandSaneTimes<Of extends Claims>(claims: Of): asserts claims is Of & { readonly iat: number } {
  const { exp, iat, nbf } = claims
  if (!isInstant(exp) || !isInstant(iat) || (nbf !== undefined && !isInstant(nbf)))
    throw new TokenError('times')
  if (iat >= exp || exp - iat > longestLifetime) throw new TokenError('lifetime')
}

/** Whether an operator has revoked a token, or all tokens of its time. */
export function isRevoked(
  { id, issuedAt }: NonNullable<Actor['token']>,
  { revokedTokens, tokensValidAfter }: Tenant,
): boolean {
  return revokedTokens.includes(id) || (tokensValidAfter !== null && issuedAt < tokensValidAfter)
}

/** Whole seconds since the epoch; RFC 7519 §2 allows fractions, which implementations compare differently. */
function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Non-empty text that can be stored, logged and compared: no control characters, no lone surrogates, no outer spaces. */
function isIdentifier(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 255) return false
  return value.isWellFormed() && value.trim() === value && !/\p{Cc}/u.test(value)
}

/** Reads a JSON object out of bytes, or null when they are not strict UTF-8, not strict JSON or something else. */
export function jsonObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseJson(decodeUtf8(bytes))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Whether a value is an object: neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parts of a token whose signature is not verified. */
export type UnverifiedToken = {
  readonly header: TokenHeader
  readonly claims: Readonly<Record<string, unknown>>
}

export type TokenHeader = {
  readonly alg: string
  readonly kid: string
  /** Any value; undefined if absent. */
  readonly typ: unknown
}

/** Header members that let a token bring its own key, be compressed or change how it is read (RFC 8725 §3). */
const forbiddenMembers = ['jku', 'jwk', 'x5u', 'x5c', 'zip', 'b64', 'crit']

const longestKeyId = 128

/** Takes a compact JWS apart. @throws TokenError when its spelling or header is not what an issuer of ours would write */
export function unverifiedToken(token: string): UnverifiedToken {
  const parts = token.split('.').map(canonicalBytes)
  const [headerBytes, claimBytes, signature] = parts
  if (parts.length !== 3 || !headerBytes || !claimBytes || !signature) throw new TokenError('form')
  const header = tokenHeader(jsonObject(headerBytes))
  if (header === null) throw new TokenError('header')
  const claims = jsonObject(claimBytes)
  if (claims === null) throw new TokenError('payload')
  return { header, claims }
}

function tokenHeader(members: Readonly<Record<string, unknown>> | null): TokenHeader | null {
  if (members === null || forbiddenMembers.some((name) => Object.hasOwn(members, name))) return null
  const { alg, kid, typ } = members
  if (typeof alg !== 'string' || typeof kid !== 'string') return null
  if (kid === '' || kid.length > longestKeyId) return null
  return { alg, kid, typ }
}

/**
 * Decodes base64url; null if the spelling is not the canonical one (RFC 4648 §3.5). Two spellings of one token would be two
 * tokens when they are compared as text.
 */
function canonicalBytes(part: string): Uint8Array | null {
  try {
    const bytes = base64url.decode(part)
    return base64url.encode(bytes) === part ? bytes : null
  } catch {
    return null
  }
}
