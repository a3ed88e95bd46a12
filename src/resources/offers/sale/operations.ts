import type { Recorded } from '../../../core/operation.ts'
import { saleOfferProblems } from '../../prices/sale/problems.ts'
import { offerOperations } from '../index.ts'
import { saleOfferKind } from './kind.ts'
import { saleOffering } from './offering.ts'
import { saleOffer } from './schema.ts'

export const resource: Recorded = {
  shape: saleOffer,
  kind: saleOfferKind,
  problems: Object.values(saleOfferProblems),
  operations: offerOperations(saleOffering),
}
