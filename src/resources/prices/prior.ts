import { daysFrom } from '../../core/instant.ts'
import { compareDecimals, percentBelow } from '../../core/money.ts'
import type { PricePolicy } from './policies.ts'
import { type NoPrice, type ResolvedPrice, saleOfferIri } from './price.ts'
import type { PriceRequest } from './request.ts'
import { appliedTerms, type RecordedTerms } from './timeline.ts'

/**
 * Prior prices: the price before a reduction, which shops in Europe must announce (Directive 98/6/EC, article
 * 6a), by the policy of the country.
 * Pure: recorded terms and a policy in, an amount out.
 */

/** The lowest price that applied before a reduction, by a policy. Timestamps are canonical strings. */
type PriorPrice = {
  readonly amount: string
  readonly currency: string
  /** The percentage by which the price is below `amount`, rounded down (CJEU C-330/23). Null if the price is not below it. */
  readonly reductionPercent: number | null
  readonly noReductionPercent: 'not_below_prior_price' | null
  readonly policy: PolicyReference
  /** The period that was searched. It ends when the reduction, or the first one of its series, began. */
  readonly period: { readonly from: string; readonly until: string }
  /** The same as `period`, for clients from before it. */
  readonly from: string
  readonly until: string
  /** The moment since which the price has been reduced without a gap. */
  readonly onSaleSince: string
  /** The first timestamp for which prices are recorded. */
  readonly historyFrom: string
  readonly evidence: readonly Evidence[]
}

type PolicyReference = Pick<PricePolicy, 'country' | 'source' | 'verified'>

/** A price that applied in the period, and the event that recorded it. */
type Evidence = {
  readonly amount: string
  readonly from: string
  readonly until: string
  readonly saleOffer: string
  readonly event: string
}

/** The reasons for which a price has no prior price. */
export const noPriorReasons = [
  'not_reduced',
  'no_policy',
  'exempt',
  'newer_than_period',
  'history_too_short',
  'no_price_in_period',
] as const

type NoPriorPrice = {
  readonly reason: (typeof noPriorReasons)[number]
  readonly policy: PolicyReference | null
}

/** The prior price of a price, or the reason for which it has none. */
export type PriorResult =
  | { readonly priorPrice: PriorPrice; readonly noPriorPrice?: never }
  | { readonly priorPrice: null; readonly noPriorPrice: NoPriorPrice }

/** The recorded terms that a prior price is computed from. They are complete since `recordedSince`. */
export type PriorTerms = {
  readonly recorded: readonly RecordedTerms[]
  readonly recordedSince: string
  /** Whether the first price of the variant is among them, unless it applied before `recordedSince`. */
  readonly hasFirstPrice: boolean
}

/** The facts about goods that a policy depends on. */
type Goods = {
  /** The moment since which they are sold; null if it is that of their first price. */
  readonly launchedAt: string | null
  /** Whether they are reduced because they spoil or expire. */
  readonly isExpiring: boolean
}

type Amounts = Pick<ResolvedPrice, 'amount' | 'currency' | 'compareAtAmount' | 'taxIncluded'>
type AnnouncedPrice = Pick<ResolvedPrice, 'channel' | 'country' | 'at'> & Amounts

/** The maximum number of prices in `evidence`: the last ones of the period, and the lowest. */
const maxEvidence = 50

/** A period in which the same terms applied; undefined if none did. */
type Applied = { readonly from: string; readonly until: string; readonly terms: RecordedTerms | undefined }
type Priced = Applied & { readonly terms: RecordedTerms }

/**
 * Computes the prior price of a reduction by a policy: the lowest price that applied in the days before the reduction, or before the
 * first one of its series.
 * A reduction lasts while the price stays the same and has a higher amount to compare with. Prices in another currency, and net prices
 * next to gross ones, are no prices of these goods. The applied prices are those of a timeline that ends at the price's timestamp.
 */
