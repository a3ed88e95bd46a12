import { compareDecimals } from '../../core/money.ts'

/** What an offer must pass to apply. */
export type PriceFilter = 'status' | 'channel' | 'country' | 'window' | 'minQuantity'

/** The filters that no moment changes. */
export function failedScope(offer: PriceOffer, context: PriceContext): PriceFilter | undefined {
  if (offer.status !== 'ACTIVE') return 'status'
  if (offer.channel !== null && offer.channel !== context.channel) return 'channel'
  if (offer.countries.length > 0 && !offer.countries.includes(context.country)) return 'country'
  return undefined
}

/** The offers that no moment keeps from applying: those for one piece, and those for more. */
function offersInScope(
  offers: readonly PriceOffer[],
  context: PriceContext,
): { readonly forOnePiece: readonly PriceOffer[]; readonly forMore: readonly PriceOffer[] } {
  const forOnePiece: PriceOffer[] = []
  const forMore: PriceOffer[] = []
  for (const offer of offers) {
    if (failedScope(offer, context) === undefined) (isForOnePiece(offer) ? forOnePiece : forMore).push(offer)
  }
  return { forOnePiece, forMore }
}

/** The filter that an offer fails first. */
function failedFilter(offer: PriceOffer, context: PriceContext): PriceFilter | undefined {
  const scope = failedScope(offer, context)
  if (scope !== undefined) return scope
  if (!isLive(offer, context.at)) return 'window'
  return isForOnePiece(offer) ? undefined : 'minQuantity'
}

/** Whether a moment is in an offer's window. */
function isLive(offer: PriceOffer, at: string): boolean {
  return (
    (offer.validFrom === null || offer.validFrom <= at) &&
    (offer.validUntil === null || at < offer.validUntil)
  )
}

export function isForOnePiece(offer: PriceOffer): boolean {
  return offer.minQuantity <= 1
}

/** What a price depends on. Instants are canonical texts, amounts decimal texts. */
export type PriceOffer = {
  readonly id: string
  /** Null is every channel. */
  readonly channel: string | null
  /** Upper-case ISO 3166-1 alpha-2 codes; empty is every country. */
  readonly countries: readonly string[]
  readonly currency: string
  readonly amount: string
  readonly compareAtAmount: string | null
  readonly validFrom: string | null
  /** The first moment at which the offer no longer applies. */
  readonly validUntil: string | null
  readonly priority: number
  readonly minQuantity: number
  readonly taxIncluded: boolean
  readonly status: 'DRAFT' | 'ACTIVE' | 'ARCHIVED'
}

/** Who asks for a price: in which channel, which country, at which moment. */
export type PriceContext = { readonly channel: string; readonly country: string; readonly at: string }

/** The IRI of an offer. */
export function saleOfferIri({ id }: Pick<PriceOffer, 'id'>): string {
  return `/api/sale_offers/${id}`
}

/** What offers are compared by. */
type PriceCriterion =
  | 'priority'
  | 'channel'
  | 'country'
  | 'window'
  | 'validFrom'
  | 'currency'
  | 'amount'
  | 'id'

/** Criteria in their order; the first difference wins, negative for the better offer. */
const criteria: readonly (readonly [PriceCriterion, (a: PriceOffer, b: PriceOffer) => number])[] = [
  ['priority', (a, b) => b.priority - a.priority],
  // Among offers that apply, one with a channel or countries is one that names the question's.
  ['channel', (a, b) => Number(a.channel === null) - Number(b.channel === null)],
  ['country', (a, b) => Number(a.countries.length === 0) - Number(b.countries.length === 0)],
  ['window', (a, b) => openEndCount(a) - openEndCount(b)],
  // Without a start an offer has been valid for longer than any other.
  ['validFrom', (a, b) => compareText(b.validFrom ?? '', a.validFrom ?? '')],
  ['currency', (a, b) => compareText(a.currency, b.currency)],
  ['amount', (a, b) => compareDecimals(a.amount, b.amount)],
  ['id', (a, b) => compareText(a.id, b.id)],
]

/** Orders offers, the better before the worse; no two are equal. */
export function compareOffers(a: PriceOffer, b: PriceOffer): number {
  for (const [, compare] of criteria) {
    const order = compare(a, b)
    if (order !== 0) return order
  }
  return 0
}

/** By what one offer lost to another. */
function decidingCriterion(winner: PriceOffer, loser: PriceOffer): PriceCriterion {
  return criteria.find(([, compare]) => compare(winner, loser) !== 0)?.[0] ?? 'id'
}

