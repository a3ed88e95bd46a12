/** The prices that a sale makes from the existing ones. Pure: offers in, new offers out. */
import type { SaleOffer } from '../prices/offer.ts'
import { type Reduction, reduced } from './reduction.ts'

export type Scope = {
  /** Empty is every channel. */
  readonly channels: readonly string[]
  /** Empty is every country. */
  readonly countries: readonly string[]
  readonly from: string
  readonly until: string
}

/** The price of one variant in one market during the sale. */
export type Row = {
  readonly variant: string
  readonly channel: string | null
  readonly countries: readonly string[]
  /** The offer that would apply when the sale begins. */
  readonly base: SaleOffer
  /** Null where there is no lower price above zero. */
  readonly amount: string | null
  /** That another offer begins during the sale and may win over it, that the price is reduced already. */
  readonly notes: readonly ('another' | 'already')[]
}

/** A sale offer as it is sent. */
export type NewSaleOffer = {
  readonly variant: string
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly currency: string
  readonly amount: string
  readonly compareAtAmount: string
  readonly taxIncluded: boolean
  readonly priority: number
  readonly validFrom: string
  readonly validUntil: string
}

/**
 * A row for each place in which one of a variant's offers applies when the sale begins, and wins there. Where channels or countries
 * are left open, these are the places that its offers name, and all others together.
 */
export function rowsOf(offers: readonly SaleOffer[], scope: Scope, reduction: Reduction): Row[] {
  const relevant = offers.filter((each) => each.status === 'ACTIVE' && each.minQuantity <= 1)
  const found = [...Map.groupBy(relevant, ({ variant }) => variant)]
  return found.flatMap(([variant, own]) => rowsOfVariant(variant, own, scope, reduction))
}

function rowsOfVariant(
  variant: string,
  offers: readonly SaleOffer[],
  { channels, countries, from, until }: Scope,
  reduction: Reduction,
): Row[] {
  const live = offers.filter((each) => isLive(each, from))
  const inChannels = channels.length > 0 ? channels : named(live.flatMap(({ channel }) => channel ?? []))
  const inCountries = countries.length > 0 ? countries : named(live.flatMap((each) => each.countries))
  const rows = inChannels.flatMap((channel) => {
    const winners = inCountries.map((country) => ({ country, base: winner(live, channel, country) }))
    // Countries with one price have one offer; the group of all others represents those without a price of their own.
    return [...Map.groupBy(winners, ({ base }) => base)].flatMap(([base, places]) => {
      if (base === undefined) return []
      const isRest = places.some(({ country }) => country === null)
      const named = isRest ? [] : places.flatMap(({ country }) => country ?? [])
      return [{ channel, countries: named.toSorted(), base }]
    })
  })
  const rest = rows.filter(({ channel }) => channel === null)
  return rows
    .filter((row) => row.channel === null || !rest.some((other) => isSamePlace(row, other)))
    .map(({ base, ...place }) => {
      const amount = reduced(base.amount, base.currency, reduction)
      const begins = offers.some(
        (each) =>
          each.validFrom !== null &&
          Date.parse(each.validFrom) > Date.parse(from) &&
          Date.parse(each.validFrom) < Date.parse(until) &&
          (each.channel === null || place.channel === null || each.channel === place.channel),
      )
      const notes = [
        ...(begins ? (['another'] as const) : []),
        ...(base.compareAtAmount === null ? [] : (['already'] as const)),
      ]
      return { variant, ...place, base, amount, notes }
    })
}

/** Those that are named, and null for all others together. */
function named(words: readonly string[]): (string | null)[] {
  return [...new Set(words), null]
}

function isSamePlace(
  a: { readonly countries: readonly string[]; readonly base: SaleOffer },
  b: { readonly countries: readonly string[]; readonly base: SaleOffer },
): boolean {
  return a.base === b.base && a.countries.join() === b.countries.join()
}

/** The offer that applies to a shopper in a channel and a country; null is one that no offer names. */
function winner(
  live: readonly SaleOffer[],
  channel: string | null,
  country: string | null,
): SaleOffer | undefined {
  const [best] = live
    .filter((each) => each.channel === null || each.channel === channel)
    .filter((each) => each.countries.length === 0 || (country !== null && each.countries.includes(country)))
    .toSorted(compare)
  return best
}

/** The order in which the service chooses (src/resources/prices/price.ts); a test compares the two. */
export function compare(a: SaleOffer, b: SaleOffer): number {
  return (
    b.priority - a.priority ||
    Number(a.channel === null) - Number(b.channel === null) ||
    Number(a.countries.length === 0) - Number(b.countries.length === 0) ||
    openEnds(a) - openEnds(b) ||
    compareText(b.validFrom ?? '', a.validFrom ?? '') ||
    compareText(a.currency, b.currency) ||
    Number(a.amount) - Number(b.amount) ||
    compareText(a['@id'], b['@id'])
  )
}

function openEnds({ validFrom, validUntil }: SaleOffer): number {
  return Number(validFrom === null) + Number(validUntil === null)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Whether an offer applies at a time, by its dates. */
export function isLive({ validFrom, validUntil }: SaleOffer, at: string): boolean {
  const moment = Date.parse(at)
  return (
    (validFrom === null || Date.parse(validFrom) <= moment) &&
    (validUntil === null || moment < Date.parse(validUntil))
  )
}

/** The new offer of a row: in the same market, with the same rank, within the sale, with the old price to compare with. */
export function offerOfRow(
  { variant, channel, countries, base }: Row,
  amount: string,
  { from, until }: Scope,
): NewSaleOffer {
  return {
    variant,
    channel,
    countries,
    currency: base.currency,
    amount,
    compareAtAmount: base.amount,
    taxIncluded: base.taxIncluded,
    priority: base.priority,
    validFrom: from,
    validUntil: until,
  }
}
