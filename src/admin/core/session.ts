/** The token of this tab. The session storage holds it until the tab is closed. The page sends it to this host only. */
import { catalogue } from './settings.ts'

const kept = 'catalogue.token'
const renewing = 'catalogue.refresh'

export type Claims = {
  readonly iss?: string
  readonly sub: string
  readonly client_id?: string
  readonly iat: number
  readonly exp: number
  readonly scope?: string
}

/** The longest life of a token in a link, in seconds: an hour, and a minute for clocks that differ. */
const longestLife = 3660

/** Takes the token of a link (`#token=…`) out of the address, because people copy and share addresses; null without one. */
export function takeTokenFromAddress(): string | null {
  const [, token = null] = /^#token=(.*)$/.exec(location.hash) ?? []
  if (token !== null) history.replaceState(null, '', location.pathname)
  return token
}

/**
 * Signs in with the token of a link, which a local start of the service prints. Only a developer's machine accepts one, because the
 * browser's history keeps the link.
 *
 * @param mayReplace whether the token of the link may replace that of this tab
 */
export function signInByLink(
  token: string,
  mayReplace: (next: Claims, before: Claims | null) => boolean,
): void {
  const claims = claimsIn(token)
  const isAccepted = catalogue().signsInByLink && claims !== null && claims.exp - claims.iat <= longestLife
  const isFree = [null, token].includes(currentToken())
  if (isAccepted && (isFree || mayReplace(claims, currentClaims()))) keepToken(token)
}

/** Replaces the token of this tab, and the one that renews it: a refresh token of an earlier person is removed. */
export function keepToken(token: string, refresh: string | null = null): void {
  sessionStorage.setItem(kept, token)
  if (refresh === null) forgetRefreshToken()
  else sessionStorage.setItem(renewing, refresh)
}

/** Forgets the token, and the one that renews it. */
export function forgetToken(): void {
  sessionStorage.removeItem(kept)
  forgetRefreshToken()
}

export function forgetRefreshToken(): void {
  sessionStorage.removeItem(renewing)
}

/** The refresh token of this tab (RFC 6749 §1.5); null without one. */
export function currentRefreshToken(): string | null {
  return sessionStorage.getItem(renewing)
}

export function currentToken(): string | null {
  return sessionStorage.getItem(kept)
}

/** The claims of the token of this tab; for display alone, because the service verifies the token. */
export function currentClaims(): Claims | null {
  return claimsIn(currentToken())
}

/** The claims of a token; null if the text is no token. */
export function claimsIn(token: string | null): Claims | null {
  try {
    const payload = token?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (unit) => unit.charCodeAt(0))))
  } catch {
    return null
  }
}

/** Names the person of a token: a subject is unique within its issuer (RFC 9068 §2.2). */
export function personOf(claims: Claims | null): string {
  return JSON.stringify([claims?.iss ?? null, claims?.sub ?? null])
}

/** Whether the token names a scope; the menu leaves out what would only be refused. */
export function hasScope(scope: string): boolean {
  return currentClaims()?.scope?.split(' ').includes(scope) ?? true
}
