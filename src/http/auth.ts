import { jwtVerify } from 'jose'
import { Lru } from '../core/cache.ts'
import type { Actor, Tenant } from '../core/context.ts'
import { toolPaths } from '../core/operation.ts'
import { authProblems } from '../core/problems/auth.ts'
import { missingPermissions, type Scope } from '../core/scopes.ts'
import { type Fetching, IssuerUnreachable, verificationKey } from './jwks.ts'
import {
  actorOf,
  checkOf,
  longestLifetime,
  TokenError,
  type TokenHeader,
  type UnverifiedToken,
  unverifiedToken,
} from './jwt.ts'
import { keyActor, rejectKey } from './storefront.ts'

/** Whether a path is that of tool calls. */
export function isToolPath(path: string): boolean {
  return toolPaths.some((toolPath) => toolPath === path)
}

/** Where the metadata of protected resources begin (RFC 9728 §3); that of a path follows. */
export const metadataPath = '/.well-known/oauth-protected-resource'

/** The error of a rejected credential (RFC 6750 §3.1); empty if the request contained none. */
type ChallengeReason = {
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** The scopes that the operation needs, separated by spaces. */
  readonly scope?: string
}

/**
 * The `WWW-Authenticate` header of RFC 6750 §3, with the address at which clients find the issuer (RFC 9728 §5.1) on
 * the scheme and host that the request came to.
 */
