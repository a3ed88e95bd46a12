import * as z from 'zod'
import { type Shape, writable } from '../../../core/property.ts'
import { identifier } from '../../fields.ts'
import { countryCode, currencyCode, moneyInput, quantity } from '../../trade-fields.ts'
import { standingProperties, targetProperties, windowProperties } from '../index.ts'
import { pricedTerms, type Terms } from './terms.ts'

const unique = (values: string[]) => [...new Set(values)]

export const saleOffer = {
  type: 'SaleOffer',
  description: 'What a variant is sold for: in a channel, in countries, in a window of time.',
  collection: '/api/sale_offers',
  readWith: 'sale_offers:read',
  properties: {
    ...targetProperties,
    channel: writable(identifier, 'The channel that it is for; null is every channel.', { example: 'web' }),
    countries: writable(
      z.array(countryCode).max(249).transform(unique),
      'ISO 3166-1 alpha-2 codes of the countries that it is for; empty is every country.',
      { standard: [], example: ['FR', 'BE'] },
    ),
    currency: writable(currencyCode, 'ISO 4217 code of the amounts.', { required: true, example: 'EUR' }),
    amount: writable(moneyInput, 'What one piece costs, a decimal with the decimals of the currency.', {
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
      standard: 0,
      example: 10,
    }),
    minQuantity: writable(quantity, 'The smallest quantity that it applies to.', {
      standard: 1,
      example: 1,
    }),
    taxIncluded: writable(z.boolean(), 'Whether the amounts include tax.', { standard: true, example: true }),
    ...standingProperties,
  },
  together: (values: Terms, at) => pricedTerms(values, at).violations,
} satisfies Shape
