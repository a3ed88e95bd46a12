import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { ReferenceUnit } from '../../core/context.ts'
import { instantOf, utcInstant } from '../../core/instant.ts'
import type { Context } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { authProblems } from '../../core/problems/auth.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import type { RequiredScopes } from '../../core/schema.ts'
import { throwViolations, violation } from '../../core/violations.ts'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  statement,
} from '../../db/query.ts'
import { market, maximumMarkets } from '../markets/schema.ts'
import { pricesComplete } from '../markets/table.ts'
import { countryInAnyCase, currencyInAnyCase, identifier } from '../shared/properties.ts'
import { type PricePolicy, policyAt, priorDaysAt } from './policies.ts'
import type { PriceContext } from './price.ts'
import { pricingProblems } from './problems.ts'

/**
 * A request for prices: the context, whether to explain the price, and the timestamp of the recorded offers, by
 * default now.
 */
export type PriceRequest = PriceContext & {
  readonly explain?: boolean
  /** True if `at` is the moment of the request. The price then has the moment since which it applies. */
  readonly isNow?: boolean
  /** Whether `at` is not before the moment of the request. */
  readonly isFromNow?: boolean
  /** Whether the price index has all prices of the market. `contextQuery()` returns it. */
  readonly pricesComplete?: boolean
  /** The tenant's reference units of unit prices. */
  readonly referenceUnits?: readonly ReferenceUnit[]
  readonly knownAt?: string
  /** The policy of prior prices, null if the country has none, and whether to show prior prices; absent if not requested. */
  readonly prior?: { readonly policy: PricePolicy | null; readonly isIncluded: boolean }
  /**
   * The market of the context: its key, and the days of the policies by country. The statement that reads the data of prices finds
   * the market's channel and country. They are empty here until `contextQuery()` returns the request with them.
   */
  readonly market?: { readonly key: string; readonly priorDays: Readonly<Record<string, number>> }
  /** The keys of several markets, whose prices are requested at once. */
  readonly markets?: readonly string[]
  /** Whether every visitor of a shop may read the prices, so that they must not reveal later ones. */
  readonly isPublic?: boolean
  /** The request of each of several markets. `contextQuery()` returns them. */
  readonly inMarkets?: readonly { readonly key: string; readonly request: PriceRequest }[]
}

/** The value of a timestamp that means the moment of the request. */
const now = 'now'

const utcTimestamp = (problem: Violation) =>
  z.string().transform((text, check) => {
    if (text === now) return now
    const at = utcInstant(text)
    if (at === null) check.addIssue({ code: 'custom', ...violation(problem) })
    return at ?? ''
  })

const timestampPattern = '^(now|\\d{4}-.+)$'

const contextDescription =
  'Send all three `resolveContext` parameters, or none. With them, variants have `resolvedPrice`.'

const contextNames = ['resolveContext[channel]', 'resolveContext[country]', 'resolveContext[at]'] as const
const knownAtName = 'resolveContext[knownAt]'
export const currencyName = 'resolveContext[currency]'
const resolveNames = [...contextNames, knownAtName, currencyName]

/** The violation for a missing parameter. It is reported together with the violations of the other two. */
const requiredTogether = (parameter: string) => ({
  neededBy: resolveNames,
  missing: pricingProblems.resolve_context_incomplete.at(parameter, { parameter }),
})

export const currencyKeywords = { pattern: '^[A-Za-z]{3}$', examples: ['EUR'] }

/**
 * The query parameters that request prices: a channel, an ISO 3166-1 alpha-2 country in any case, a UTC
 * timestamp.
 */
