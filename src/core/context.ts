import * as z from 'zod'
import { validationProblems } from './problems/validation.ts'
import { violation } from './violations.ts'

/** The signature algorithms that a tenant can allow. */
export type TokenAlgorithm = z.infer<typeof tokenAlgorithm>
const tokenAlgorithm = z.enum(['ES256', 'RS256', 'EdDSA'])

const texts = z.array(z.string()).readonly()

/**
 * The rules of prior prices that a tenant may choose for a country. Absent ones are those of the country's act.
 * src/resources/prices/policies.ts explains the values.
 */
export const policyRules = z
  .strictObject({
    days: z.int().min(30).max(36_500),
    series: z.enum(['none', 'increasing_uninterrupted', 'successive_within']),
    seriesDays: z.int().min(1).max(36_500).nullable(),
    newerGoods: z.enum(['since_launch', 'state_period', 'not_announced']),
    perishables: z.enum(['same', 'exempt', 'first_reduction']),
  })
  .partial()

/** The units of contents for which a unit price exists: those of Directive 98/6/EC, article 2 (b), and their thousandths. */
const measuredUnits = ['g', 'kg', 'ml', 'l', 'm', 'm2', 'm3'] as const

/** The units in which the directive states unit prices, by the units of contents. */
export const statedUnits = { g: 'kg', kg: 'kg', ml: 'l', l: 'l', m: 'm', m2: 'm2', m3: 'm3' } as const

/** The decimal places of a quantity. A double has 15 exact digits: nine before the point, and these. */
const quantityDecimals = 6

const quantityValue = z
  .number()
  .min(10 ** -quantityDecimals)
  .max(1e9)
  .refine(
    (value) => Number(value.toFixed(quantityDecimals)) === value,
    violation(validationProblems.too_many_decimals.at('', { maximum: quantityDecimals })),
  )

/** A quantity to which unit prices refer: 100 g. */
export type ReferenceUnit = z.infer<typeof referenceUnit>
export const referenceUnit = z.object({ value: quantityValue, unit: z.enum(measuredUnits) })

/** The content of a package. */
export type Measure = z.infer<typeof measure>
export const measure = referenceUnit.extend({ unit: z.enum([...measuredUnits, 'piece']) })

/** A tenant's settings. They are found by host only and cached for a minute in each isolate. */
export type Tenant = z.infer<typeof tenantSettings>

export const tenantSettings = z
  .strictObject({
    id: z.string(),
    /** Exact lower-case host name, without port or trailing dot: the primary of its hosts. */
    host: z.string(),
    /** Every host name of the tenant, the primary first, without storefront hosts. */
    hosts: texts,
    /**
     * The storefront host of the request: the SHA-256 of its publishable keys, and the seconds for which shared caches may store its
     * responses. Absent at the tenant's own hosts.
     */
    storefront: z.strictObject({ keys: texts, maxAge: z.number() }).optional(),
    name: z.string(),
    /** Whether requests get 503 and no webhooks are sent until an operator resumes the tenant. */
    isSuspended: z.boolean(),
    /** Declared locales in order, at most ten; the first is the default. */
    locales: z.tuple([z.string()], z.string()).readonly(),
    /** Locales whose product index is not complete yet. */
    arriving: texts,
    /** Locales whose translations are being removed: still readable, no longer writable. */
    leaving: texts,
    defaultApiVersion: z.string(),
    issuer: z.string(),
    audience: z.string(),
    /** Inline keys; null when `jwksUri` names the URL that serves them. */
    jwks: z.object({ keys: z.array(z.object({ kid: z.string().optional() })) }).nullable(),
    jwksUri: z.string().nullable(),
    algorithms: z.array(tokenAlgorithm).readonly(),
    tokenProfile: z.enum(['rfc9068', 'generic']),
    /** Tokens issued before this time (seconds since the epoch) are rejected; null when there is no limit. */
    tokensValidAfter: z.number().nullable(),
    /** `jti`s revoked before their expiry. */
    revokedTokens: texts,
    limits: z
      .object({ webhookSubscriptions: z.number(), webhookSubscriptionsPerHost: z.number() })
      .readonly(),
    /** Days before a price reduction that are searched for the prior price, at least 30. */
    priorPriceDays: z.number(),
    /**
     * The policies of prior prices that the tenant chose, by country, oldest first: a past price is judged by the choice of its time.
     * Null rules mean that no policy applies from then on.
     */
    pricePolicies: z.record(
      z.string(),
      z.array(z.object({ chosenAt: z.string(), rules: policyRules.nullable() }).readonly()).readonly(),
    ),
    /** The quantities to which unit prices refer, at most one of each kind: 100 g, 100 ml. Categories may have others. */
    referenceUnits: z.array(referenceUnit).readonly(),
    /** The IANA time zone of the tenant's users, such as `Europe/Paris`. No API response depends on it. */
    timeZone: z.string(),
    /** Additional hosts from which /admin loads images over https: `images.example.com`. */
    imageHosts: texts,
    /** The OAuth client of /admin at the issuer. Absent where people paste a token. */
    adminClient: z.string().optional(),
    /**
     * The epochs after restores to an earlier time, oldest first, each with the sequences of the events around its gap. A recovery
     * requires that no Worker has used the tenant for the time that settings are cached.
     */
    epochs: z
      .array(z.object({ epoch: z.number(), lastSequence: z.number(), firstSequence: z.number() }).readonly())
      .readonly(),
  })
  .readonly()

/** The number of the tenant's epoch: 0 before the first restore to an earlier time. */
export const epochOf = ({ epochs }: Pick<Tenant, 'epochs'>): number => epochs.at(-1)?.epoch ?? 0

/** The caller, as the verified token identifies it. */
export type Actor = {
  readonly subject: string
  readonly client: string
  readonly scopes: ReadonlySet<string>
  /** Identity permissions (`identity:products:read`). They are checked only for tokens that act for a person. */
  readonly permissions: ReadonlySet<string>
  /** True when the token acts for a person: its subject is not its client. */
  readonly person: boolean
  /** The token, which can be revoked: its id, and its time in seconds since the epoch. Absent without a token. */
  readonly token?: { readonly id: string; readonly issuedAt: number }
  /** True for a publishable key, which every visitor of a shop can read in its pages. */
  readonly isPublic?: true
}
