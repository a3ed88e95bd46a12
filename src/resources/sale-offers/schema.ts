import { z } from 'zod'
import { isCountry } from '../../core/countries.ts'
import { currencyExponent } from '../../core/currencies.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { onCreate, readOnly, type Shape, writable } from '../../core/property.ts'
import { violation } from '../../core/violations.ts'
import {
  externalId,
  identifier,
  instantInput,
  iriText,
  moneyInput,
  stamps,
  variantRelation,
} from '../fields.ts'

/** How many offers that are not archived a variant may have. */
export const maximumSaleOffers = 1000

export const currencyCode = z
  .string()
  .refine((code) => currencyExponent(code) !== undefined, violation(validationProblems.currency.at('')))

const countryCode = z.string().refine(isCountry, violation(validationProblems.country.at('')))

/** A country in a query, ISO 3166-1 alpha-2 in any case; gives it in upper case. */
export const countryInAnyCase = z.string().transform((text, check) => {
  // Checked before it is raised to upper case, which makes two letters of some single ones.
  const code = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : ''
  if (!isCountry(code)) check.addIssue({ code: 'custom', ...violation(validationProblems.country.at('')) })
  return code
})

const unique = (values: string[]) => [...new Set(values)]

export const offerStatuses = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
export const offerStates = ['SCHEDULED', 'LIVE', 'EXPIRED', 'INACTIVE'] as const

const variant = 'The variant that is offered; it stays the same.'

export const saleOffer: Shape = {
  type: 'SaleOffer',
  collection: '/api/sale_offers',
  properties: {
    variant: onCreate(variantRelation, variant, { required: true, link: true }),
    product: readOnly(iriText, 'The product that owns the variant.', { link: true, stored: true }),
    channel: writable(identifier, 'The channel that it is for; null is every channel.'),
    countries: writable(
      z.array(countryCode).max(249).transform(unique),
      'ISO 3166-1 alpha-2 codes of the countries that it is for; empty is every country.',
      { standard: [] },
    ),
    currency: writable(currencyCode, 'ISO 4217 code of the amounts.', { required: true }),
    amount: writable(moneyInput, 'What one piece costs, a decimal with the decimals of the currency.', {
      required: true,
    }),
    compareAtAmount: writable(
      moneyInput,
      'A higher amount to compare with, such as the price before a sale.',
    ),
    validFrom: writable(instantInput, 'The moment from which it applies, UTC; null is no start.'),
    validUntil: writable(
      instantInput,
      'The first moment at which it no longer applies, UTC; null is no end.',
    ),
    priority: writable(z.int().min(-1000).max(1000), 'The highest wins among offers that apply.', {
      standard: 0,
    }),
    minQuantity: writable(z.int().min(1).max(2_147_483_647), 'The smallest quantity that it applies to.', {
      standard: 1,
    }),
    taxIncluded: writable(z.boolean(), 'Whether the amounts include tax.', { standard: true }),
    status: writable(z.enum(offerStatuses), 'Whether it is worked on, in force or taken back.', {
      standard: 'ACTIVE',
    }),
    state: readOnly(z.enum(offerStates), 'Where its validity stands at the moment of reading.'),
    categories: readOnly(z.array(z.unknown()), 'The categories of its product.', { of: 'Category' }),
    externalId: writable(externalId, 'The identifier of the offer in another system.'),
    ...stamps(),
  },
}

/** What a patch is read with: a variant may be sent back, so that another one than the offer's can be told. */
export const patchedSaleOffer: Shape = {
  ...saleOffer,
  properties: {
    ...saleOffer.properties,
    variant: writable(variantRelation, variant, { required: true, link: true }),
  },
}
