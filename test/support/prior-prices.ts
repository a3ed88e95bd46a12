/** Prior prices by a replay: the resolver is called at every time at which something changes. */
import { compareDecimals } from '../../src/core/money.ts'
import type { PriorPrice } from '../../src/resources/prices/prior.ts'

type Price = {
  readonly amount: string
  readonly currency: string
  readonly compareAtAmount: string | null
} | null

/** A canonical instant so many microseconds later. */
export function shifted(moment: string, micros: number): string {
  const all = BigInt(Date.parse(moment)) * 1000n + BigInt(moment.slice(23, 26)) + BigInt(micros)
  return `${new Date(Number(all / 1000n)).toISOString().slice(0, 23)}${String(all % 1000n).padStart(3, '0')}Z`
}

const isReduced = (price: Price) =>
  price?.compareAtAmount != null && compareDecimals(price.compareAtAmount, price.amount) > 0

/**
 * The price before a reduction. `moments` are all times at which it may change; `priceAt` returns the price at a time, and `at` is the
 * requested time.
 */
export function priorByReplay(
  priceAt: (moment: string) => Price,
  moments: Iterable<string>,
  { at, days, historyFrom }: { readonly at: string; readonly days: number; readonly historyFrom: string },
): PriorPrice | null {
  const price = priceAt(at)
  if (price === null || !isReduced(price)) return null
  const steps = [...new Set(moments)].filter((each) => each < at).sort()
  const isOne = (other: Price) => isReduced(other) && other?.currency === price.currency
  let until = at
  for (const each of steps.toReversed()) {
    if (!isOne(priceAt(each))) break
    until = each
  }
  const from = shifted(until, -days * 86_400_000_000)
  const within = [from, ...steps.filter((each) => each > from)].filter((each) => each < until)
  const amounts = within.flatMap((each) => {
    const other = priceAt(each)
    return other?.currency === price.currency ? [other.amount] : []
  })
  const [amount] = amounts.sort(compareDecimals)
  return amount === undefined ? null : { amount, currency: price.currency, from, until, historyFrom }
}