function challenge(url: URL, reason: ChallengeReason = {}): Readonly<Record<string, string>> {
  const attributes = {
    realm: 'product catalogue',
    ...reason,
    resource_metadata: `${url.origin}${metadataPath}${isToolPath(url.pathname) ? url.pathname : ''}`,
  }
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`)
  return { 'WWW-Authenticate': `Bearer ${pairs.join(', ')}` }
}

/** Characters: no issuer needs more, and everything after this point costs time in proportion. */
const longestToken = 8192

const credentials = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

const bearerScheme = /^bearer(?![^\s,])/i

/**
 * The token of the `Authorization: Bearer` header (RFC 6750 §2.1). Null if the header contains no token, or two: `Headers`
 * joins those with a comma.
 *
 * A header of another scheme counts as absent (RFC 6750 §3). A token in the query is not read, because addresses end up
 * in logs.
 *
 * @throws Problem `token_required` without a header of the scheme, `multiple_credentials` with an additional token in the query.
 */
function bearerToken(headers: Headers, url: URL): string | null {
  const header = headers.get('authorization')
  if (header === null || !bearerScheme.test(header))
    throw authProblems.token_required({}, { headers: challenge(url) })
  if (url.searchParams.has('access_token')) {
    throw authProblems.multiple_credentials({}, { headers: challenge(url, { error: 'invalid_request' }) })
  }
  const token = credentials.exec(header)?.[1]
  return token === undefined || token.length > longestToken ? null : token
}

/** Seconds by which the issuer's clock and ours may differ. */
const clockTolerance = 5

/** The clock, the network, and the callback for an issuer that is down. */
export type AuthenticationOptions = Fetching & { readonly now: Date }

/**
 * Authenticates the caller: verifies the bearer token against the tenant's issuer, audience and keys (RFC 6750, RFC 8725). A storefront
 * host accepts only its publishable keys.
 *
 * @throws Problem `token_required`, `multiple_credentials`, or `issuer_unavailable` if the issuer's keys cannot be fetched.
 * Every bad token gets the same `invalid_token`, whose cause is a TokenError.
 */
export async function authenticate(
  headers: Headers,
  url: URL,
  tenant: Tenant,
  options: AuthenticationOptions,
): Promise<Actor> {
  if (tenant.storefront) return await keyActor(headers, tenant.storefront)
  rejectKey(headers)
  const token = bearerToken(headers, url)
  try {
    return await verifyBearer(token, tenant, audiencesAt(url, tenant), options)
  } catch (cause) {
    if (cause instanceof IssuerUnreachable) {
      throw authProblems.issuer_unavailable({}, { headers: { 'Retry-After': '10' }, cause })
    }
    if (!(cause instanceof TokenError)) throw cause
    throw authProblems.invalid_token({}, { headers: challenge(url, { error: 'invalid_token' }), cause })
  }
}

/**
 * The accepted audiences: the tenant and, for calls of tools, also that URL, because clients of the Model Context Protocol
 * request a token for it (RFC 8707). Such a token is valid nowhere else.
 */
function audiencesAt({ origin, pathname }: URL, { audience }: Tenant): readonly string[] {
  return isToolPath(pathname) ? [audience, `${origin}${pathname}`] : [audience]
}

/** A token that was verified with a key. The result is valid from `from` until before `until`, in ms since the epoch. */
type VerifiedToken = UnverifiedToken & {
  readonly key: CryptoKey
  readonly from: number
  readonly until: number
}

/**
 * Tokens of at most 8 kB that this isolate has verified, by token and settings. A client sends the same token until it expires.
 * Verifying ES256 takes 0.16 ms of the 1.04 ms of the Worker's CPU for an item, measured in workerd. Revocation is checked on
 * each request.
 */
const verifiedTokens = new Lru<VerifiedToken>(200)

/** @throws TokenError, IssuerUnreachable */
async function verifyBearer(
  token: string | null,
  tenant: Tenant,
  audiences: readonly string[],
  options: AuthenticationOptions,
): Promise<Actor> {
  if (token === null) throw new TokenError('form')
  const { algorithms, issuer, tokenProfile } = tenant
  const id = JSON.stringify([token, issuer, audiences, algorithms, tokenProfile])
  const verified = verifiedTokens.get(id)
  const { header, claims } = verified ?? unverifiedToken(token)
  if (!algorithms.some((algorithm) => algorithm === header.alg)) throw new TokenError('algorithm')
  const key = await verificationKey(header, tenant, options)
  const now = options.now.getTime()
  if (verified?.key !== key || now < verified.from || now >= verified.until) {
    const until = await verify(token, key, header, tenant, audiences, options.now)
    verifiedTokens.set(id, { header, claims, key, from: now, until })
  }
  return actorOf(claims, tenant, audiences)
}

/** Verifies signature, issuer, audience, type and times. Returns when the token ends, in ms since the epoch. @throws TokenError */
async function verify(
  token: string,
  key: CryptoKey,
  { typ }: TokenHeader,
  { algorithms, issuer, tokenProfile }: Tenant,
  audiences: readonly string[],
  now: Date,
): Promise<number> {
  const generic = tokenProfile === 'generic'
  try {
    const { payload } = await jwtVerify(token, key, {
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
    return Math.min(exp, iat + longestLifetime) * 1000
  } catch (error) {
    throw new TokenError(checkOf(error))
  }
}

/**
 * Requires that the token has each of the scopes and, acting for a person, each matching identity permission.
 *
 * @throws Problem `insufficient_scope` with the scope challenge of RFC 6750 §3.1, or `permission_denied` with the
 * `missingPermissions`. If the token has not the scope, only that is reported.
 */
export function requireScopesOfActor(actor: Actor, scopes: readonly Scope[], url: URL): void {
  const missingScopes = scopes.filter((scope) => !actor.scopes.has(scope))
  if (missingScopes.length > 0) {
    // The challenge names all that the request needs, since a client asks its issuer for exactly that (RFC 6750 §3).
    const headers = challenge(url, { error: 'insufficient_scope', scope: scopes.join(' ') })
    throw authProblems.insufficient_scope({ scope: missingScopes.join(' ') }, { headers })
  }
  const missing = missingPermissions(actor, scopes)
  if (missing.length > 0)
    throw authProblems.permission_denied(
      {},
      {
        help: `The person of the access token lacks ${missing.join(', ')}. An administrator can grant it.`,
        members: { missingPermissions: missing },
      },
    )
}
