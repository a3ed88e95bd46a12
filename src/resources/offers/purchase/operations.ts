import type { Recorded } from '../../../core/operation.ts'
import { offerOperations } from '../index.ts'
import { purchaseOfferKind } from './kind.ts'
import { purchaseOffering } from './offering.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer } from './schema.ts'

export const resource: Recorded = {
  shape: purchaseOffer,
  kind: purchaseOfferKind,
  problems: Object.values(purchaseOfferProblems),
  operations: offerOperations(purchaseOffering),
}
