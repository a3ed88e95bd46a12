/** Reads the offers that prices are resolved from, and resolves the prices of variants. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Measure, ReferenceUnit } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import type { Pricing } from '../../core/operation.ts'
import { jsonSchemas } from '../../db/columns.ts'
import type { RowOf } from '../../db/query.ts'
import { saleOffers, termNames } from '../offers/table.ts'
import {
  type ExplainedPrice,
  earliest,
  explainedPrice,
  isPriceOf,
  latest,
  type NoPrice,
  noPrice,
  type PriceOffer,
  pricedSince,
  type ResolvedPrice,
  resolvePrice,
  type UnitPrice,
  unitPriceOf,
} from './price.ts'
import { type PriorMembers, type PriorTerms, priorMembers } from './prior.ts'
import { contextValues, type PriceRequest } from './request.ts'
import type { RecordedTerms } from './timeline.ts'

/** An offer as `offer_json()` writes it (migrations/functions/51_prices.sql). A member with its default value is omitted. */
export type StoredOffer = z.infer<typeof storedOffer>
export const storedOffer = z
  .object({ id: z.string(), ...jsonSchemas(saleOffers, termNames) })
  .partial()
  .required({ id: true, currency: true, amount: true })

/** Recorded terms as `term_json()` writes them. */
export type StoredTerms = z.infer<typeof storedTerms>
export const storedTerms = storedOffer.extend({
  knownFrom: z.string(),
  knownUntil: z.string().optional(),
  recordedBy: z.string().optional(),
})

/** The data that the price of a variant is resolved from; `id` is the variant's. */
export type PricedRow = RowOf<typeof priceColumns> & {
  readonly id: string
  readonly createdAt: string
  /** `launchedAt` of the product. */
  readonly launchedAt: Json | undefined
  /** The data of its unit price; absent if none is requested. */
  readonly content?: {
    readonly measure: Measure | null
    /** Of the categories of its product, in the order of their precedence. */
    readonly referenceUnits: readonly ReferenceUnit[]
  }
}
export const priceColumns = {
  /** The offers that match the request now or later. For an explanation: all offers that are not archived. Null for none. */
  offers: z.array(storedOffer).readonly().nullable(),
  /** The recorded terms that its prior price is computed from; null if none were read. */
  terms: z.array(storedTerms).readonly().nullable(),
}

/** Returns a stored offer with all of its members. */
export function offerOf(stored: StoredOffer): PriceOffer {
  return {
    id: stored.id,
    channel: stored.channel ?? null,
    countries: stored.countries ?? [],
    currency: stored.currency,
    amount: stored.amount,
    compareAtAmount: stored.compareAtAmount ?? null,
    validFrom: stored.validFrom ?? null,
    validUntil: stored.validUntil ?? null,
    priority: stored.priority ?? 0,
    minQuantity: stored.minQuantity ?? 1,
    taxIncluded: stored.taxIncluded ?? true,
    reductionReason: stored.reductionReason ?? null,
    status: stored.status ?? 'ACTIVE',
  }
}

/** The final values of an offer, as `offer_json()` writes it. */
export function storedOfferOf(id: string, values: Readonly<Record<string, unknown>>): StoredOffer {
  const present = Object.entries({ ...values, id }).filter(([, value]) => value !== null)
  return storedOffer.parse(Object.fromEntries(present))
}

/** A price as documents contain it. */
export type Price = (ResolvedPrice | NoPrice | ExplainedPrice) &
  PriorMembers & { readonly unitPrice?: UnitPrice | null }

/** The prices of a variant in documents: one, or those in several markets. */
export type Prices = ShownPrice | null | readonly (ShownPrice & { readonly market: string })[]

type ShownPrice = Price | ReturnType<typeof publicPrice>

/** The members of a public price, in addition to `quantityBreaks` and `priorPrice`. The others name offers, or reveal later prices. */
const publicMembers: ReadonlySet<string> = new Set([
  '@type',
  'amount',
  'reason',
  'currency',
  'compareAtAmount',
  'taxIncluded',
  'channel',
  'country',
  'at',
  'unitPrice',
  'noPriorPrice',
])

