import * as z from 'zod'
import { nested } from '../../core/body.ts'
import { isJsonArray } from '../../core/json.ts'
import { compareDecimals } from '../../core/money.ts'
import type { BodyOf } from '../../core/operation.ts'
import {
  createOnly,
  type Property,
  type RequiredScopes,
  readOnly,
  type Shape,
  writable,
} from '../../core/schema.ts'
import { saleOfferProblems } from '../offers/problems.ts'
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
import { reductionReasons } from '../offers/table.ts'
import { criteria } from '../prices/price.ts'
import { countryCode, identifier, instantText, iriText, moneyInput, quantity } from '../shared/properties.ts'

/** The maximum number of warnings in the response to a write. */
export const maximumWarnings = 10

const overlapWarning = z.object({
  code: z.enum(['overlapping_offer']),
  saleOffer: iriText,
  winner: iriText,
  decidedBy: z.enum(criteria.map(([name]) => name)),
  from: instantText.nullable(),
  until: instantText.nullable(),
})

/** The properties of a sale offer that are validated together, as in a body or a stored offer. */
export type Terms = Window & {
  readonly currency?: string | null
  readonly amount?: string | number | null
  readonly compareAtAmount?: string | number | null
}

/**
 * Validates the terms of a sale offer after a merge, and formats its amounts with the decimals of the currency
 * (ISO 4217).
 * Returns the values and all violations; `at` maps a property name to its path.
 */
export function validateTerms<Input extends Terms>(
  values: Input,
  at: (name: string) => string,
): PricedValues<Input & { amount: string | null; compareAtAmount: string | null }> {
  const { currency } = values
  const price = canonicalOfferAmount(values.amount, currency, at('amount'))
  const compareAt = canonicalOfferAmount(values.compareAtAmount, currency, at('compareAtAmount'))
  const [amount, compareAtAmount] = [price.amount, compareAt.amount]
  const violations = [...price.violations, ...compareAt.violations]
  if (amount !== null && compareAtAmount !== null && compareDecimals(compareAtAmount, amount) <= 0) {
    violations.push(
      saleOfferProblems.compare_at_not_above.at(
        at('compareAtAmount'),
        {},
        `compareAtAmount would be ${compareAtAmount}, and amount ${amount}. Send a higher compareAtAmount, or null if there is no price to compare with.`,
      ),
    )
  }
  if (isReversed(values))
    violations.push(saleOfferProblems.window_reversed.at(at('validUntil'), {}, windowHelp(values)))
  return { values: { ...values, amount, compareAtAmount }, violations }
}

/** The maximum number of sale offers that one request creates, with their variants or for existing ones. */
export const maximumCreatedOffers = 250

const unique = (values: string[]) => [...new Set(values)]

/** Builds the shape of a sale offer from the properties of its variant and product, which come first. */
export function saleOfferShape<const Target extends Readonly<Record<'variant' | 'product', Property>>>(
  target: Target,
) {
  return {
    type: 'SaleOffer',
    description: 'The price of a variant in a channel, in countries and in a period.',
    collection: '/api/sale_offers',
    readWith: 'sale_offers:read',
    properties: {
      ...target,
      channel: writable(identifier, 'The channel that it is for; null is every channel.', { example: 'web' }),
      countries: writable(
        z.array(countryCode).max(249).transform(unique),
        'ISO 3166-1 alpha-2 codes of the countries that it is for; empty is every country.',
        { defaultValue: [], example: ['FR', 'BE'] },
      ),
      currency: currencyProperty('amounts'),
      amount: writable(moneyInput, 'The price of one piece, with the decimals of the currency.', {
        required: true,
        example: '19.90',
      }),
      compareAtAmount: writable(
        moneyInput,
        'A higher amount to compare with, such as the price before a sale.',
        { example: '24.90' },
      ),
      ...windowProperties,
      priority: writable(z.int().min(-1000).max(1000), 'The highest wins among offers that apply.', {
        defaultValue: 0,
        example: 10,
      }),
      minQuantity: writable(quantity, 'The smallest quantity that it applies to.', {
        defaultValue: 1,
        example: 1,
      }),
      taxIncluded: writable(z.boolean(), 'Whether the amounts include tax.', {
        defaultValue: true,
        example: true,
      }),
      reductionReason: writable(
        z.enum(reductionReasons),
        'The reason for a reduction, if it decides about the prior price. `EXPIRING`: the goods spoil or expire, and many countries exempt them.',
        { example: null },
      ),
      ...statusProperties,
      warnings: readOnly(
        z.array(overlapWarning),
        `Only in the response to a write of this offer alone, up to ${maximumWarnings}. \`overlapping_offer\`: another offer of the variant, \`saleOffer\`, is for the same sales. It has the same channel, countries, currency and minimum quantity. From \`from\` until \`until\`, only \`winner\` sets the price, by the criterion \`decidedBy\`.`,
        { visibleWith: 'sale_offers:read' },
      ),
    },
    validateTogether: (values: Terms, at) => validateTerms(values, at).violations,
  } satisfies Shape
}

/** The shape of a sale offer in the body of a new variant. */
export const inlineSaleOffer = saleOfferShape({
  variant: readOnly(iriText, 'The variant that it is written with.', { isLink: true, stored: true }),
  product: readOnly(iriText, 'The product that owns the variant.', { isLink: true, stored: true }),
})

/** A sale offer in the body of a new variant. */
export type InlineSaleOffer = BodyOf<typeof inlineSaleOffer>

/** The scopes that sale offers in a variant's body require: none if the list is empty. */
export const saleOffersScopes = {
  scopes: (value) =>
    value === null || (isJsonArray(value) && value.length === 0) ? [] : ['sale_offers:write'],
  described: '`sale_offers:write`',
} satisfies RequiredScopes

/** The property `saleOffers` of a new variant. The offers themselves are read at `/api/sale_offers`. */
export const createdSaleOffers = createOnly(
  z.array(nested(inlineSaleOffer)).max(maximumCreatedOffers),
  'The sale offers that it is created with, each as `/api/sale_offers` takes it, but for `variant`.',
  {
    objectType: 'SaleOffer',
    stored: false,
    writeOnly: true,
    neededScopes: saleOffersScopes,
    writeDescription: `At most ${maximumCreatedOffers} in one request; afterwards they are written at \`/api/sale_offers\`.`,
    example: [{ channel: 'web', currency: 'EUR', amount: '19.90' }],
  },
)
