import { saleOfferOf } from '../../prices/sale/index.ts'
import { targetProperties } from '../index.ts'

export const saleOffer = saleOfferOf(targetProperties)
