/** Where tools are called: a protected resource of its own, with metadata of its own. */
export const toolPath = '/mcp'

/** Where the metadata of protected resources begin (RFC 9728 §3); that of a path follows. */
export const metadataPath = '/.well-known/oauth-protected-resource'

/** Why a credential is refused, in the words of RFC 6750 §3.1; nothing when none was sent. */
export type ChallengeReason = {
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** The scopes that the operation needs, separated by spaces. */
  readonly scope?: string
}

/**
 * The `WWW-Authenticate` header of RFC 6750 §3, with the address at which clients find the issuer (RFC 9728 §5.1) on
 * the scheme and host that the request came to.
 */
export function challenge(url: URL, reason: ChallengeReason = {}): Readonly<Record<string, string>> {
  const attributes = {
    realm: 'product catalogue',
    ...reason,
    resource_metadata: `${url.origin}${metadataPath}${url.pathname === toolPath ? toolPath : ''}`,
  }
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`)
  return { 'WWW-Authenticate': `Bearer ${written.join(', ')}` }
}
