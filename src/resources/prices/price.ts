/**
 * Prices: which sale offer applies to a variant in a channel, a country and at a timestamp.
 * One total order over the offers decides, so the result does not depend on the order in which they are read.
 */

import { type Measure, type ReferenceUnit, statedUnits } from '../../core/context.ts'
import { compareDecimals } from '../../core/money.ts'
import type { SaleOfferTerms } from '../offers/table.ts'

/** The filters that an offer must pass to apply. */
export const priceFilters = ['status', 'channel', 'country', 'currency', 'window', 'minQuantity'] as const
type PriceFilter = (typeof priceFilters)[number]

/** The filter that an offer fails at any time, whatever its period. */
export function failedScope(offer: PriceOffer, context: PriceContext): PriceFilter | undefined {
  if (offer.status !== 'ACTIVE') return 'status'
  if (offer.channel !== null && offer.channel !== context.channel) return 'channel'
  if (offer.countries.length > 0 && !offer.countries.includes(context.country)) return 'country'
  if (context.currency !== undefined && offer.currency !== context.currency) return 'currency'
  return undefined
}

/**
 * The offers that pass all filters except the period, separated into those for one piece and those for more; and those for one
 * piece that only the currency excludes as well.
 */
function offersInScope(
  offers: readonly PriceOffer[],
  context: PriceContext,
): { readonly [group in 'forOnePiece' | 'forMore' | 'inOtherCurrencies']: readonly PriceOffer[] } {
  const forOnePiece: PriceOffer[] = []
  const forMore: PriceOffer[] = []
  const inOtherCurrencies: PriceOffer[] = []
  for (const offer of offers) {
    const failed = failedScope(offer, context)
    if (failed === undefined) (isForOnePiece(offer) ? forOnePiece : forMore).push(offer)
    else if (failed === 'currency' && isForOnePiece(offer)) inOtherCurrencies.push(offer)
  }
  return { forOnePiece, forMore, inOtherCurrencies }
}

/** The first filter that an offer fails. */
function failedFilter(offer: PriceOffer, context: PriceContext): PriceFilter | undefined {
  const scope = failedScope(offer, context)
  if (scope !== undefined) return scope
  if (!isLive(offer, context.at)) return 'window'
  return isForOnePiece(offer) ? undefined : 'minQuantity'
}

/** Whether a timestamp is in an offer's period. */
function isLive(offer: PriceOffer, at: string): boolean {
  return (
    (offer.validFrom === null || offer.validFrom <= at) &&
    (offer.validUntil === null || at < offer.validUntil)
  )
}

export function isForOnePiece(offer: PriceOffer): boolean {
  return offer.minQuantity <= 1
}

/** An offer with its terms. Timestamps are canonical strings, amounts decimal strings. */
export type PriceOffer = SaleOfferTerms & { readonly id: string }

/** The context that a price is resolved for: a channel, a country and a timestamp; and a currency, by default any. */
export type PriceContext = {
  readonly channel: string
  readonly country: string
  readonly at: string
  readonly currency?: string
}

export function saleOfferIri({ id }: Pick<PriceOffer, 'id'>): string {
  return `/api/sale_offers/${id}`
}

/** Whether an offer sets a price. */
export function isPriceOf(price: ResolvedPrice | NoPrice, offer: PriceOffer): boolean {
  return 'saleOffer' in price && price.saleOffer === saleOfferIri(offer)
}

/**
 * The criteria in order of precedence. The first difference decides; a negative number means that `a` is the
 * better offer.
 */
export const criteria = [
  ['priority', (a, b) => b.priority - a.priority],
  // Among offers that apply, an offer with a channel or countries names those of the context.
  ['channel', (a, b) => Number(a.channel === null) - Number(b.channel === null)],
  ['country', (a, b) => Number(a.countries.length === 0) - Number(b.countries.length === 0)],
  ['window', (a, b) => openEndCount(a) - openEndCount(b)],
  // An offer without a start has been valid for longer than any other.
  ['validFrom', (a, b) => compareText(b.validFrom ?? '', a.validFrom ?? '')],
  ['currency', (a, b) => compareText(a.currency, b.currency)],
  ['amount', (a, b) => compareDecimals(a.amount, b.amount)],
  ['id', (a, b) => compareText(a.id, b.id)],
] as const satisfies readonly (readonly [string, (a: PriceOffer, b: PriceOffer) => number])[]
type PriceCriterion = (typeof criteria)[number][0]