function openEndCount(offer: PriceOffer): number {
  return Number(offer.validFrom === null) + Number(offer.validUntil === null)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** The best of some offers at a moment, and when it will be another one. */
type BestOffer = { readonly best: PriceOffer | undefined; readonly changesAt: string | null }

/** Tells the best of some offers at a moment. Linear in the offers. */
function bestOffer(offers: readonly PriceOffer[], at: string): BestOffer {
  let best: PriceOffer | undefined
  for (const offer of offers) {
    if (isLive(offer, at) && (best === undefined || compareOffers(offer, best) < 0)) best = offer
  }
  // It changes when the best ends or a better one begins; what worse offers do meanwhile cannot be seen.
  let changesAt = best?.validUntil ?? null
  for (const offer of offers) {
    const startsLater = offer.validFrom !== null && offer.validFrom > at && isLive(offer, offer.validFrom)
    if (startsLater && (best === undefined || compareOffers(offer, best) < 0)) {
      changesAt = earliest([changesAt, offer.validFrom])
    }
  }
  return { best, changesAt }
}

/** Standings of the offers for more than one piece in a currency, by ascending minimum quantity. */
function breakOffers(forMore: readonly PriceOffer[], currency: string, at: string): BestOffer[] {
  // As it is of nearly all variants.
  if (forMore.length === 0) return []
  const inCurrency = forMore.filter((offer) => offer.currency === currency)
  return [...Map.groupBy(inCurrency, (offer) => offer.minQuantity)]
    .sort(([a], [b]) => a - b)
    .map(([, offers]) => bestOffer(offers, at))
}

/** The first of some instants, those that are null apart. */
function earliest(instants: readonly (string | null)[]): string | null {
  let first: string | null = null
  for (const instant of instants) {
    if (instant !== null && (first === null || instant < first)) first = instant
  }
  return first
}

/**
 * Prices: which sale offer applies to a variant in a channel, a country and a moment. One total order over the offers
 * decides, so that the same offers give the same answer in whatever order they are read.
 */

/** What one piece costs to whoever buys at least so many. */
export type QuantityBreak = {
  readonly minQuantity: number
  readonly amount: string
  readonly saleOffer: string
}

/** The price of one piece; `channel`, `country` and `at` repeat the question, `validFrom` and `validUntil` are the offer's. */
export type ResolvedPrice = {
  readonly '@type': 'ResolvedPrice'
  readonly amount: string
  readonly currency: string
  readonly compareAtAmount: string | null
  readonly taxIncluded: boolean
  readonly saleOffer: string
  readonly channel: string
  readonly country: string
  readonly at: string
  readonly validFrom: string | null
  readonly validUntil: string | null
  /** The next instant at which this answer is another one, or null. */
  readonly nextChangeAt: string | null
  readonly quantityBreaks: readonly QuantityBreak[]
}

/** The price of a variant with these offers, or null when none applies at that moment. Linear in the offers. */
export function resolvePrice(offers: readonly PriceOffer[], context: PriceContext): ResolvedPrice | null {
  const { forOnePiece, forMore } = offersInScope(offers, context)
  const bestForOne = bestOffer(forOnePiece, context.at)
  const offer = bestForOne.best
  if (offer === undefined) return null
  const breaks = breakOffers(forMore, offer.currency, context.at)
  return {
    '@type': 'ResolvedPrice',
    amount: offer.amount,
    currency: offer.currency,
    compareAtAmount: offer.compareAtAmount,
    taxIncluded: offer.taxIncluded,
    saleOffer: saleOfferIri(offer),
    channel: context.channel,
    country: context.country,
    at: context.at,
    validFrom: offer.validFrom,
    validUntil: offer.validUntil,
    // Until the winner changes, its currency does not, so that each break changes on its own.
    nextChangeAt: earliest([bestForOne, ...breaks].map((best) => best.changesAt)),
    quantityBreaks: breaks.flatMap(({ best }) =>
      best === undefined
        ? []
        : [{ minQuantity: best.minQuantity, amount: best.amount, saleOffer: saleOfferIri(best) }],
    ),
  }
}

/** What is told where no offer applies. */
export type NoPrice = Pick<
  ResolvedPrice,
  '@type' | 'channel' | 'country' | 'at' | 'nextChangeAt' | 'quantityBreaks'
>

/** That there is no price, and when there will be one. */
export function noPrice(offers: readonly PriceOffer[], { channel, country, at }: PriceContext): NoPrice {
  const { forOnePiece } = offersInScope(offers, { channel, country, at })
  const nextChangeAt = bestOffer(forOnePiece, at).changesAt
  return { '@type': 'ResolvedPrice', channel, country, at, nextChangeAt, quantityBreaks: [] }
}

export type PriceCandidate = {
  readonly saleOffer: string
  readonly outcome: 'won' | 'lost' | 'filtered'
  /** The filter that the offer failed first, or the criterion by which it lost to the winner; null for the winner. */
  readonly decidedBy: PriceFilter | PriceCriterion | null
}

/** A price with what became of every offer; where none applies, without what only an offer has. */
export type ExplainedPrice = (ResolvedPrice | NoPrice) & { readonly candidates: readonly PriceCandidate[] }

/** The price of a variant, or that there is none, with what became of every offer. */
export function explainedPrice(offers: readonly PriceOffer[], context: PriceContext): ExplainedPrice {
  return {
    ...(resolvePrice(offers, context) ?? noPrice(offers, context)),
    candidates: explainPrice(offers, context),
  }
}

/** What became of every offer and why: the winner first, then the losers in their order, then those that do not apply. */
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