const resolveParameters = {
  'resolveContext[channel]': identifier.optional().meta({
    ...requiredTogether('resolveContext[channel]'),
    description: `The channel of the requested prices. ${contextDescription}`,
  }),
  'resolveContext[country]': countryInAnyCase.optional().meta({
    ...requiredTogether('resolveContext[country]'),
    pattern: '^[A-Za-z]{2}$',
    examples: ['FR'],
    description: `The ISO 3166-1 alpha-2 code of the country of the requested prices. ${contextDescription}`,
  }),
  'resolveContext[at]': utcTimestamp(pricingProblems.at_not_utc.at(''))
    .optional()
    .meta({
      ...requiredTogether('resolveContext[at]'),
      pattern: timestampPattern,
      examples: ['2026-10-01T12:00:00Z', now],
      description: `The moment of the requested prices in UTC, with \`Z\`, a zero offset or no zone. \`now\` means the moment of the request. With \`now\`, \`at\` of a price is the moment since which the recorded offers give this price. It is never before the creation of the variant. The same request then returns the same entity tag until a price changes. ${contextDescription}`,
    }),
  [currencyName]: currencyInAnyCase.optional().meta({
    ...currencyKeywords,
    description:
      'Requires the other three. Only offers in this currency (ISO 4217) compete. If none applies, but one in another currency does, `resolvedPrice` has a `reason` instead of an amount.',
  }),
  [knownAtName]: utcTimestamp(pricingProblems.known_at_not_utc.at(''))
    .optional()
    .meta({
      pattern: timestampPattern,
      examples: ['2026-10-01T12:00:00Z'],
      description:
        'Requires the other three. Resolves prices from the offers recorded at this moment, UTC, instead of now. `now` is the same as no parameter. If it equals `resolveContext[at]`, the result is the price that applied then.',
    }),
}

const addedIn = 'unstable'
const marketsName = 'markets[]'

/** The query parameters that request the prices of a market. */
export const marketParameters = {
  market: z
    .string()
    .max(64)
    .optional()
    .meta({
      addedIn,
      examples: ['fr'],
      description:
        'The key of a market (`/api/markets`). Variants have `resolvedPrice` in its channel, its country and its currency. Replaces the `resolveContext` parameters.',
    }),
  [marketsName]: z
    .preprocess((value) => [value].flat(), z.array(z.string().max(64)).max(maximumMarkets))
    .optional()
    .meta({
      addedIn,
      examples: [['fr']],
      description:
        'The keys of several markets, one parameter for each. Variants have `resolvedPrices`: the price in each market, in this order. The more markets, the fewer variants a product embeds. Without `explain` and `expand=priorPrice`.',
    }),
  priceAt: utcTimestamp(pricingProblems.at_not_utc.at(''))
    .optional()
    .meta({
      addedIn,
      pattern: timestampPattern,
      examples: ['2026-10-01T12:00:00Z', now],
      description:
        'The moment of the prices of a market, like `resolveContext[at]`. By default it is `now`. Requires `market` or `markets[]`.',
    }),
  priceKnownAt: utcTimestamp(pricingProblems.known_at_not_utc.at(''))
    .optional()
    .meta({
      addedIn,
      pattern: timestampPattern,
      examples: ['2026-10-01T12:00:00Z'],
      description:
        'Resolves the prices of a market from the offers recorded at this moment, like `resolveContext[knownAt]`. Requires `market` or `markets[]`.',
    }),
}

const marketNames = Object.keys(marketParameters)

/** The parameters of a price's context where they are required. */
export const contextParameters = Object.fromEntries(
  contextNames.map((name) => [
    name,
    resolveParameters[name].meta({ ...resolveParameters[name].meta(), mandatory: true }),
  ]),
)

/** The parameter `explain` of lists, which is always invalid: only the request for one item explains its prices. */
export function explainOfList(item: string) {
  return z
    .string()
    .transform((_, check) => {
      check.addIssue({ code: 'custom', ...violation(pricingProblems.explain_in_list.at('', { item })) })
    })
    .optional()
    .meta({
      description: `Lists explain no prices. \`GET ${item}?explain=price\` explains those of one item.`,
    })
}

/** The query parameters of reads that return prices and explain them. */
export const priceParameters = {
  ...resolveParameters,
  ...marketParameters,
  explain: z
    .literal('price')
    .optional()
    .meta({
      neededScopes: {
        scopes: () => ['sale_offers:read'],
        described: '`sale_offers:read`',
      } satisfies RequiredScopes,
      description:
        'With `price`, `resolvedPrice` has `candidates`: every offer of the variant, its outcome and the reason. Needs the scope `sale_offers:read` as well.',
    }),
}

export const priorPriceExpansion = {
  choice: 'priorPrice',
  description:
    'With `priorPrice`, `resolvedPrice` has `priorPrice`: the lowest price that applied before its reduction, by the policy of the country (`/api/price_policies`). Without one, it is null and `noPriorPrice` has the reason. Needs all three `resolveContext` parameters.',
} as const

