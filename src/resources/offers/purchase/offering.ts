import { sql } from 'drizzle-orm'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { identifier } from '../../fields.ts'
import { type Offer, type Offering, offerRow } from '../index.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer } from './schema.ts'
import { purchaseOffers } from './table.ts'
import { settledTerms } from './terms.ts'

/** What purchase offers have of their own. */
export const purchaseOffering: Offering = {
  table: 'purchase_offers',
  subject: 'purchase_offer',
  shape: purchaseOffer,
  problems: purchaseOfferProblems,
  settled: settledTerms,
  insert: (offers) => insertRows(purchaseOffers, offers.map(row)),
  update: (offer) => updateRows(purchaseOffers, [row(offer)]),
  filters: { supplier: { schema: identifier, condition: (supplier) => sql`supplier = ${supplier}` } },
}

function row({ parts, values }: Offer) {
  return {
    ...offerRow({ parts, values }),
    supplier: values.supplier as string,
    cost: values.cost as string,
  }
}