export function priorPriceOf(
  price: AnnouncedPrice,
  terms: PriorTerms | null,
  policy: PricePolicy | null,
  { launchedAt, isExpiring }: Goods,
): PriorResult {
  const none = (reason: NoPriorPrice['reason']): PriorResult => ({
    priorPrice: null,
    noPriorPrice: { reason, policy: policy && referenceTo(policy) },
  })
  if (!isReduced(price)) return none('not_reduced')
  if (policy === null) return none('no_policy')
  if (isExpiring && policy.perishables === 'exempt') return none('exempt')
  if (terms === null) return none('history_too_short')
  const applied = appliedBefore(price, terms)
  const reductions = reductionsOf(price, applied)
  const onSaleSince = reductions[0]?.from ?? price.at
  const period =
    isExpiring && policy.perishables === 'first_reduction'
      ? lastPeriodBefore(onSaleSince, applied)
      : periodBefore(seriesStart(reductions, policy), policy, launchedAt ?? launchOf(applied, terms))
  if (period === null) return none('newer_than_period')
  const { from, until, isNewer } = period
  if (terms.recordedSince > from) return none('history_too_short')
  const within = applied.filter(
    (each): each is Priced => each.until > from && each.from < until && isComparable(each, price),
  )
  const lowest = within.reduce<Priced | undefined>(
    (low, each) => (low && compareDecimals(low.terms.amount, each.terms.amount) <= 0 ? low : each),
    undefined,
  )
  if (lowest === undefined) return none(isNewer ? 'newer_than_period' : 'no_price_in_period')
  const { amount } = lowest.terms
  const isBelow = compareDecimals(price.amount, amount) < 0
  return {
    priorPrice: {
      amount,
      currency: price.currency,
      reductionPercent: isBelow ? percentBelow(price.amount, amount) : null,
      noReductionPercent: isBelow ? null : 'not_below_prior_price',
      policy: referenceTo(policy),
      period: { from, until },
      from,
      until,
      onSaleSince,
      historyFrom: terms.recordedSince,
      evidence: within
        .filter((each, index) => each === lowest || index >= within.length - maxEvidence)
        .map((each) => evidenceOf(each, from, until)),
    },
  }
}

function appliedBefore(
  { channel, country, at }: AnnouncedPrice,
  { recorded, recordedSince }: PriorTerms,
): Applied[] {
  const applied = appliedTerms(recorded, { channel, country }, { from: recordedSince, until: at })
  return applied
    .map(({ from, terms }, index) => ({ from, until: applied[index + 1]?.from ?? at, terms }))
    .filter(({ from, until }) => until === at || microseconds(until) - microseconds(from) >= shortestPrice)
}

/** Microseconds. Offers of one request are recorded one microsecond apart. A price that applied only between them does not count. */
const shortestPrice = 1000

function microseconds(instant: string): number {
  return Date.parse(instant) * 1000 + Number(instant.slice(-4, -1))
}

/** The moment of the first price; null if prices may have applied before the recorded ones. */
function launchOf(applied: readonly Applied[], { recordedSince, hasFirstPrice }: PriorTerms): string | null {
  const first = applied.find(({ terms }) => terms !== undefined)
  return !hasFirstPrice || first === undefined || first.from === recordedSince ? null : first.from
}

type Period = { readonly from: string; readonly until: string; readonly isNewer: boolean }

/** The days before a reduction, for newer goods since their launch; null if newer goods have no prior price. */
function periodBefore(until: string, policy: PricePolicy, launch: string | null): Period | null {
  const from = daysFrom(until, -policy.days)
  if (launch === null || launch <= from) return { from, until, isNewer: false }
  return policy.newerGoods === 'not_announced' ? null : { from: launch, until, isNewer: true }
}

/** The period of the price just before a moment. */
function lastPeriodBefore(until: string, applied: readonly Applied[]): Period {
  const last = applied.findLast((each) => each.until <= until)
  return { from: last?.from ?? until, until, isNewer: last === undefined }
}