type PriceQuery = Readonly<Record<string, unknown>> & { readonly expand?: readonly string[] | undefined }

/**
 * Reads the request for prices from a query that `priceParameters` have parsed; null if it requests none.
 * @throws Problem 422 `pricing.resolve_context_incomplete`, one violation for each missing parameter
 */
export function priceRequestOf(
  query: PriceQuery,
  context: Pick<Context, 'tenant' | 'now'>,
): PriceRequest | null {
  const names = [...resolveNames, ...marketNames, 'explain']
  const isRequested = names.some((name) => query[name] !== undefined) || includesPriorPrice(query)
  return isRequested ? requiredPriceRequestOf(query, context) : null
}

/** @throws Problem 422 `pricing.market_missing`, `pricing.market_and_context`, `pricing.market_single` */
function marketRequestOf(query: PriceQuery, context: Pick<Context, 'tenant' | 'now'>): PriceRequest {
  const { market: key, [marketsName]: keys, priceAt: at = now, priceKnownAt: knownAt } = query
  const markets = Array.isArray(keys) ? keys.map(String) : undefined
  requirePublicPrices(context, at === now && (knownAt === undefined || knownAt === now))
  const others = [...resolveNames, ...(markets ? ['market'] : [])]
  throwViolations([
    ...(key === undefined && !markets ? [pricingProblems.market_missing.at('market')] : []),
    ...others.flatMap((parameter) =>
      query[parameter] === undefined ? [] : [pricingProblems.market_and_context.at(parameter)],
    ),
    ...(markets && new Set(markets).size < markets.length
      ? [validationProblems.duplicate_item.at(marketsName)]
      : []),
  ])
  const request = requestOf({ channel: '', country: '', at, knownAt }, query, context)
  if (markets) {
    throwViolations([
      ...(request.explain ? [pricingProblems.market_single.at('explain')] : []),
      ...(includesPriorPrice(query) ? [pricingProblems.market_single.at('expand')] : []),
    ])
    return { ...request, markets }
  }
  const priorDays = request.prior ? priorDaysAt(request.at, context.tenant) : {}
  return { ...request, market: { key: String(key), priorDays } }
}

/** The same for a query that always requests prices. */
export function requiredPriceRequestOf(
  query: PriceQuery,
  context: Pick<Context, 'tenant' | 'now'>,
): PriceRequest {
  if (marketNames.some((name) => query[name] !== undefined)) return marketRequestOf(query, context)
  requirePublicPrices(context, false)
  const missing = contextNames.filter((name) => query[name] === undefined)
  throwViolations(
    missing.map((parameter) => pricingProblems.resolve_context_incomplete.at(parameter, { parameter })),
  )
  const [channel, country, at] = contextNames.map((name) => String(query[name]))
  return requestOf(
    { channel, country, at, knownAt: query[knownAtName], currency: query[currencyName] },
    query,
    context,
  )
}

/** @throws Problem 403 `auth.not_public` at a storefront host for prices without a market, or of another moment than now */
function requirePublicPrices({ tenant }: Pick<Context, 'tenant'>, isPublic: boolean): void {
  if (tenant.storefront && !isPublic)
    throw authProblems.not_public({}, { help: 'Prices of now in a market are public: send market=fr alone.' })
}

type GivenContext = { readonly [name in 'channel' | 'country' | 'at' | 'knownAt' | 'currency']?: unknown }

function requestOf(
  { channel, country: givenCountry, at, knownAt, currency }: GivenContext,
  query: PriceQuery,
  { tenant, now: requestTime }: Pick<Context, 'tenant' | 'now'>,
): PriceRequest {
  const country = String(givenCountry)
  const moment = at === now ? instantOf(requestTime) : String(at)
  const explain = query.explain !== undefined
  const isIncluded = includesPriorPrice(query)
  return {
    channel: String(channel),
    country,
    at: moment,
    explain,
    referenceUnits: tenant.referenceUnits,
    ...(typeof currency === 'string' ? { currency } : {}),
    ...(at === now ? { isNow: true } : {}),
    ...(tenant.storefront ? { isPublic: true } : {}),
    isFromNow: moment >= instantOf(requestTime),
    ...(typeof knownAt === 'string' && knownAt !== now ? { knownAt } : {}),
    ...(isIncluded || explain ? { prior: { policy: policyAt(country, moment, tenant), isIncluded } } : {}),
  }
}

