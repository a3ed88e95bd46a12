/**
 * Prices: which sale offer applies to a variant in a channel, a country and a moment. One total order over the offers
 * decides, so that the same offers give the same answer in whatever order they are read.
 */

import { inScope } from './filters.ts'
import { iriOf, type PriceOffer, type PriceQuestion } from './offer.ts'
import { breakStandings, earliest, standing } from './standing.ts'

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
export function resolvePrice(offers: readonly PriceOffer[], question: PriceQuestion): ResolvedPrice | null {
  const { one, more } = inScope(offers, question)
  const single = standing(one, question.at)
  const offer = single.best
  if (offer === undefined) return null
  const breaks = breakStandings(more, offer.currency, question.at)
  return {
    '@type': 'ResolvedPrice',
    amount: offer.amount,
    currency: offer.currency,
    compareAtAmount: offer.compareAtAmount,
    taxIncluded: offer.taxIncluded,
    saleOffer: iriOf(offer),
    channel: question.channel,
    country: question.country,
    at: question.at,
    validFrom: offer.validFrom,
    validUntil: offer.validUntil,
    // Until the winner changes, its currency does not, so that each break changes on its own.
    nextChangeAt: earliest([single, ...breaks].map((each) => each.changesAt)),
    quantityBreaks: breaks.flatMap(({ best }) =>
      best === undefined
        ? []
        : [{ minQuantity: best.minQuantity, amount: best.amount, saleOffer: iriOf(best) }],
    ),
  }
}

/** What is told where no offer applies. */
export type NoPrice = Pick<
  ResolvedPrice,
  '@type' | 'channel' | 'country' | 'at' | 'nextChangeAt' | 'quantityBreaks'
>

/** That there is no price, and when there will be one. */
export function noPrice(offers: readonly PriceOffer[], { channel, country, at }: PriceQuestion): NoPrice {
  const { one } = inScope(offers, { channel, country, at })
  const nextChangeAt = standing(one, at).changesAt
  return { '@type': 'ResolvedPrice', channel, country, at, nextChangeAt, quantityBreaks: [] }
}
