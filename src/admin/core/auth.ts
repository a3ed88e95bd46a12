import type { AuthProvider } from 'react-admin'
import { removeDrafts } from './drafts.ts'
import { callAs } from './http.ts'
import { messages } from './language.ts'
import { claimsIn, currentClaims, forgetToken, keepToken, personOf } from './session.ts'

/**
 * Signs a person in with a token, after the service has accepted it.
 *
 * @throws HttpError if the service rejects the token
 */
export async function signIn(text: string, refresh: string | null = null): Promise<void> {
  keepToken(await acceptedToken(text), refresh)
}

/**
 * Replaces a token that the service no longer accepts. Another person may not continue: the page shows documents and edits of the
 * person who opened it, and a waiting request would be sent in another name.
 *
 * @throws HttpError if the service rejects the token, Error if it belongs to another person
 */
export async function replaceToken(text: string, refresh: string | null = null): Promise<void> {
  const token = await acceptedToken(text)
  const [before, next] = [currentClaims(), claimsIn(token)]
  if (before !== null && personOf(before) !== personOf(next)) {
    throw new Error(messages('core').otherPerson(next?.sub ?? '', before.sub))
  }
  keepToken(token, refresh)
}

async function acceptedToken(text: string): Promise<string> {
  const token = text.trim().replace(/^Bearer\s+/i, '')
  await callAs(token, '/api/versions')
  return token
}

/** Signing in is pasting a token: the issuer of the tenant signs it, this page only sends it. */
export const authProvider: AuthProvider = {
  /** The form for signing in is drawn before react-admin is loaded, and calls {@link signIn}. */
  async login() {},
  /** The page loads again, and shows the form at its address. */
  async logout() {
    removeDrafts()
    forgetToken()
    setTimeout(() => location.reload())
    return false
  },
  // Never fails: react-admin would sign out on each render. If a token has expired, the next request asks for a new one in a dialog.
  async checkAuth() {},
  /** Never signs out: react-admin would report the rejected request as done, and leave the page with its edits. */
  async checkError() {},
  async getPermissions() {
    return currentClaims()?.scope?.split(' ') ?? []
  },
  async getIdentity() {
    const { sub = messages('core').somebody, client_id } = currentClaims() ?? {}
    return { id: sub, fullName: client_id === undefined || client_id === sub ? sub : `${sub} (${client_id})` }
  },
}