/** Orders offers from best to worst. Two different offers never compare as equal. */
export function compareOffers(a: PriceOffer, b: PriceOffer): number {
  for (const [, compare] of criteria) {
    const order = compare(a, b)
    if (order !== 0) return order
  }
  return 0
}

/** The criterion by which one offer lost to another. */
export function decidingCriterion(winner: PriceOffer, loser: PriceOffer): PriceCriterion {
  return criteria.find(([, compare]) => compare(winner, loser) !== 0)?.[0] ?? 'id'
}

function openEndCount(offer: PriceOffer): number {
  return Number(offer.validFrom === null) + Number(offer.validUntil === null)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** The best of some offers at a timestamp, and when another one replaces it. */
type BestOffer = { readonly best: PriceOffer | undefined; readonly changesAt: string | null }

/** Finds the best of some offers at a timestamp. Linear in the number of offers. */
function bestOffer(offers: readonly PriceOffer[], at: string): BestOffer {
  let best: PriceOffer | undefined
  for (const offer of offers) {
    if (isLive(offer, at) && (best === undefined || compareOffers(offer, best) < 0)) best = offer
  }
  // It changes when the best offer ends or a better one starts. Changes of worse offers have no effect on the
  // price.
  let changesAt = best?.validUntil ?? null
  for (const offer of offers) {
    const startsLater = offer.validFrom !== null && offer.validFrom > at && isLive(offer, offer.validFrom)
    if (startsLater && (best === undefined || compareOffers(offer, best) < 0)) {
      changesAt = earliest([changesAt, offer.validFrom])
    }
  }
  return { best, changesAt }
}

/**
 * The moment since which offers give the price of `context.at`; null if they always did. Offers that ended are necessary: a
 * better one may have applied before.
 */
export function pricedSince(offers: readonly PriceOffer[], context: PriceContext): string | null {
  const { forOnePiece, forMore, inOtherCurrencies } = offersInScope(offers, context)
  const { at } = context
  const { best } = bestOffer(forOnePiece, at)
  if (!best) return latest([bestSince(forOnePiece, at), constantPeriod(inOtherCurrencies, at).since])
  const groups = [forOnePiece, ...offersByQuantity(forMore, best.currency)]
  return latest(groups.map((group) => bestSince(group, at)))
}

/** The period around a timestamp in which some of the offers always apply, or none does. A bound is null if there is none. */
function constantPeriod(offers: readonly PriceOffer[], at: string) {
  const bounds: string[] = []
  for (const { validFrom, validUntil } of offers.toSorted((a, b) =>
    compareText(a.validFrom ?? '', b.validFrom ?? ''),
  )) {
    const [from, until] = [validFrom ?? '', validUntil ?? never]
    if (until <= from) continue
    const last = bounds.at(-1)
    if (last === undefined || from > last) bounds.push(from, until)
    else if (until > last) bounds.splice(-1, 1, until)
  }
  const next = bounds.filter((bound) => bound <= at).length
  const until = bounds[next] ?? never
  return {
    isOffered: next % 2 === 1,
    since: bounds[next - 1] || null,
    until: until === never ? null : until,
  }
}

/** Later than every timestamp. */
const never = '~'

/** The moment since which the best of some offers is the best, or since which none applies; null if it always was. */
function bestSince(offers: readonly PriceOffer[], at: string): string | null {
  const { best } = bestOffer(offers, at)
  let since = best?.validFrom ?? null
  for (const offer of offers) {
    const { validFrom, validUntil } = offer
    const isEnded = validUntil !== null && validUntil <= at && validUntil > (validFrom ?? '')
    if (isEnded && (best === undefined || compareOffers(offer, best) < 0)) since = latest([since, validUntil])
  }
  return since
}

/** The best offers for more than one piece in a currency, by ascending minimum quantity. */
function breakOffers(forMore: readonly PriceOffer[], currency: string, at: string): BestOffer[] {
  return offersByQuantity(forMore, currency).map((offers) => bestOffer(offers, at))
}

/** The offers in a currency for each minimum quantity, in ascending order. */
function offersByQuantity(forMore: readonly PriceOffer[], currency: string): PriceOffer[][] {
  // Nearly all variants have none.
  if (forMore.length === 0) return []
  const inCurrency = forMore.filter((offer) => offer.currency === currency)
  return [...Map.groupBy(inCurrency, (offer) => offer.minQuantity)]
    .sort(([a], [b]) => a - b)
    .map(([, offers]) => offers)
}

/** The earliest of some timestamps; nulls are ignored. */
export function earliest(instants: readonly (string | null)[]): string | null {
  let first: string | null = null
  for (const instant of instants) {
    if (instant !== null && (first === null || instant < first)) first = instant
  }
  return first
}

/** The latest of some timestamps; nulls are ignored. */
export function latest(instants: readonly (string | null)[]): string | null {
  return instants.reduce((last, instant) => (last === null || (instant ?? '') > last ? instant : last), null)
}

/** The price of one piece for buyers of at least `minQuantity` pieces. */
export type QuantityBreak = {
  readonly minQuantity: number
  readonly amount: string
  readonly saleOffer: string
}

/** The price of one piece. */
export type ResolvedPrice = ReturnType<typeof priceOfOffer> & {
  readonly nextChangeAt: string | null
  readonly quantityBreaks: readonly QuantityBreak[]
}

/** Resolves the price of a variant with these offers; null if none applies. Linear in the number of offers. */
export function resolvePrice(offers: readonly PriceOffer[], context: PriceContext): ResolvedPrice | null {
  const { forOnePiece, forMore } = offersInScope(offers, context)
  const bestForOne = bestOffer(forOnePiece, context.at)
  const offer = bestForOne.best
  if (offer === undefined) return null
  const breaks = breakOffers(forMore, offer.currency, context.at)
  return {
    ...priceOfOffer(offer, context),
    // The currency is constant until the winner changes, so each quantity break changes independently.
    nextChangeAt: earliest([bestForOne, ...breaks].map((best) => best.changesAt)),
    quantityBreaks: breaks.flatMap(({ best }) => (best === undefined ? [] : [quantityBreakOf(best)])),
  }
}

/**
 * A price without the properties that depend on other offers. `channel`, `country` and `at` repeat the context;
 * `validFrom` and `validUntil` are the offer's.
 */
export function priceOfOffer(offer: PriceOffer, { channel, country, at }: PriceContext) {
  return {
    '@type': 'ResolvedPrice',
    amount: offer.amount,
    currency: offer.currency,
    compareAtAmount: offer.compareAtAmount,
    taxIncluded: offer.taxIncluded,
    saleOffer: saleOfferIri(offer),
    channel,
    country,
    at,
    validFrom: offer.validFrom,
    validUntil: offer.validUntil,
  } as const
}

/** The price of a quantity of goods, in the currency and with the tax of the price that it is computed from. */
export type UnitPrice = { readonly amount: string; readonly per: ReferenceUnit }

/**
 * The unit price of a package, rounded half up to the decimals of its amount, which are those of the currency. It refers to the first of
 * the reference units that measures the same as the content. Without one, it refers to one unit of the directive. Null for pieces, and if
 * the content is not known.
 */
export function unitPriceOf(
  amount: string,
  content: Measure | null,
  references: readonly ReferenceUnit[],
): UnitPrice | null {
  if (content === null || content.unit === 'piece') return null
  const { value, unit } = content
  const stated = statedUnits[unit]
  const per = references.find((reference) => statedUnits[reference.unit] === stated) ?? {
    value: 1,
    unit: stated,
  }
  const [whole = '', fraction = ''] = amount.split('.')
  const price = BigInt(whole + fraction) * exactQuantity(per)
  const quantity = exactQuantity({ value, unit })
  const rounded = String((2n * price + quantity) / (2n * quantity)).padStart(fraction.length + 1, '0')
  const point = rounded.length - fraction.length
  const decimals = fraction === '' ? '' : `.${rounded.slice(point)}`
  return { amount: rounded.slice(0, point) + decimals, per }
}

/** A quantity in billionths of the unit of the directive. */
function exactQuantity({ value, unit }: ReferenceUnit): bigint {
  return BigInt(Math.round(value * 1e6)) * (unit === statedUnits[unit] ? 1000n : 1n)
}

/** The price that an offer for more than one piece gives each of them. */
export function quantityBreakOf(offer: PriceOffer): QuantityBreak {
  return { minQuantity: offer.minQuantity, amount: offer.amount, saleOffer: saleOfferIri(offer) }
}

/** The document of a price when no offer applies. */
export type NoPrice = Pick<
  ResolvedPrice,
  '@type' | 'channel' | 'country' | 'at' | 'nextChangeAt' | 'quantityBreaks'
> & { readonly reason?: (typeof noPriceReasons)[number] }

/** The reasons why a price has no amount: no offer applies, or only offers in another currency do. */
export const noPriceReasons = ['no_offer', 'no_offer_in_currency'] as const

/** Builds the document for a context in which no offer applies, with the time at which one will. */
export function noPrice(offers: readonly PriceOffer[], context: PriceContext): NoPrice {
  const { channel, country, at } = context
  const { forOnePiece, inOtherCurrencies } = offersInScope(offers, context)
  const { isOffered, until } = constantPeriod(inOtherCurrencies, at)
  return {
    '@type': 'ResolvedPrice',
    ...(isOffered && { reason: 'no_offer_in_currency' }),
    channel,
    country,
    at,
    nextChangeAt: earliest([bestOffer(forOnePiece, at).changesAt, until]),
    quantityBreaks: [],
  }
}

export type PriceCandidate = {
  readonly saleOffer: string
  readonly outcome: 'won' | 'lost' | 'filtered'
  /**
   * The filter that the offer failed first, or the criterion by which it lost to the winner; null for the
   * winner.
   */
  readonly decidedBy: PriceFilter | PriceCriterion | null
}

/** A price with the outcome of every offer. If no offer applies, it has no properties of an offer. */
export type ExplainedPrice = (ResolvedPrice | NoPrice) & { readonly candidates: readonly PriceCandidate[] }

/** Resolves the price of a variant, or that it has no price, with the outcome of every offer. */
export function explainedPrice(offers: readonly PriceOffer[], context: PriceContext): ExplainedPrice {
  return {
    ...(resolvePrice(offers, context) ?? noPrice(offers, context)),
    candidates: explainPrice(offers, context),
  }
}

/**
 * Lists the outcome of every offer and its reason: the winner, then the losers in order, then the filtered
 * offers.
 */
export function explainPrice(offers: readonly PriceOffer[], context: PriceContext): PriceCandidate[] {
  const ranked = offers.toSorted(compareOffers)
  const [winner, ...losers] = ranked.filter((offer) => failedFilter(offer, context) === undefined)
  if (winner === undefined) return filteredCandidates(ranked, context)
  return [
    { saleOffer: saleOfferIri(winner), outcome: 'won', decidedBy: null },
    ...losers.map((offer) => ({
      saleOffer: saleOfferIri(offer),
      outcome: 'lost' as const,
      decidedBy: decidingCriterion(winner, offer),
    })),
    ...filteredCandidates(ranked, context),
  ]
}

function filteredCandidates(offers: readonly PriceOffer[], context: PriceContext): PriceCandidate[] {
  return offers.flatMap((offer) => {
    const decidedBy = failedFilter(offer, context)
    return decidedBy === undefined ? [] : [{ saleOffer: saleOfferIri(offer), outcome: 'filtered', decidedBy }]
  })
}
