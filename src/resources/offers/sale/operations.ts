import type { Recorded } from '../../../core/operation.ts'
import { offerOperations } from '../index.ts'
import { saleOfferKind } from './kind.ts'
import { saleOffering } from './offering.ts'
import { saleOfferProblems } from './problems.ts'
import { saleOffer } from './schema.ts'

export const resource: Recorded = {
  shape: saleOffer,
  kind: saleOfferKind,
  problems: Object.values(saleOfferProblems),
  operations: offerOperations(saleOffering),
}
