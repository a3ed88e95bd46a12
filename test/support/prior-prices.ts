/** Prior prices by a replay: the resolver is called at every time at which something changes. */
import { compareDecimals } from '../../src/core/money.ts'
import type { PricePolicy } from '../../src/resources/prices/policies.ts'
import type { PriorResult } from '../../src/resources/prices/prior.ts'

type Price = {
  readonly amount: string
  readonly currency: string
  readonly compareAtAmount: string | null
  readonly taxIncluded: boolean
} | null

/** A prior price without its evidence, or the reason for which there is none. */
export type PriorFacts =
  | {
      readonly amount: string
      readonly from: string
      readonly until: string
      readonly onSaleSince: string
      readonly historyFrom: string
    }
  | NonNullable<Extract<PriorResult, { priorPrice: null }>['noPriorPrice']>['reason']

/** The part of a result that the replay computes too. */
export function factsOf(result: PriorResult): PriorFacts {
  if (result.priorPrice === null) return result.noPriorPrice.reason
  const { amount, from, until, onSaleSince, historyFrom } = result.priorPrice
  return { amount, from, until, onSaleSince, historyFrom }
}

/** A canonical instant so many microseconds later. */
export function shifted(moment: string, micros: number): string {
  const all = BigInt(Date.parse(moment)) * 1000n + BigInt(moment.slice(23, 26)) + BigInt(micros)
  return `${new Date(Number(all / 1000n)).toISOString().slice(0, 23)}${String(all % 1000n).padStart(3, '0')}Z`
}

const isReduced = (price: Price) =>
  price?.compareAtAmount != null && compareDecimals(price.compareAtAmount, price.amount) > 0

/**
 * The price before a reduction, one microsecond at a time. `moments` are all times at which the price may change; `priceAt` returns the price
 * at a time, and `at` is the requested time.
 */
export function priorByReplay(
  priceAt: (moment: string) => Price,
  moments: Iterable<string>,
  {
    at,
    policy,
    historyFrom,
  }: { readonly at: string; readonly policy: PricePolicy; readonly historyFrom: string },
): PriorFacts {
  const price = priceAt(at)
  if (price === null || !isReduced(price)) return 'not_reduced'
  const changes = [historyFrom, ...moments].filter((each) => each >= historyFrom && each < at)
  const steps = [...new Set(changes)].sort()
  const isLike = (other: Price) =>
    other?.currency === price.currency && other.taxIncluded === price.taxIncluded
  // Backwards from the requested time: each step with the price that applied until the next one.
  const sale: { readonly from: string; readonly amount: string }[] = []
  let end = at
  for (const step of steps.toReversed()) {
    const applied = priceAt(shifted(end, -1))
    if (applied === null || !isLike(applied) || !isReduced(applied)) break
    sale.push({ from: step, amount: applied.amount })
    end = step
  }
  // Steps at which the amount stayed the same belong to one reduction, which began at the first of them.
  const own = sale.findIndex(({ amount }) => compareDecimals(amount, price.amount) !== 0)
  const began = own === -1 ? (sale.at(-1)?.from ?? at) : (sale[own - 1]?.from ?? at)
  const limit = policy.seriesDays === null ? '' : shifted(began, -policy.seriesDays * 86_400_000_000)
  let [until, later] = [began, price.amount]
  for (const [nth, { from, amount }] of sale.entries()) {
    const order = compareDecimals(amount, later)
    if (order === 0) continue
    const sameAmount = sale.slice(nth).findIndex((each) => compareDecimals(each.amount, amount) !== 0)
    const start = (sameAmount === -1 ? sale.at(-1) : sale[nth + sameAmount - 1])?.from ?? from
    if (policy.series === 'none' || start < limit) break
    if (policy.series === 'increasing_uninterrupted' && order < 0) break
    ;[until, later] = [start, amount]
  }
  const firstPriced = steps.find((step) => priceAt(step) !== null)
  const isKnown = firstPriced !== undefined && firstPriced !== historyFrom
  const earliest = shifted(until, -policy.days * 86_400_000_000)
  const isNewer = isKnown && firstPriced > earliest
  if (isNewer && policy.newerGoods === 'not_announced') return 'newer_than_period'
  const from = isNewer ? firstPriced : earliest
  if (historyFrom > from) return 'history_too_short'
  const amounts = [from, ...steps.filter((each) => each > from)].flatMap((each) => {
    const other = each < until ? priceAt(each) : null
    return other !== null && isLike(other) ? [other.amount] : []
  })
  const [amount] = amounts.sort(compareDecimals)
  if (amount === undefined) return isNewer ? 'newer_than_period' : 'no_price_in_period'
  return { amount, from, until, onSaleSince: sale.at(-1)?.from ?? at, historyFrom }
}