/** A reduction to one amount, which ends when the next one begins. */
type Reduction = { readonly from: string; readonly amount: string }

/** The reductions without a gap that end in a price, oldest first. The last one has its amount, and begins now if none did. */
function reductionsOf(price: AnnouncedPrice, applied: readonly Applied[]): readonly Reduction[] {
  const last = applied.findLastIndex((each) => !(isComparable(each, price) && isReduced(each.terms)))
  const amounts = applied.slice(last + 1).map(({ from, terms }) => ({ from, amount: terms?.amount ?? '' }))
  return [...amounts, { from: price.at, amount: price.amount }].filter(
    ({ amount }, index, all) => index === 0 || compareDecimals(amount, all[index - 1]?.amount ?? '') !== 0,
  )
}

/** The moment at which the last reduction began, or the first one of the series that it belongs to. */
function seriesStart(reductions: readonly Reduction[], { series, seriesDays }: PricePolicy): string {
  let first = reductions.length - 1
  const earliest = seriesDays === null ? '' : daysFrom(reductions[first]?.from ?? '', -seriesDays)
  const continues = ({ from, amount }: Reduction, later: Reduction | undefined) =>
    from >= earliest && (series === 'successive_within' || compareDecimals(amount, later?.amount ?? '0') > 0)
  for (let before = reductions[first - 1]; series !== 'none' && before; before = reductions[first - 1]) {
    if (!continues(before, reductions[first])) break
    first -= 1
  }
  return reductions[first]?.from ?? ''
}

/** Whether a price is announced as lower than another. */
function isReduced({ amount, compareAtAmount }: Pick<Amounts, 'amount' | 'compareAtAmount'>): boolean {
  return compareAtAmount !== null && compareDecimals(compareAtAmount, amount) > 0
}

/** Whether an applied price is in the currency of another, and like it with or without tax. */
function isComparable(applied: Applied, { currency, taxIncluded }: Amounts): applied is Priced {
  return applied.terms?.currency === currency && applied.terms.taxIncluded === taxIncluded
}

function referenceTo({ country, source, verified }: PricePolicy): PolicyReference {
  return { country, source, verified }
}

function evidenceOf({ from, until, terms }: Priced, periodFrom: string, periodUntil: string): Evidence {
  return {
    amount: terms.amount,
    from: from < periodFrom ? periodFrom : from,
    until: until > periodUntil ? periodUntil : until,
    saleOffer: saleOfferIri(terms),
    event: `/api/events/${terms.recordedBy}`,
  }
}

/** A warning about a price, for the users who set prices. */
type PriceWarning = {
  /** `compare_at_above_prior`: the amount to compare with is above the lowest price before the reduction. */
  readonly code: 'compare_at_above_prior'
  readonly saleOffer: string
  readonly compareAtAmount: string
  readonly priorPrice: PriorPrice
}

/** The optional members of a price: the prior price on request, and warnings when the price is explained. */
export type PriorMembers = Partial<PriorResult> & { readonly warnings?: readonly PriceWarning[] }

/** Builds these members. `terms` are null if none were read. */
export function priorMembers(
  price: ResolvedPrice | NoPrice,
  { prior, explain }: PriceRequest,
  terms: PriorTerms | null,
  goods: Goods,
): PriorMembers {
  if (!prior) return {}
  const isPrice = 'saleOffer' in price
  const result = isPrice ? priorPriceOf(price, terms, prior.policy, goods) : null
  const priorPrice = result?.priorPrice ?? null
  return {
    ...(prior.isIncluded && result),
    ...(explain && { warnings: isPrice && priorPrice ? warningsOf(price, priorPrice) : [] }),
  }
}

function warningsOf({ saleOffer, compareAtAmount }: ResolvedPrice, priorPrice: PriorPrice): PriceWarning[] {
  if (compareAtAmount === null || compareDecimals(compareAtAmount, priorPrice.amount) <= 0) return []
  return [{ code: 'compare_at_above_prior', saleOffer, compareAtAmount, priorPrice }]
}