/** Returns the part of a price that every visitor of a shop may read. */
function publicPrice(price: Price) {
  return {
    ...Object.fromEntries(Object.entries(price).filter(([name]) => publicMembers.has(name))),
    quantityBreaks: price.quantityBreaks.map(({ minQuantity, amount }) => ({ minQuantity, amount })),
    ...(price.priorPrice !== undefined && {
      priorPrice: price.priorPrice && { ...price.priorPrice, evidence: [] },
    }),
  }
}

/** The member of a variant's document with its prices. */
export function priceMember(prices: Prices) {
  return Array.isArray(prices) ? { resolvedPrices: prices } : { resolvedPrice: prices }
}

/** The table expression `priced` of the offers that prices of variants are resolved from. It has no row for a variant without any. */
export function pricedOffers(variantIds: SQL, request: PriceRequest | null): SQL {
  if (!request) return sql`json_each(null::json) as priced("variantId", offers)`
  const { channel, country, at, explain, knownAt, isNow: withEnded, market } = request
  const anywhere = request.markets !== undefined
  const given = sql`${JSON.stringify({ channel, country, at, explain, knownAt, withEnded, anywhere })}::jsonb`
  const options = market ? optionsInMarket(given, market) : given
  return sql`json_each(read_offers(${variantIds}, ${options})::json) as priced("variantId", offers)`
}

/** Adds the channel and country of a market, and the days of the policy there, to the options of an SQL function that reads prices. */
export function optionsInMarket(options: SQL, { key, priorDays }: NonNullable<PriceRequest['market']>): SQL {
  return sql`(${options} || coalesce((
    select jsonb_build_object('channel', channel, 'country', country, 'priorDays', ${JSON.stringify(priorDays)}::jsonb -> country)
      from markets where tenant_id = current_tenant() and key = ${key}), '{}'))`
}

/** The SQL expression for the number of a variant's offers that were recorded at a timestamp. */
export function recordedOfferCount(variantId: SQL, knownAt: string): SQL {
  return sql`(select count(*) from sale_offer_terms
    where tenant_id = current_tenant() and variant_id = ${variantId} and status <> 'ARCHIVED'
      and known_until > ${knownAt}::timestamptz and known_from <= ${knownAt}::timestamptz)`
}

/**
 * Resolves the price of each variant that has offers, by variant id. Null if no offer applies, unless an explanation is requested
 * or an offer in another currency applies, or `withMissing` is true. `history` is the result of `price_history()`; it is undefined if it was not read.
 */
export function pricesOf(
  rows: readonly PricedRow[],
  request: PriceRequest,
  history: string | undefined,
  withMissing = false,
): { readonly prices: ReadonlyMap<string, Price | null>; readonly pricing: Pricing } {
  const { isNow, prior } = request
  const prices = new Map<string, Price | null>()
  let until: string | null = null
  const membersOf = (price: Price, row: PricedRow, offers: readonly PriceOffer[]) => ({
    ...(isNow && { at: latest([pricedSince(offers, request), row.createdAt]) ?? price.at }),
    ...unitPriceMember(price, row, request),
    ...(prior && priorMembersOf(price, offers, row, request, history)),
  })
  for (const row of rows) {
    const offers = (row.offers ?? []).map(offerOf)
    const resolved = request.explain
      ? explainedPrice(offers, request)
      : (resolvePrice(offers, request) ?? noPrice(offers, request))
    until = earliest([until, resolved.nextChangeAt])
    const isShown = withMissing || request.explain || 'saleOffer' in resolved || resolved.reason !== undefined
    const price = isShown ? resolved : null
    // The price is new, so a copy is not necessary.
    prices.set(row.id, price && Object.assign(price, membersOf(price, row, offers)))
  }
  // Candidates change more often than the price.
  const cachedUntil = request.explain ? request.at : until
  return { prices, pricing: { at: request.at, until, ...(isNow ? { cachedUntil } : {}) } }
}

