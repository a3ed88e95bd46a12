import type { Resource } from '../../../core/operation.ts'
import { offerOperations } from '../index.ts'
import { purchaseOffering } from './offering.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer } from './schema.ts'

export const resource: Resource = {
  shape: purchaseOffer,
  problems: Object.values(purchaseOfferProblems),
  operations: offerOperations(purchaseOffering),
}
