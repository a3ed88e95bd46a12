/** The token of this tab: taken from the address once, kept until the tab is closed, never sent anywhere but here. */

const kept = 'catalogue.token'

export type Claims = {
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

/** What the token says of itself; for display alone, the service judges it. */
export function currentClaims(): Claims | null {
  try {
    const payload = currentToken()?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (unit) => unit.charCodeAt(0))))
  } catch {
    return null
  }
}

/** Whether the token names a scope; the menu leaves out what would only be refused. */
export function hasScope(scope: string): boolean {
  return currentClaims()?.scope?.split(' ').includes(scope) ?? true
}
