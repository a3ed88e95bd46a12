import { type Kind, partsKept } from '../../../core/kind.ts'
import { type OfferParts, offerDocument } from '../../prices/offers/index.ts'
import { saleOffer } from './schema.ts'

export const saleOfferKind: Kind = {
  name: 'sale_offers',
  subject: 'sale_offer',
  noun: 'A sale offer',
  boundaries: {
    started: 'began to apply, at the moment that it says. It is not changed by it.',
    ended: 'ceased to apply, at the moment that it says. It is not changed by it.',
  },
  shape: saleOffer,
  document: (kept, around, locale) => offerDocument(partsKept<OfferParts>(kept, around), locale, around.at),
}
