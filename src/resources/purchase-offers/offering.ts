import { sql } from 'drizzle-orm'
import { insertRows, updateRows } from '../../db/rows.ts'
import { identifier } from '../fields.ts'
import {
  isReversed,
  type Offer,
  type Offering,
  offerRow,
  type Settled,
  settledAmounts,
  type Values,
} from '../offers/index.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer } from './schema.ts'
import { purchaseOffers } from './table.ts'

/** What purchase offers have of their own. */
export const purchaseOffering: Offering = {
  table: 'purchase_offers',
  subject: 'purchase_offer',
  shape: purchaseOffer,
  problems: purchaseOfferProblems,
  settled,
  insert: (offers) => insertRows(purchaseOffers, offers.map(row)),
  update: (offer) => updateRows(purchaseOffers, [row(offer)]),
  filters: { supplier: { schema: identifier, condition: (supplier) => sql`supplier = ${supplier}` } },
}

function settled(values: Values, at: (name: string) => string): Settled {
  const { amounts, violations } = settledAmounts(values, ['cost'], at)
  if (isReversed(values)) violations.push(purchaseOfferProblems.window_reversed.at(at('validUntil')))
  return { values: { ...values, ...amounts }, violations }
}

function row({ parts, values }: Offer) {
  return {
    ...offerRow({ parts, values }),
    supplier: values.supplier as string,
    cost: values.cost as string,
  }
}
