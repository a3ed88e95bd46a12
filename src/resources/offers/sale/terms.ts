import { compareDecimals } from '../../../core/decimal.ts'
import { isReversed, type Settled, settledAmounts, type Values } from '../index.ts'
import { saleOfferProblems } from './problems.ts'

/**
 * What the properties of a sale offer must be to each other, checked once they are merged. Returns them with amounts in
 * the decimals of the currency (ISO 4217), and every violation, at the paths that `at` makes of property names.
 */
export function settledTerms(values: Values, at: (name: string) => string): Settled {
  const { amounts, violations } = settledAmounts(values, ['amount', 'compareAtAmount'], at)
  const { amount, compareAtAmount } = amounts
  if (amount !== null && compareAtAmount !== null && compareDecimals(compareAtAmount, amount) <= 0) {
    violations.push(saleOfferProblems.compare_at_not_above.at(at('compareAtAmount')))
  }
  if (isReversed(values)) violations.push(saleOfferProblems.window_reversed.at(at('validUntil')))
  return { values: { ...values, ...amounts }, violations }
}
