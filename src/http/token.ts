import { jwtVerify } from 'jose'
import type { Actor, Tenant } from '../core/context.ts'
import { missingPermissions } from '../core/permission.ts'
import { authProblems } from '../core/problems/index.ts'
import type { Scope } from '../core/scopes.ts'
import { bearerToken } from './bearer.ts'
import { challenge, toolPath } from './challenge.ts'
import { type Fetching, publishedKeys } from './jwks.ts'
import { signingKey } from './signing-key.ts'
import { checkOf, TokenRefused } from './token-check.ts'
import { actorOf, longestLifetime } from './token-claims.ts'
import { type TokenHeader, type UnverifiedToken, unverifiedToken } from './token-shape.ts'
import { keepVerified, takenApart, wasVerified } from './verified-tokens.ts'

/** Seconds by which the issuer's clock and ours may differ. */
const clockTolerance = 5

/** Seconds after which to ask again while the issuer is down. */
const retryAfter = '10'

/**
 * Who asks: verifies the request's bearer token against the tenant's issuer, audience and keys (RFC 6750, RFC 8725).
 *
 * @throws Problem `token_required` without an `Authorization: Bearer` header, `multiple_credentials` with a token in the query
 * beside it, `issuer_unavailable` when the issuer's keys are out of reach, and for every bad token one and the same
 * `invalid_token`, whose cause is a TokenRefused.
 */
export async function authenticate(
  headers: Headers,
  url: URL,
  tenant: Tenant,
  options: Fetching,
): Promise<Actor> {
  const written = bearerToken(headers, url)
  try {
    return await bearer(written, tenant, audiencesAt(url, tenant), options)
  } catch (cause) {
    if (!(cause instanceof TokenRefused)) throw cause
    throw authProblems.invalid_token({}, { headers: challenge(url, { error: 'invalid_token' }), cause })
  }
}

/**
 * Whom a token may be meant for: the tenant, and where tools are called also that address, because clients of the Model
 * Context Protocol ask their issuer for a token for it (RFC 8707). Such a token is good nowhere else.
 */
function audiencesAt({ origin, pathname }: URL, { audience }: Tenant): readonly string[] {
  return pathname === toolPath ? [audience, `${origin}${toolPath}`] : [audience]
}

/** @throws TokenRefused */
async function bearer(
  written: string | null,
  tenant: Tenant,
  audiences: readonly string[],
  fetching: Fetching,
): Promise<Actor> {
  if (written === null) throw new TokenRefused('form')
  const token = takenApart(written) ?? unverifiedToken(written)
  const key = await keyNamedBy(token.header, tenant, fetching)
  await verify(written, token, key, tenant, audiences, fetching.now)
  return actorOf(token.claims, tenant, audiences)
}

async function keyNamedBy({ alg, kid }: TokenHeader, tenant: Tenant, fetching: Fetching): Promise<CryptoKey> {
  const algorithm = tenant.algorithms.find((accepted) => accepted === alg)
  if (algorithm === undefined) throw new TokenRefused('algorithm')
  if (tenant.jwks) return signingKey(tenant.jwks.keys, kid, algorithm)
  if (tenant.jwksUri === null) throw new TokenRefused('key_unknown')
  const found = await publishedKeys(tenant.jwksUri, kid, fetching)
  if ('unreached' in found) {
    const headers = { 'Retry-After': retryAfter }
    throw authProblems.issuer_unavailable({}, { headers, cause: found.unreached })
  }
  return signingKey(found.keys, kid, algorithm)
}

async function verify(
  written: string,
  token: UnverifiedToken,
  key: CryptoKey,
  tenant: Tenant,
  audiences: readonly string[],
  now: Date,
): Promise<void> {
  const { algorithms, issuer, tokenProfile } = tenant
  const { typ } = token.header
  const generic = tokenProfile === 'generic'
  const against = JSON.stringify([issuer, audiences, algorithms, tokenProfile])
  if (wasVerified(written, key, against, now)) return
  try {
    const { payload } = await jwtVerify(written, key, {
      algorithms: [...algorithms],
      issuer,
      audience: [...audiences],
      // Issuers of the generic profile may leave `typ` out, which jose cannot express.
      typ: generic && typ === undefined ? undefined : generic ? 'JWT' : 'at+jwt',
      requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', ...(generic ? [] : ['client_id'])],
      maxTokenAge: longestLifetime,
      clockTolerance,
      currentDate: now,
    })
    const { exp = 0, iat = 0 } = payload
    const until = Math.min(exp, iat + longestLifetime) * 1000
    keepVerified(written, { parts: token, key, against, from: now.getTime(), until })
  } catch (error) {
    throw new TokenRefused(checkOf(error))
  }
}

/**
 * Demands that the token holds every scope named and, acting for a person, every matching identity permission.
 *
 * @throws Problem `insufficient_scope` with the scope challenge of RFC 6750 §3.1, or `permission_denied` with the
 * `missingPermissions`. A token that lacks the scope is told of the scope alone.
 */
export function demandPermission(actor: Actor, scopes: readonly Scope[], url: URL): void {
  const lacking = scopes.filter((needed) => !actor.scopes.has(needed))
  if (lacking.length > 0) {
    // The challenge names all that the request needs, since a client asks its issuer for exactly that (RFC 6750 §3).
    const headers = challenge(url, { error: 'insufficient_scope', scope: scopes.join(' ') })
    throw authProblems.insufficient_scope({ scope: lacking.join(' ') }, { headers })
  }
  const missing = missingPermissions(actor, scopes)
  if (missing.length > 0)
    throw authProblems.permission_denied({}, { members: { missingPermissions: missing } })
}
