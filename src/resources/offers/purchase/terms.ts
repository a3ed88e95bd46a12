import { isReversed, normalisedAmount, type Priced, type Window } from '../../prices/offers/index.ts'
import { purchaseOfferProblems } from './problems.ts'

/** What of a purchase offer is checked together; of a body, what it has. */
export type Terms = Window & {
  readonly currency?: string | null
  readonly cost?: string | number | null
}

/**
 * What the properties of a purchase offer must be to each other. Returns them with the cost in the decimals of the currency
 * (ISO 4217), and every violation, at the paths that `at` makes of property names.
 */
export function pricedTerms<Given extends Terms>(
  values: Given,
  at: (name: string) => string,
): Priced<Given & { cost: string | null }> {
  const { amount: cost, violations } = normalisedAmount(values.cost, values.currency, at('cost'))
  if (isReversed(values)) violations.push(purchaseOfferProblems.window_reversed.at(at('validUntil')))
  return { values: { ...values, cost }, violations }
}
