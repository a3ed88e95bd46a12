import { question } from './asked.ts'
import { currentToken } from './session.ts'
import { catalogue } from './settings.ts'

/** Asks the person for a new token in a dialog over the page. The answer is whether a new token was accepted. */
export const signInAgain = question<null, boolean>()

let renewal: Promise<boolean> | null = null

/** Opens one dialog for all requests that wait for a new token. */
function renewToken(): Promise<boolean> {
  renewal ??= signInAgain.ask(null).finally(() => {
    renewal = null
  })
  return renewal
}

/** Replaces a token that has expired without asking the person, where they signed in at the issuer. */
async function refreshToken(): Promise<boolean> {
  return catalogue().signIn !== null && (await import('./issuer.ts')).refreshToken()
}

/**
 * Sends a request with the token of this tab. If the service rejects the token, the person signs in again in a dialog. Then the
 * same request is sent once more: a write keeps the entity tag that it was made for. The page never navigates, so it keeps its edits.
 *
 * @returns the response with status 401 if the person does not sign in
 */
export async function withToken<Reply extends { readonly status: number }>(
  send: (token: string | null) => Promise<Reply>,
): Promise<Reply> {
  const token = currentToken()
  const reply = await send(token)
  if (reply.status !== 401 || token === null) return reply
  const isRenewed = currentToken() !== token || (await refreshToken()) || (await renewToken())
  return isRenewed ? send(currentToken()) : reply
}
