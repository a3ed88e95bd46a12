import type { Resource } from '../../core/operation.ts'
import { offerOperations } from '../offers/index.ts'
import { saleOffering } from './offering.ts'
import { pricingProblems } from './pricing-problems.ts'
import { saleOfferProblems } from './problems.ts'
import { saleOffer } from './schema.ts'

export const resource: Resource = {
  shape: saleOffer,
  problems: [...Object.values(saleOfferProblems), ...Object.values(pricingProblems)],
  operations: offerOperations(saleOffering),
}
