/** Sale offers that are created with their variant: made, stored and told as those of a request of their own. */
import { uuidv7 } from 'uuidv7'
import type { Context } from '../../../core/operation.ts'
import { created } from '../../../core/state.ts'
import type { Changed } from '../../../core/write.ts'
import type { Statement } from '../../../db/client.ts'
import { insertRows } from '../../../db/rows.ts'
import type { CategoryParts } from '../../categories/index.ts'
import { creationOf, newOfferParts, type Offer } from '../offers/index.ts'
import { type SaleOfferValues, saleOfferRow } from './row.ts'
import { type InlineSaleOffer, inlineSaleOffer } from './schema.ts'
import { saleOffers } from './table.ts'
import { pricedTerms } from './terms.ts'

/** A sale offer that is created with its variant. */
export type NewSaleOffer = Offer<SaleOfferValues>

/** The variant that new offers are of, with the categories of its product. */
type Owner = {
  readonly id: string
  readonly iri: string
  readonly ownerId: string
  readonly ownerIri: string
  readonly categories: readonly CategoryParts[]
}

/** Makes the sale offers that a new variant was written with. */
export function newSaleOffers(
  { locale, tenant }: Pick<Context, 'locale'> & { readonly tenant: Pick<Context['tenant'], 'locales'> },
  written: readonly InlineSaleOffer[],
  variant: Owner,
): NewSaleOffer[] {
  return written.map((body) => {
    const state = created(inlineSaleOffer, body, locale)
    const target = { variant: variant.iri, product: variant.ownerIri }
    // What its terms have wrong was told when the body was read.
    const { values } = pricedTerms({ ...state.values, ...target }, (name) => name)
    const offer = { id: uuidv7(), variant, values }
    return { parts: newOfferParts(inlineSaleOffer, tenant.locales, offer, variant.categories), values }
  })
}

/** One insert for all of them. */
export function saleOfferStatements(offers: readonly NewSaleOffer[]): Statement[] {
  return insertRows(saleOffers, offers.map(saleOfferRow))
}

/** The event of a sale offer that is created with its variant. */
export function saleOfferEvent(offer: NewSaleOffer): Changed {
  return creationOf({ table: 'sale_offers', subject: 'sale_offer' }, offer)
}

/** How many count: archived ones do not. */
export function countedOffers(offers: readonly NewSaleOffer[]): number {
  return offers.filter(({ parts }) => parts.status !== 'ARCHIVED').length
}
