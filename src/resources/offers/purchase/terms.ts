import { isReversed, type Settled, settledAmounts, type Values } from '../index.ts'
import { purchaseOfferProblems } from './problems.ts'

/**
 * What the properties of a purchase offer must be to each other. Returns them with the cost in the decimals of the currency
 * (ISO 4217), and every violation, at the paths that `at` makes of property names.
 */
export function settledTerms(values: Values, at: (name: string) => string): Settled {
  const { amounts, violations } = settledAmounts(values, ['cost'], at)
  if (isReversed(values)) violations.push(purchaseOfferProblems.window_reversed.at(at('validUntil')))
  return { values: { ...values, ...amounts }, violations }
}
