import * as z from 'zod'
import { canonicalAmount, currencyExponent, everyExponent } from '../../core/money.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape, type Values, writable } from '../../core/schema.ts'
import { currencyCode, externalIdProperty, instantInput, stamps } from '../shared/properties.ts'

/** The properties that all kinds of offers have. They are in groups, because each shape has its own order. */

export const offerStatuses = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
export const offerStates = ['SCHEDULED', 'LIVE', 'EXPIRED', 'INACTIVE'] as const

/** The period in which an offer applies. */
export const windowProperties = {
  validFrom: writable(instantInput, 'The moment from which it applies, UTC; null is no start.', {
    example: '2026-10-01T00:00:00.000000Z',
  }),
  validUntil: writable(instantInput, 'The first moment at which it no longer applies, UTC; null is no end.', {
    example: '2026-12-31T23:00:00.000000Z',
  }),
}

/** The status, state, categories and identifiers of an offer. */
export const statusProperties = {
  status: writable(z.enum(offerStatuses), 'Whether it is a draft, in force or archived.', {
    defaultValue: 'ACTIVE',
    example: 'ACTIVE',
  }),
  state: readOnly(
    z.enum(offerStates),
    'Whether it is scheduled, live, expired or inactive at the moment of reading. It is inactive as a draft, when archived, and while its variant or product is archived. Events state the offer alone.',
    { example: 'LIVE' },
  ),
  categories: readOnly(z.array(z.unknown()), 'The categories of its product.', {
    objectType: 'Category',
    isLink: true,
  }),
  externalId: externalIdProperty('offer', 'offer-17'),
  ...stamps(),
}

/** The property `currency` of an offer; `of` names its amounts. */
export function currencyProperty(of: string) {
  return writable(currencyCode, `ISO 4217 code of the ${of}.`, { required: true, example: 'EUR' })
}

/** A shape with the properties of all kinds of offers. */
export type OfferShape = Omit<Shape, 'properties'> & {
  readonly properties: typeof windowProperties &
    typeof statusProperties & { readonly currency: ReturnType<typeof currencyProperty> }
}

/** The stored values that all kinds of offers have. */
export type OfferValues = Values<OfferShape>

/** The period in which an offer applies: `validUntil` is exclusive. */
export type Window = { readonly validFrom?: string | null; readonly validUntil?: string | null }

/** Values with amounts in the decimals of their currency, and the violations of the rules between them. */
export type PricedValues<Values> = { readonly values: Values; readonly violations: Violation[] }

/**
 * Formats an amount with the decimals of the offer's currency (ISO 4217); null if the input is null or invalid.
 * A patch may omit the currency, and a body may contain an invalid one. The amount must then fit at least one
 * currency, and is never stored. The fewest decimals that fit it are precise enough to compare amounts.
 */
export function canonicalOfferAmount(
  input: string | number | null | undefined,
  currency: string | null | undefined,
  path: string,
): { readonly amount: string | null; readonly violations: Violation[] } {
  if (input === null || input === undefined) return { amount: null, violations: [] }
  const decimals = currency ? currencyExponent(currency) : undefined
  const exponents = decimals === undefined ? everyExponent() : [decimals]
  for (const exponent of exponents) {
    const amount = canonicalAmount(input, exponent)
    if (amount !== null) return { amount, violations: [] }
  }
  const violation =
    currency && decimals !== undefined
      ? validationProblems.amount.at(path, { currency, decimals })
      : validationProblems.malformed_amount.at(path, { decimals: Math.max(...exponents) })
  return { amount: null, violations: [violation] }
}

/** The advice for a reversed period, with its values. */
export function windowHelp({ validFrom, validUntil }: Window): string {
  return `The offer would be valid from ${validFrom} until ${validUntil}. Send a window whose end is after its start, or null for an open end.`
}

/** Whether an offer's period ends at or before its start. An open start or end is never reversed. */
export function isReversed({ validFrom, validUntil }: Window): boolean {
  if (typeof validFrom !== 'string' || typeof validUntil !== 'string') return false
  return validUntil <= validFrom
}
