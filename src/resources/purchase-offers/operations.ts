import { save } from '../../db/write-steps.ts'
import type { Offer } from '../offers/document.ts'
import { createAndMerge } from '../offers/kind.ts'
import { offerResource } from '../offers/operations.ts'
import { offerRow } from '../offers/table.ts'
import { identifier } from '../shared/properties.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer, validateTerms } from './schema.ts'
import { purchaseOffers } from './table.ts'

const { create, merge } = createAndMerge(purchaseOffer, validateTerms)

function purchaseOfferRow({ parts, values }: Offer<ReturnType<typeof merge>['values']>) {
  return { ...offerRow({ parts, values }), supplier: values.supplier, cost: values.cost }
}

export const resource = offerResource({
  name: 'purchase_offers',
  subject: 'purchase_offer',
  table: purchaseOffers,
  noun: 'A purchase offer',
  shape: purchaseOffer,
  problems: purchaseOfferProblems,
  archivePatch: { status: 'ARCHIVED' },
  create,
  merge,
  save: (offers) => save(purchaseOffers, offers.map(purchaseOfferRow)),
  filters: { supplier: identifier.optional() },
  equal: ['supplier'],
})