const marketRow = {
  ...columnsOf(z.string(), 'key', 'channel', 'country', 'currency'),
  pricesComplete: z.boolean(),
}

/**
 * Reads the markets of the tenant. The result finds the channel, country and currency of one by its key.
 * @throws Problem 422 `pricing.market_unknown`, with the markets for callers who may read them
 */
export function marketsQuery({ access }: Pick<Context, 'access'>) {
  const rows = statement(marketRow)`
    select key, channel, country, currency, ${pricesComplete} as "pricesComplete" from markets where tenant_id = current_tenant() order by key`
  return mapQuery(combineQueries({ rows }), (result) => (key: string, parameter = 'market') => {
    const row = result.rows.find((candidate) => candidate.key === key)
    if (!row) {
      const choices = result.rows.map((row) => row.key).join(', ') || 'none'
      const help = access.sees(market) ? `The markets of the tenant: ${choices}.` : undefined
      throwViolations([pricingProblems.market_unknown.at(parameter, { market: key }, help)])
    }
    const { key: _, ...context } = row
    return context
  })
}

/** Returns a request in the context of its market, or in those of its markets. Other requests read nothing. */
export function contextQuery(
  request: PriceRequest | null,
  context: Pick<Context, 'tenant' | 'access'>,
): DatabaseQuery<PriceRequest | null> {
  if (!request?.market && !request?.markets) return mapQuery(noQuery, () => request)
  const { market: single, markets: keys = [], ...common } = request
  return mapQuery(marketsQuery(context), (marketOf) => {
    const requestIn = (key: string, parameter?: string): PriceRequest => {
      const inMarket = marketOf(key, parameter)
      const { prior, at } = common
      const inForce = prior && { prior: { ...prior, policy: policyAt(inMarket.country, at, context.tenant) } }
      return { ...common, ...inMarket, ...inForce }
    }
    if (single) return { ...requestIn(single.key), market: single }
    return { ...request, inMarkets: keys.map((key) => ({ key, request: requestIn(key, marketsName) })) }
  })
}

/** The channel, country and currency of a request in a statement, which reads those of a market. */
export function contextValues({ channel, country, currency, market }: ContextValues) {
  if (!market)
    return { channel: sql`${channel}`, country: sql`${country}`, currency: sql`${currency ?? null}` }
  const ofMarket = (column: string) =>
    sql`(select ${sql.identifier(column)} from markets where tenant_id = current_tenant() and key = ${market.key})`
  return { channel: ofMarket('channel'), country: ofMarket('country'), currency: ofMarket('currency') }
}

type ContextValues = Omit<PriceContext, 'at'> & { readonly market?: { readonly key: string } | undefined }

const includesPriorPrice = ({ expand }: PriceQuery) => expand?.includes(priorPriceExpansion.choice) ?? false

/** `price_history()` of migrations/functions/51_prices.sql, as an expression; `historyFrom` parses it. */
export const priceHistory: SQL = sql`price_history()`

/** The canonical timestamp of the tenant's first event; null before it. */
export function historyFrom(history: string): string | null {
  return history === '' ? null : history
}

/**
 * Rejects a request for recorded prices from before the tenant's first event.
 * @throws Problem 422 `pricing.known_at_before_history`, `pricing.at_before_history`
 */
export function requireHistory(request: PriceRequest | null, history: string | undefined, now: Date): void {
  if (request?.knownAt === undefined) return
  const from = historyFrom(history ?? '')
  const since = from ?? instantOf(now)
  const isBefore = (timestamp: string) => from === null || timestamp < from
  const [atName, knownName] =
    request.market || request.markets ? ['priceAt', 'priceKnownAt'] : ['resolveContext[at]', knownAtName]
  throwViolations([
    ...(isBefore(request.at) ? [pricingProblems.at_before_history.at(atName, { since })] : []),
    ...(isBefore(request.knownAt) ? [pricingProblems.known_at_before_history.at(knownName, { since })] : []),
  ])
}
