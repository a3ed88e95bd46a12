import { currencyExponent, everyExponent } from '../../core/currencies.ts'
import { canonicalAmount } from '../../core/decimal.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import type { Values } from './offering.ts'

/**
 * Reads amounts in the decimals of the offer's currency (ISO 4217); one that does not fit is null and a violation. A body may
 * leave the currency to what is stored, or have it wrong: then an amount has to fit some currency, and is never stored.
 */
export function settledAmounts<const Name extends string>(
  values: Values,
  names: readonly Name[],
  at: (name: string) => string,
): { amounts: Record<Name, string | null>; violations: Violation[] } {
  const violations: Violation[] = []
  const { read, misfit } = readingIn(values.currency as string)
  const settled = names.map((name) => {
    const input = (values[name] as string | number | null | undefined) ?? null
    if (input === null) return [name, null]
    const amount = read(input)
    if (amount === null) violations.push(misfit(at(name)))
    return [name, amount]
  })
  return { amounts: Object.fromEntries(settled) as Record<Name, string | null>, violations }
}

type Reading = {
  readonly read: (input: string | number) => string | null
  readonly misfit: (path: string) => Violation
}

function readingIn(currency: string): Reading {
  const decimals = currencyExponent(currency)
  if (decimals === undefined) return readingInAny()
  return {
    read: (input) => canonicalAmount(input, decimals),
    misfit: (path) => validationProblems.amount.at(path, { currency, decimals }),
  }
}

/** In the fewest decimals of any currency that hold it, which is enough to compare amounts. */
function readingInAny(): Reading {
  const exponents = everyExponent()
  return {
    read: (input) =>
      exponents.map((each) => canonicalAmount(input, each)).find((amount) => amount !== null) ?? null,
    misfit: (path) => validationProblems.malformed_amount.at(path, { decimals: Math.max(...exponents) }),
  }
}

/** Whether the end of an offer's window is not later than its start; an open end or start never is. */
export function isReversed({ validFrom, validUntil }: Values): boolean {
  if (typeof validFrom !== 'string' || typeof validUntil !== 'string') return false
  return validUntil <= validFrom
}