/** Resolves the prices of variants in the context of a request, or in each of its markets. */
export function pricesInContext(
  rows: readonly PricedRow[],
  request: PriceRequest,
  history: string | undefined,
): { readonly prices: ReadonlyMap<string, Prices>; readonly pricing: Pricing } {
  const shown = (price: Price) => (request.isPublic ? publicPrice(price) : price)
  if (!request.inMarkets) {
    const { prices, pricing } = pricesOf(rows, request, history)
    if (!request.isPublic) return { prices, pricing }
    return {
      prices: new Map(Array.from(prices, ([id, price]) => [id, price && publicPrice(price)])),
      pricing,
    }
  }
  const resolved = request.inMarkets.map(({ key, request: own }) => ({
    key,
    ...pricesOf(rows, own, history, true),
  }))
  const until = earliest(resolved.map(({ pricing }) => pricing.until))
  const pricesOfVariant = (id: string) =>
    resolved.flatMap(({ key, prices }) => {
      const price = prices.get(id)
      if (!price) return []
      const isExplained = 'saleOffer' in price || 'reason' in price
      return { ...shown(price), ...(isExplained ? {} : { reason: 'no_offer' as const }), market: key }
    })
  return {
    prices: new Map(rows.map(({ id }) => [id, pricesOfVariant(id)])),
    pricing: { at: request.at, until, ...(request.isNow ? { cachedUntil: until } : {}) },
  }
}

function unitPriceMember(price: Price, { content }: PricedRow, { referenceUnits = [] }: PriceRequest) {
  if (!content || !('saleOffer' in price)) return {}
  const { measure, referenceUnits: own } = content
  return { unitPrice: unitPriceOf(price.amount, measure, [...own, ...referenceUnits]) }
}

function priorMembersOf(
  price: ResolvedPrice | NoPrice,
  offers: readonly PriceOffer[],
  { terms, launchedAt }: PricedRow,
  request: PriceRequest,
  history: string | undefined,
): PriorMembers {
  const allTerms = terms && history ? priorTerms(terms, history) : null
  const isRequested = ({ currency }: RecordedTerms) => currency === (request.currency ?? currency)
  const requested = allTerms && { ...allTerms, recorded: allTerms.recorded.filter(isRequested) }
  return priorMembers(price, request, requested, {
    launchedAt: typeof launchedAt === 'string' ? launchedAt : null,
    isExpiring: offers.some((offer) => offer.reductionReason === 'EXPIRING' && isPriceOf(price, offer)),
  })
}

/**
 * The maximum number of a variant's terms that are read. If a variant has more, its history starts with the
 * terms that applied last.
 */
export const maxPriorTerms = 5000

/** The recorded terms of a variant, from which its prior price is computed. `historyFrom` is the first recorded moment. */
export function priorTerms(terms: readonly StoredTerms[], historyFrom: string): PriorTerms {
  const recorded = terms.map(toRecordedTerms)
  // One more than the limit was read. The history is complete only after these terms ceased to apply.
  const firstUnread = recorded[maxPriorTerms]
  if (firstUnread === undefined) return { recorded, recordedSince: historyFrom, hasFirstPrice: true }
  const [endedAt = historyFrom] = [firstUnread.knownUntil, firstUnread.validUntil]
    .flatMap((end) => end ?? [])
    .sort()
  return { recorded: recorded.slice(0, maxPriorTerms), recordedSince: endedAt, hasFirstPrice: false }
}

/** Terms for prior prices, which need no event of their end. */
const toRecordedTerms = (stored: StoredTerms): RecordedTerms => ({
  ...offerOf(stored),
  knownFrom: stored.knownFrom,
  knownUntil: stored.knownUntil ?? null,
  recordedBy: stored.recordedBy ?? '',
  endedBy: null,
})

/**
 * The SQL expression for the terms of a variant whose price may be reduced. It is null if no price is reduced.
 */
export function priorTermsExpression(variantId: SQL, request: PriceRequest | null): SQL {
  if (!request?.prior) return sql`null::json`
  const {
    prior: { policy },
    market,
    at,
    knownAt = null,
  } = request
  if (!market && !policy) return sql`null::json`
  const { channel, country } = contextValues(request)
  const days = market
    ? sql`(${JSON.stringify(market.priorDays)}::jsonb ->> ${country})`
    : sql`${policy?.days}`
  return sql`(select terms::json from read_prior_terms(array[${variantId}], ${channel}, ${country}, ${at}::timestamptz, ${knownAt}::timestamptz,
    ${days}::int, ${maxPriorTerms}::int) where ${days}::int is not null)`
}
