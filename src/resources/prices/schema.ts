import * as z from 'zod'
import { referenceUnit } from '../../core/context.ts'
import type { Resource } from '../../core/operation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { currencyCode, instantText, iriText, moneyInput, quantity } from '../shared/properties.ts'
import { policySource } from './policies.ts'
import { criteria, noPriceReasons, priceFilters } from './price.ts'
import { noPriorReasons } from './prior.ts'
import { pricingProblems } from './problems.ts'

const link = { isLink: true, targetType: 'SaleOffer' }

const quantityBreak = z.object({ minQuantity: quantity, amount: moneyInput, saleOffer: iriText.optional() })

const unitPrice = z.object({ amount: moneyInput, per: referenceUnit })

const candidate = z.object({
  saleOffer: iriText,
  outcome: z.enum(['won', 'lost', 'filtered']),
  decidedBy: z.enum([...new Set([...priceFilters, ...criteria.map(([name]) => name)])]).nullable(),
})

const policy = z.object({ country: z.string(), source: policySource.nullable(), verified: z.boolean() })

const priorPrice = z.object({
  amount: moneyInput,
  currency: currencyCode,
  reductionPercent: z.number().nullable(),
  noReductionPercent: z.enum(['not_below_prior_price']).nullable(),
  policy,
  period: z.object({ from: instantText, until: instantText }),
  from: instantText,
  until: instantText,
  onSaleSince: instantText,
  historyFrom: instantText,
  evidence: z.array(
    z.object({
      amount: moneyInput,
      from: instantText,
      until: instantText,
      saleOffer: iriText,
      event: iriText,
    }),
  ),
})

const noPriorPrice = z.object({ reason: z.enum(noPriorReasons), policy: policy.nullable() })

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
    'The price of one piece of a variant in a channel and a country at a moment. If no offer applies, it has no amount, and `reason` or `candidates` contains the reasons.',
  collection: '/api/sale_offers',
  readWith: 'products:read',
  properties: {
    amount: readOnly(moneyInput, 'The price of one piece.'),
    reason: readOnly(
      z.enum(noPriceReasons),
      'The reason why the price has no amount. `no_offer_in_currency`: offers apply, but none in the requested currency. `no_offer`, in `resolvedPrices`: no offer applies. Otherwise absent.',
    ),
    currency: readOnly(currencyCode, 'ISO 4217 code of the amounts.'),
    compareAtAmount: readOnly(moneyInput.nullable(), 'A higher amount for comparison.'),
    taxIncluded: readOnly(z.boolean(), 'Whether the amounts include tax.'),
    saleOffer: readOnly(iriText, 'The offer that sets the price.', link),
    market: readOnly(z.string(), 'The key of the market. Only in `resolvedPrices`.'),
    channel: readOnly(z.string(), 'The requested channel.'),
    country: readOnly(z.string(), 'The requested country.'),
    at: readOnly(instantText, 'The requested moment; for `now`, the moment since which this price applies.'),
    validFrom: readOnly(instantText.nullable(), 'The moment at which the offer starts; null means no start.'),
    validUntil: readOnly(instantText.nullable(), 'The moment at which the offer ends; null means no end.'),
    unitPrice: readOnly(
      unitPrice.nullable(),
      'The price of the quantity `per` of the goods (Directive 98/6/EC), computed from `amount` and `measure` of the variant, and rounded half up to the decimals of the currency. Like `amount`, it includes tax if `taxIncluded` is true. `per` is the first reference unit that measures the same as the content: of the categories of the product, in their order, each before its ancestors from the nearest on, then of the tenant; otherwise 1 kg, l, m, m2 or m3. Null if the variant has no `measure`, and for pieces. Absent from timelines and announcements.',
    ),
    nextChangeAt: readOnly(instantText.nullable(), 'The next moment at which this price changes.'),
    quantityBreaks: readOnly(z.array(quantityBreak), 'The price of one piece for larger quantities.'),
    priorPrice: readOnly(
      priorPrice.nullable(),
      'The lowest amount that applied in `period`, before the reduction began, by the `policy` of the country. `reductionPercent` is computed from it and rounded down. It is null if the price is not below `amount`. `evidence` has the prices that applied in the period, and the events that recorded them. The price has been reduced without a gap since `onSaleSince`. Recorded prices begin at `historyFrom`. `from` and `until` repeat `period`. Null with `noPriorPrice`. Only with `expand=priorPrice`.',
    ),
    noPriorPrice: readOnly(
      noPriorPrice,
      'The reason for which `priorPrice` is null, with the policy. `not_reduced`: `compareAtAmount` is not above `amount`. `no_policy`: the country has none. `exempt`: the policy exempts goods that are reduced because they expire. `newer_than_period`: the goods had no price before their reduction, or not for long enough. `history_too_short`: recorded prices begin after the start of the period. `no_price_in_period`: no comparable price applied. Absent if there is a prior price.',
    ),
    candidates: readOnly(
      z.array(candidate),
      'Every offer of the variant that is not archived. `outcome` shows whether it won, lost to the winner or was filtered out. `decidedBy` shows the reason. Only with `explain=price`.',
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
