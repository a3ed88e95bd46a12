import { offerResource } from '../offers/operations.ts'
import { purchaseOfferProblems } from '../offers/problems.ts'
import { purchaseOffers } from '../offers/table.ts'
import { identifier } from '../shared/properties.ts'
import { purchaseOffer, validateTerms } from './schema.ts'

export const resource = offerResource({
  name: 'purchase_offers',
  subject: 'purchase_offer',
  table: purchaseOffers,
  noun: 'A purchase offer',
  shape: purchaseOffer,
  validateTerms,
  problems: purchaseOfferProblems,
  filters: { supplier: identifier.optional() },
  equal: ['supplier'],
})
