import { type Kind, partsKept } from '../../../core/kind.ts'
import { type OfferParts, offerDocument } from '../../prices/offers/index.ts'
import { purchaseOffer } from './schema.ts'

export const purchaseOfferKind: Kind = {
  name: 'purchase_offers',
  subject: 'purchase_offer',
  noun: 'A purchase offer',
  shape: purchaseOffer,
  document: (kept, around, locale) => offerDocument(partsKept<OfferParts>(kept, around), locale, around.at),
}
