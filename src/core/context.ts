import type { JSONWebKeySet } from 'jose'

/** A tenant's settings, found by host alone and cached for a minute in each isolate. */
export type Tenant = {
  readonly id: string
  /** Exact lower-case host name, without port or trailing dot: the primary of its hosts. */
  readonly host: string
  /** Every name that it is found by, the primary first. */
  readonly hosts: readonly string[]
  readonly name: string
  /** Whether it is answered 503, and nothing is sent for it, until an operator resumes it. */
  readonly isSuspended: boolean
  /** Declared locales in order, at most ten; the first is the default. */
  readonly locales: readonly [string, ...string[]]
  /** Those of them that products are still to be indexed for. */
  readonly arriving: readonly string[]
  /** Those of them that texts are being taken from: still read, and no longer written. */
  readonly leaving: readonly string[]
  readonly defaultApiVersion: string
  readonly issuer: string
  readonly audience: string
  /** Keys given inline; null when `jwksUri` names where they are served. */
  readonly jwks: JSONWebKeySet | null
  readonly jwksUri: string | null
  readonly algorithms: readonly TokenAlgorithm[]
  readonly tokenProfile: 'rfc9068' | 'generic'
  /** Tokens issued before this moment (seconds since the epoch) are refused; null when none are. */
  readonly tokensValidAfter: number | null
  /** `jti`s revoked before their expiry. */
  readonly revokedTokens: readonly string[]
  readonly limits: {
    readonly webhookSubscriptions: number
    readonly webhookSubscriptionsPerHost: number
  }
  /** Days before a reduction in which its prior price is looked for, at least 30. */
  readonly priorPriceDays: number
  /** The IANA name of the zone in which its people speak of times: `Europe/Paris`. No answer of the API depends on it. */
  readonly timeZone: string
  /** Other hosts than its own from which /admin loads pictures over https: `images.example.com`. */
  readonly imageHosts: readonly string[]
}

/** The signature algorithms that a tenant can allow. */
export type TokenAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** Who asks, as the verified token says. */
export type Actor = {
  readonly subject: string
  readonly client: string
  readonly scopes: ReadonlySet<string>
  /** Identity permissions (`identity:products:read`); asked only of tokens that act for a person. */
  readonly permissions: ReadonlySet<string>
  /** True when the token acts for a person: its subject is not its client. */
  readonly person: boolean
}
