import * as z from 'zod'
import { canonicalAmount, currencyExponent, everyExponent } from '../../core/money.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { readOnly, writable } from '../../core/schema.ts'
import { externalId, instantInput, stamps } from '../shared/properties.ts'

/** The properties that offers of every kind have, in groups, so that each shape shows them in its own order. */

export const offerStatuses = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
export const offerStates = ['SCHEDULED', 'LIVE', 'EXPIRED', 'INACTIVE'] as const

/** The properties that say when an offer applies. */
export const windowProperties = {
  validFrom: writable(instantInput, 'The moment from which it applies, UTC; null is no start.', {
    example: '2026-10-01T00:00:00.000000Z',
  }),
  validUntil: writable(instantInput, 'The first moment at which it no longer applies, UTC; null is no end.', {
    example: '2026-12-31T23:00:00.000000Z',
  }),
}

/** The properties that say whether an offer is in force. */
export const statusProperties = {
  status: writable(z.enum(offerStatuses), 'Whether it is worked on, in force or taken back.', {
    standard: 'ACTIVE',
    example: 'ACTIVE',
  }),
  state: readOnly(z.enum(offerStates), 'Where its validity stands at the moment of reading.', {
    example: 'LIVE',
  }),
  categories: readOnly(z.array(z.unknown()), 'The categories of its product.', {
    of: 'Category',
    link: true,
  }),
  externalId: writable(externalId, 'The identifier of the offer in another system.', { example: 'offer-17' }),
  ...stamps(),
}

/** When an offer applies. */
export type Window = { readonly validFrom?: string | null; readonly validUntil?: string | null }

/** Values with amounts in the decimals of their currency, and what is wrong between them. */
export type PricedValues<Values> = { readonly values: Values; readonly violations: Violation[] }

type Amount = {
  /** Null where there is none, or it does not fit. */
  readonly amount: string | null
  readonly violations: Violation[]
}

/**
 * Reads an amount in the decimals of the offer's currency (ISO 4217). A body may leave the currency to what is stored, or have
 * it wrong: then an amount has to fit some currency, and is never stored.
 */
export function normalisedAmount(
  input: string | number | null | undefined,
  currency: string | null | undefined,
  path: string,
): Amount {
  if (input === null || input === undefined) return { amount: null, violations: [] }
  const { parse, mismatch } = formatOf(currency)
  const amount = parse(input)
  return { amount, violations: amount === null ? [mismatch(path)] : [] }
}

type Format = {
  readonly parse: (input: string | number) => string | null
  readonly mismatch: (path: string) => Violation
}

function formatOf(currency: string | null | undefined): Format {
  const decimals = currency ? currencyExponent(currency) : undefined
  if (!currency || decimals === undefined) return formatOfAnyCurrency()
  return {
    parse: (input) => canonicalAmount(input, decimals),
    mismatch: (path) => validationProblems.amount.at(path, { currency, decimals }),
  }
}

/** In the fewest decimals of any currency that hold it, which is enough to compare amounts. */
function formatOfAnyCurrency(): Format {
  const exponents = everyExponent()
  return {
    parse: (input) =>
      exponents.map((decimals) => canonicalAmount(input, decimals)).find((amount) => amount !== null) ?? null,
    mismatch: (path) => validationProblems.malformed_amount.at(path, { decimals: Math.max(...exponents) }),
  }
}

/** Whether the end of an offer's window is not later than its start; an open end or start never is. */
export function isReversed({ validFrom, validUntil }: Window): boolean {
  if (typeof validFrom !== 'string' || typeof validUntil !== 'string') return false
  return validUntil <= validFrom
}
