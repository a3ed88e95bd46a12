import type { AuthProvider } from 'react-admin'
import { call } from './http.ts'
import { spoken } from './language.ts'
import { currentClaims, currentToken, forgetToken, keepToken } from './session.ts'
import { coreWords } from './words.ts'

/** Signing in is showing a token: the issuer hands them out, this page only carries one. */
export const authProvider: AuthProvider = {
  async login({ token }: { token: string }) {
    keepToken(token.trim().replace(/^Bearer\s+/i, ''))
    try {
      await call('/api/versions')
    } catch (error) {
      forgetToken()
      throw error
    }
  },
  async logout() {
    forgetToken()
  },
  async checkAuth() {
    const claims = currentClaims()
    if (currentToken() === null) throw new Error()
    if (claims !== null && claims.exp * 1000 < Date.now()) {
      forgetToken()
      throw new Error(spoken(coreWords).expired)
    }
  },
  async checkError({ status, message }: { status?: number; message?: string }) {
    if (status !== 401) return
    forgetToken()
    throw new Error(message)
  },
  async getPermissions() {
    return currentClaims()?.scope?.split(' ') ?? []
  },
  async getIdentity() {
    const { sub = spoken(coreWords).somebody, client_id } = currentClaims() ?? {}
    return { id: sub, fullName: client_id === undefined || client_id === sub ? sub : `${sub} (${client_id})` }
  },
}
