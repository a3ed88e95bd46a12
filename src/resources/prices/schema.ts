import * as z from 'zod'
import type { Resource } from '../../core/operation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { currencyCode, instantText, iriText, moneyInput, quantity } from '../shared/properties.ts'
import { criteria, priceFilters } from './price.ts'
import { pricingProblems } from './problems.ts'

const link = { isLink: true, targetType: 'SaleOffer' }

const quantityBreak = z.object({ minQuantity: quantity, amount: moneyInput, saleOffer: iriText })

const candidate = z.object({
  saleOffer: iriText,
  outcome: z.enum(['won', 'lost', 'filtered']),
  decidedBy: z.enum([...new Set([...priceFilters, ...criteria.map(([name]) => name)])]).nullable(),
})

const priorPrice = z.object({
  amount: moneyInput,
  currency: currencyCode,
  from: instantText,
  until: instantText,
  historyFrom: instantText,
})

const warning = z.object({
  code: z.enum(['compare_at_above_prior']),
  saleOffer: iriText,
  compareAtAmount: moneyInput,
  priorPrice,
})

/** The document of a resolved price. It has no URL, because it is embedded in variants. */
const resolvedPrice: Shape = {
  type: 'ResolvedPrice',
  description:
    'The price of one piece of a variant in a channel and a country at a moment. If no offer applies, it has no amount, and `candidates` contains the reasons.',
  collection: '/api/sale_offers',
  readWith: 'products:read',
  properties: {
    amount: readOnly(moneyInput, 'The price of one piece.'),
    currency: readOnly(currencyCode, 'ISO 4217 code of the amounts.'),
    compareAtAmount: readOnly(moneyInput.nullable(), 'A higher amount for comparison.'),
    taxIncluded: readOnly(z.boolean(), 'Whether the amounts include tax.'),
    saleOffer: readOnly(iriText, 'The offer that sets the price.', link),
    channel: readOnly(z.string(), 'The requested channel.'),
    country: readOnly(z.string(), 'The requested country.'),
    at: readOnly(instantText, 'The requested moment.'),
    validFrom: readOnly(instantText.nullable(), 'The moment at which the offer starts; null means no start.'),
    validUntil: readOnly(instantText.nullable(), 'The moment at which the offer ends; null means no end.'),
    nextChangeAt: readOnly(instantText.nullable(), 'The next moment at which this price changes.'),
    quantityBreaks: readOnly(z.array(quantityBreak), 'The price of one piece for larger quantities.'),
    priorPrice: readOnly(
      priorPrice.nullable(),
      'The lowest amount in this currency from `from` until `until`, the days before the reduction began. Since then, `compareAtAmount` has been above `amount` without a gap. The recorded prices begin at `historyFrom`. Null if the price is not reduced, or if no price is recorded for these days. Only with `expand=priorPrice`.',
    ),
    candidates: readOnly(
      z.array(candidate),
      'Every offer of the variant that is not archived. `outcome` shows whether it won, lost to the winner or was filtered out; `decidedBy` shows the reason. Only with `explain=price`.',
    ),
    warnings: readOnly(
      z.array(warning),
      'Warnings about the price. `compare_at_above_prior`: `compareAtAmount` is above the lowest price before the reduction. Only with `explain=price`.',
    ),
  },
}

/** A type without operations. The resource documents it like the others. */
export const resource: Resource = {
  shape: resolvedPrice,
  operations: [],
  problems: Object.values(pricingProblems),
}
