import * as z from 'zod'
import { irisUnder } from '../../core/iri.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { isReversed, type Window, windowProperties } from '../offers/properties.ts'
import { externalIdProperty, longText, stamps, titleText } from '../shared/properties.ts'
import { campaignProblems } from './problems.ts'

/** The violation of a campaign that ends before it begins. */
export function windowViolations(values: Window) {
  return isReversed(values) ? [campaignProblems.window_reversed.at('validUntil')] : []
}

export const campaign = {
  type: 'Campaign',
  description:
    'A named sale: a label on the sale offers that belong to it. Its period describes the sale; prices follow from the offers alone.',
  collection: '/api/campaigns',
  readWith: 'sale_offers:read',
  properties: {
    name: writable(titleText, 'The name of the sale for staff, the same in every language.', {
      required: true,
      example: 'Winter sale',
    }),
    description: writable(longText, 'Notes for staff, such as how the products were selected.', {
      example: 'All products of the collection Winter, 20 % off.',
    }),
    ...windowProperties,
    offers: readOnly(
      z.int(),
      'The number of sale offers that refer to it, without archived ones. Events state the number at their time.',
      { example: 60 },
    ),
    externalId: externalIdProperty('campaign', 'winter-2026'),
    ...stamps(),
  },
  validateTogether: windowViolations,
} satisfies Shape

export const campaignIri = irisUnder('/api/campaigns')
