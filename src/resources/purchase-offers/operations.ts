import type { EventedResource } from '../../core/operation.ts'
import { offerOperations } from '../offers/operations.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer } from './schema.ts'
import { purchaseOfferDefinition, purchaseOfferKind } from './terms.ts'

export const resource: EventedResource = {
  shape: purchaseOffer,
  kind: purchaseOfferKind,
  problems: Object.values(purchaseOfferProblems),
  operations: offerOperations(purchaseOfferDefinition),
}
