import { offerResource } from '../offers/operations.ts'
import { saleOfferKind } from './kind.ts'

export const resource = offerResource(saleOfferKind)
