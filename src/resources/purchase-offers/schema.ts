import * as z from 'zod'
import { type Shape, writable } from '../../core/schema.ts'
import { targetProperties } from '../offers/kind.ts'
import { purchaseOfferProblems } from '../offers/problems.ts'
import {
  canonicalOfferAmount,
  currencyProperty,
  isReversed,
  type PricedValues,
  statusProperties,
  type Window,
  windowHelp,
  windowProperties,
} from '../offers/properties.ts'
import { identifier, moneyInput, quantity, shortText } from '../shared/properties.ts'

/** The properties of a purchase offer that are validated together, as in a body or a stored offer. */
export type Terms = Window & {
  readonly currency?: string | null
  readonly cost?: string | number | null
}

/**
 * Validates the terms of a purchase offer, and formats its cost with the decimals of the currency (ISO 4217).
 * Returns the values and all violations; `at` maps a property name to its path.
 */
export function validateTerms<Input extends Terms>(
  values: Input,
  at: (name: string) => string,
): PricedValues<Input & { cost: string | null }> {
  const { amount: cost, violations } = canonicalOfferAmount(values.cost, values.currency, at('cost'))
  if (isReversed(values))
    violations.push(purchaseOfferProblems.window_reversed.at(at('validUntil'), {}, windowHelp(values)))
  return { values: { ...values, cost }, violations }
}

export const purchaseOffer = {
  type: 'PurchaseOffer',
  description: 'The price at which a supplier sells a variant.',
  collection: '/api/purchase_offers',
  readWith: 'purchase_offers:read',
  properties: {
    ...targetProperties,
    supplier: writable(identifier, 'The identifier of the supplier, chosen freely.', {
      required: true,
      example: 'textile-works',
    }),
    supplierSku: writable(shortText, 'The SKU that the supplier uses.', { example: 'TW-77' }),
    cost: writable(moneyInput, 'The cost of one piece, with the decimals of the currency.', {
      required: true,
      visibleWith: 'purchase_offers:read',
      example: '7.50',
    }),
    currency: currencyProperty('cost'),
    minQuantity: writable(quantity, 'The smallest quantity that can be ordered.', {
      defaultValue: 1,
      example: 10,
    }),
    quantityIncrement: writable(quantity, 'The number of pieces by which a quantity can grow.', {
      defaultValue: 1,
      example: 5,
    }),
    leadTimeDays: writable(z.int().min(0).max(2_147_483_647), 'Days between the order and its arrival.', {
      example: 14,
    }),
    ...windowProperties,
    preferred: writable(z.boolean(), 'Whether it is preferred to other offers of the variant.', {
      defaultValue: false,
      example: true,
    }),
    ...statusProperties,
  },
  validateTogether: (values: Terms, at) => validateTerms(values, at).violations,
} satisfies Shape
