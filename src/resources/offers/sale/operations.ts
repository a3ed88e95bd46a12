import type { Resource } from '../../../core/operation.ts'
import { pricingProblems } from '../../prices/problems.ts'
import { offerOperations } from '../index.ts'
import { saleOffering } from './offering.ts'
import { saleOfferProblems } from './problems.ts'
import { saleOffer } from './schema.ts'

export const resource: Resource = {
  shape: saleOffer,
  problems: [...Object.values(saleOfferProblems), ...Object.values(pricingProblems)],
  operations: offerOperations(saleOffering),
}
