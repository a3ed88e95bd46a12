import { authProblems } from '../core/problems/index.ts'
import { challenge } from './challenge.ts'

/** Characters: no issuer needs more, and everything after this point costs time in proportion. */
const longestToken = 8192

const credentials = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

const bearer = /^bearer(?![^\s,])/i

/**
 * The token of the request's one `Authorization: Bearer` header (RFC 6750 §2.1), or null when what follows the scheme is no
 * token, two of them included: `Headers` joins those with a comma, which no token contains.
 *
 * A header of another scheme has nothing that could be a good or a bad token, so it counts as none (RFC 6750 §3). A token
 * in the query is not read, because addresses end up in logs.
 *
 * @throws Problem `token_required` without a header of the scheme, `multiple_credentials` with a query token beside it.
 */
export function bearerToken(headers: Headers, url: URL): string | null {
  const header = headers.get('authorization')
  if (header === null || !bearer.test(header))
    throw authProblems.token_required({}, { headers: challenge(url) })
  if (url.searchParams.has('access_token')) {
    throw authProblems.multiple_credentials({}, { headers: challenge(url, { error: 'invalid_request' }) })
  }
  const token = credentials.exec(header)?.[1]
  return token === undefined || token.length > longestToken ? null : token
}

/** Whether a request carries what looks like a token, good or not. */
export function hasBearerToken(headers: Headers): boolean {
  return credentials.test(headers.get('authorization') ?? '')
}
