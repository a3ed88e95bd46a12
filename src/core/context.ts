import type { JSONWebKeySet } from 'jose'

/** A tenant's settings. They are found by host only and cached for a minute in each isolate. */
export type Tenant = {
  readonly id: string
  /** Exact lower-case host name, without port or trailing dot: the primary of its hosts. */
  readonly host: string
  /** Every host name of the tenant, the primary first. */
  readonly hosts: readonly string[]
  readonly name: string
  /** Whether requests get 503 and no webhooks are sent until an operator resumes the tenant. */
  readonly isSuspended: boolean
  /** Declared locales in order, at most ten; the first is the default. */
  readonly locales: readonly [string, ...string[]]
  /** Locales whose product index is not complete yet. */
  readonly arriving: readonly string[]
  /** Locales whose translations are being removed: still readable, no longer writable. */
  readonly leaving: readonly string[]
  readonly defaultApiVersion: string
  readonly issuer: string
  readonly audience: string
  /** Inline keys; null when `jwksUri` names the URL that serves them. */
  readonly jwks: JSONWebKeySet | null
  readonly jwksUri: string | null
  readonly algorithms: readonly TokenAlgorithm[]
  readonly tokenProfile: 'rfc9068' | 'generic'
  /** Tokens issued before this time (seconds since the epoch) are rejected; null when there is no limit. */
  readonly tokensValidAfter: number | null
  /** `jti`s revoked before their expiry. */
  readonly revokedTokens: readonly string[]
  readonly limits: {
    readonly webhookSubscriptions: number
    readonly webhookSubscriptionsPerHost: number
  }
  /** Days before a price reduction that are searched for the prior price, at least 30. */
  readonly priorPriceDays: number
  /** The IANA time zone of the tenant's users, such as `Europe/Paris`. No API response depends on it. */
  readonly timeZone: string
  /** Additional hosts from which /admin loads images over https: `images.example.com`. */
  readonly imageHosts: readonly string[]
}

/** The signature algorithms that a tenant can allow. */
export type TokenAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** The caller, as the verified token identifies it. */
export type Actor = {
  readonly subject: string
  readonly client: string
  readonly scopes: ReadonlySet<string>
  /** Identity permissions (`identity:products:read`). They are checked only for tokens that act for a person. */
  readonly permissions: ReadonlySet<string>
  /** True when the token acts for a person: its subject is not its client. */
  readonly person: boolean
}
