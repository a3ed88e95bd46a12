import { currencyExponent } from '../../core/currencies.ts'
import { canonicalAmount } from '../../core/decimal.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import type { Values } from './offering.ts'

/**
 * Reads amounts in the decimals of the offer's currency (ISO 4217); one that does not fit is null and a violation. Without a
 * currency none is read: a body may leave it to what is stored, or have it wrong.
 */
export function settledAmounts<const Name extends string>(
  values: Values,
  names: readonly Name[],
  at: (name: string) => string,
): { amounts: Record<Name, string | null>; violations: Violation[] } {
  const violations: Violation[] = []
  const currency = values.currency as string
  const decimals = currencyExponent(currency)
  const settled = names.map((name) => {
    const input = (values[name] as string | number | null | undefined) ?? null
    if (input === null || decimals === undefined) return [name, null]
    const amount = canonicalAmount(input, decimals)
    if (amount === null) violations.push(validationProblems.amount.at(at(name), { currency, decimals }))
    return [name, amount]
  })
  return { amounts: Object.fromEntries(settled) as Record<Name, string | null>, violations }
}

/** Whether the end of an offer's window is not later than its start; an open end or start never is. */
export function isReversed({ validFrom, validUntil }: Values): boolean {
  if (typeof validFrom !== 'string' || typeof validUntil !== 'string') return false
  return validUntil <= validFrom
}
