import { authProblems } from '../core/problems/index.ts'
import { challenge } from './challenge.ts'

/** Characters: no issuer needs more, and everything after this point costs time in proportion. */
const longestToken = 8192

const credentials = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

/**
 * The token of the request's one `Authorization: Bearer` header (RFC 6750 §2.1), or null when the header holds
 * anything else, two of them included: `Headers` joins those with a comma, which no token contains.
 *
 * A token in the query is not read, because addresses end up in logs.
 *
 * @throws Problem `token_required` without the header, `multiple_credentials` with a query token beside it.
 */
export function bearerToken(headers: Headers, url: URL): string | null {
  const header = headers.get('authorization')
  if (header === null) throw authProblems.token_required({}, { headers: challenge(url) })
  if (url.searchParams.has('access_token')) {
    throw authProblems.multiple_credentials({}, { headers: challenge(url, { error: 'invalid_request' }) })
  }
  const token = credentials.exec(header)?.[1]
  return token === undefined || token.length > longestToken ? null : token
}
