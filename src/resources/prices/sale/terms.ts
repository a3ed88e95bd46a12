import { compareDecimals } from '../../../core/decimal.ts'
import { isReversed, normalisedAmount, type Priced, type Window } from '../offers/index.ts'
import { saleOfferProblems } from './problems.ts'

/** What of a sale offer is checked together; of a body, what it has. */
export type Terms = Window & {
  readonly currency?: string | null
  readonly amount?: string | number | null
  readonly compareAtAmount?: string | number | null
}

/**
 * What the properties of a sale offer must be to each other, checked once they are merged. Returns them with amounts in
 * the decimals of the currency (ISO 4217), and every violation, at the paths that `at` makes of property names.
 */
export function pricedTerms<Given extends Terms>(
  values: Given,
  at: (name: string) => string,
): Priced<Given & { amount: string | null; compareAtAmount: string | null }> {
  const { currency } = values
  const price = normalisedAmount(values.amount, currency, at('amount'))
  const compareAt = normalisedAmount(values.compareAtAmount, currency, at('compareAtAmount'))
  const [amount, compareAtAmount] = [price.amount, compareAt.amount]
  const violations = [...price.violations, ...compareAt.violations]
  if (amount !== null && compareAtAmount !== null && compareDecimals(compareAtAmount, amount) <= 0) {
    violations.push(saleOfferProblems.compare_at_not_above.at(at('compareAtAmount')))
  }
  if (isReversed(values)) violations.push(saleOfferProblems.window_reversed.at(at('validUntil')))
  return { values: { ...values, amount, compareAtAmount }, violations }
}
