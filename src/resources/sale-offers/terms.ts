import { currencyExponent } from '../../core/currencies.ts'
import { canonicalAmount, compareDecimals } from '../../core/decimal.ts'
import type { Json } from '../../core/json.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { saleOfferProblems } from './problems.ts'

type Values = Readonly<Record<string, Json>>

/**
 * What the properties of an offer must be to each other, checked once they are merged. Returns them with amounts in
 * the decimals of the currency (ISO 4217), and every violation, at the paths that `at` makes of property names.
 */
export function settledTerms(
  values: Values,
  at: (name: string) => string,
): { values: Values; violations: Violation[] } {
  const violations: Violation[] = []
  const currency = values.currency as string
  const decimals = currencyExponent(currency) ?? 0
  const money = (name: string): string | null => {
    const input = values[name] as string | number | null
    const amount = input === null ? null : canonicalAmount(input, decimals)
    if (input !== null && amount === null)
      violations.push(validationProblems.amount.at(at(name), { currency, decimals }))
    return amount
  }
  const [amount, compareAtAmount] = [money('amount'), money('compareAtAmount')]
  if (amount !== null && compareAtAmount !== null && compareDecimals(compareAtAmount, amount) <= 0) {
    violations.push(saleOfferProblems.compare_at_not_above.at(at('compareAtAmount')))
  }
  const { validFrom = null, validUntil = null } = values as {
    validFrom?: string | null
    validUntil?: string | null
  }
  if (validFrom !== null && validUntil !== null && validUntil <= validFrom) {
    violations.push(saleOfferProblems.window_reversed.at(at('validUntil')))
  }
  return { values: { ...values, amount, compareAtAmount }, violations }
}
