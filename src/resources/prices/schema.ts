import * as z from 'zod'
import type { Resource } from '../../core/operation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { currencyCode, instantText, iriText, moneyInput, quantity } from '../shared/properties.ts'
import { pricingProblems } from './problems.ts'

const link = { link: true, to: 'SaleOffer' }

const quantityBreak = z.object({ minQuantity: quantity, amount: moneyInput, saleOffer: iriText })

const candidate = z.object({
  saleOffer: iriText,
  outcome: z.enum(['won', 'lost', 'filtered']),
  decidedBy: z
    .enum([
      'status',
      'channel',
      'country',
      'window',
      'minQuantity',
      'priority',
      'validFrom',
      'currency',
      'amount',
      'id',
    ])
    .nullable(),
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
    'What one piece of a variant costs in a channel, in a country, at a moment; without an amount, why there is none.',
  collection: '/api/sale_offers',
  readWith: 'products:read',
  properties: {
    amount: readOnly(moneyInput, 'What one piece costs.'),
    currency: readOnly(currencyCode, 'ISO 4217 code of the amounts.'),
    compareAtAmount: readOnly(moneyInput.nullable(), 'A higher amount to compare with.'),
    taxIncluded: readOnly(z.boolean(), 'Whether the amounts include tax.'),
    saleOffer: readOnly(iriText, 'The offer that decides.', link),
    channel: readOnly(z.string(), 'The channel that was asked about.'),
    country: readOnly(z.string(), 'The country that was asked about.'),
    at: readOnly(instantText, 'The moment that was asked about.'),
    validFrom: readOnly(instantText.nullable(), 'Since when the offer applies; null is no start.'),
    validUntil: readOnly(instantText.nullable(), 'Until when the offer applies; null is no end.'),
    nextChangeAt: readOnly(instantText.nullable(), 'The next moment at which this answer is another one.'),
    quantityBreaks: readOnly(z.array(quantityBreak), 'What one piece costs to whoever buys more.'),
    priorPrice: readOnly(
      priorPrice.nullable(),
      'The lowest amount that applied from `from` until `until`, the days before its reduction began: since then `compareAtAmount` has been above `amount` without a gap. In this currency alone; `historyFrom` is since when prices are known. Null where it is not reduced, or no price of these days is known. Only with `expand=priorPrice`.',
    ),
    candidates: readOnly(
      z.array(candidate),
      'Every offer of the variant that is not archived: whether it won, lost to the winner or was filtered out, and what decided that. Only with `explain=price`.',
    ),
    warnings: readOnly(
      z.array(warning),
      'What to look at: `compare_at_above_prior`, `compareAtAmount` is above the lowest price before the reduction. Only with `explain=price`.',
    ),
  },
}

/** A type without operations. The resource documents it like the others. */
export const resource: Resource = {
  shape: resolvedPrice,
  operations: [],
  problems: Object.values(pricingProblems),
}
