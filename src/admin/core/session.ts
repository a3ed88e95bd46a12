/** The token of this tab: taken from the address once, kept until the tab is closed, never sent anywhere but here. */

const kept = 'catalogue.token'

export type Claims = {
  readonly iss?: string
  readonly sub: string
  readonly client_id?: string
  readonly exp: number
  readonly scope?: string
}

/** Takes `#token=…` out of the address, so that it stays in no history and is copied with no link. */
export function takeTokenFromAddress(): boolean {
  const found = /^#token=([\w-]+\.[\w-]+\.[\w-]+)$/.exec(location.hash)?.[1]
  if (!found) return false
  keepToken(found)
  history.replaceState(null, '', location.pathname)
  return true
}

export function keepToken(token: string): void {
  sessionStorage.setItem(kept, token)
}

export function forgetToken(): void {
  sessionStorage.removeItem(kept)
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
