import * as z from 'zod'
import { type Shape, writable } from '../../../core/property.ts'
import { standingProperties, windowProperties } from '../../prices/offers/index.ts'
import { identifier, shortText } from '../../property-schemas.ts'
import { currencyCode, moneyInput, quantity } from '../../trade-schemas.ts'
import { targetProperties } from '../index.ts'
import { pricedTerms, type Terms } from './terms.ts'

export const purchaseOffer = {
  type: 'PurchaseOffer',
  description: 'What a supplier asks for a variant.',
  collection: '/api/purchase_offers',
  readWith: 'purchase_offers:read',
  properties: {
    ...targetProperties,
    supplier: writable(identifier, 'Who sells it, by a free identifier.', {
      required: true,
      example: 'textile-works',
    }),
    supplierSku: writable(shortText, 'What the supplier calls it.', { example: 'TW-77' }),
    cost: writable(moneyInput, 'What one piece costs, a decimal with the decimals of the currency.', {
      required: true,
      visibleWith: 'purchase_offers:read',
      example: '7.50',
    }),
    currency: writable(currencyCode, 'ISO 4217 code of the cost.', { required: true, example: 'EUR' }),
    minQuantity: writable(quantity, 'The smallest quantity that can be ordered.', {
      standard: 1,
      example: 10,
    }),
    quantityIncrement: writable(quantity, 'How many pieces come together.', { standard: 1, example: 5 }),
    leadTimeDays: writable(z.int().min(0).max(2_147_483_647), 'Days between the order and its arrival.', {
      example: 14,
    }),
    ...windowProperties,
    preferred: writable(z.boolean(), 'Whether it is preferred to other offers of the variant.', {
      standard: false,
      example: true,
    }),
    ...standingProperties,
  },
  together: (values: Terms, at) => pricedTerms(values, at).violations,
} satisfies Shape
