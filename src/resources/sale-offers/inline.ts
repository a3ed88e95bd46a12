import { uuidv7 } from 'uuidv7'
import type { Context } from '../../core/operation.ts'
import type { Change } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { created } from '../../core/state.ts'
import type { DatabaseQuery } from '../../db/query.ts'
import type { ClockStep } from '../../db/write-steps.ts'
import type { CategoryParts } from '../categories/document.ts'
import { creationEvent, type IndexPrices, newOfferParts, type Offer } from '../offers/document.ts'
import { saleOfferProblems } from '../offers/problems.ts'
import { takenExternalIds } from '../offers/read.ts'
import { saleOffers, saveOffers } from '../offers/table.ts'
import { newPricesQuery } from '../prices/price-index.ts'
import type { NamesInUse, TakenName } from '../shared/names.ts'
import { type InlineSaleOffer, inlineSaleOffer, maximumCreatedOffers, validateTerms } from './schema.ts'

/**
 * Sale offers that are created in the body of their variant. They are built, stored and announced like those of
 * `POST /api/sale_offers`.
 */

/** The variant of the new offers, with the categories of its product. */
type OfferedVariant = {
  readonly id: string
  readonly iri: string
  readonly ownerId: string
  readonly ownerIri: string
  readonly categories: readonly CategoryParts[]
}

/** Builds the sale offers in the body of a new variant. */
export function newSaleOffers(
  { locale, tenant }: Pick<Context, 'locale'> & { readonly tenant: Pick<Context['tenant'], 'locales'> },
  bodies: readonly InlineSaleOffer[],
  variant: OfferedVariant,
): Offer[] {
  return bodies.map((body) => {
    const state = created(inlineSaleOffer, body, locale)
    const target = { variant: variant.iri, product: variant.ownerIri }
    // The body's validation has already reported the violations of these terms.
    const { values } = validateTerms({ ...state.values, ...target }, (name) => name)
    const offer = { id: uuidv7(), variant, values }
    return { parts: newOfferParts(inlineSaleOffer, tenant.locales, offer, variant.categories), values }
  })
}

/** Inserts all sale offers in one step. */
export function saleOfferSteps(offers: readonly Offer[]): ClockStep[] {
  return saveOffers(saleOffers, offers)
}

export function saleOfferEvent(offer: Offer): Change {
  return creationEvent({ name: 'sale_offers', subject: 'sale_offer' }, offer)
}

/** The number of offers that count towards the limit: archived ones do not. */
export function countOffers(offers: readonly Offer[]): number {
  return offers.filter(({ parts }) => parts.status !== 'ARCHIVED').length
}

/** Reads what the prices of new variants with these offers depend on. */
export function newPrices(
  lists: readonly OfferList[],
  { now }: Pick<Context, 'now'>,
): DatabaseQuery<IndexPrices> {
  return newPricesQuery(
    lists.some(({ offers }) => offers.length > 0),
    now,
  )
}

/** The sale offers in the body of one variant, and the path of that list in the request. */
export type OfferList = { readonly path: string; readonly offers: readonly InlineSaleOffer[] }

/** The violation of the first list with which a request creates more sale offers than allowed. */
export function tooManyOffers(lists: readonly OfferList[]): Violation[] {
  let total = 0
  const excess = lists.find(({ offers }) => {
    total += offers.length
    return total > maximumCreatedOffers
  })
  return excess ? [validationProblems.too_many_items.at(excess.path, { maximum: maximumCreatedOffers })] : []
}

/** Reads which of the requested external ids other offers already use. Runs no query if no offer has one. */
export function takenOfferIds(lists: readonly OfferList[]): DatabaseQuery<readonly TakenName[]> {
  const ids = lists.flatMap(({ offers }) => offers.flatMap((offer) => reservedExternalId(offer) ?? []))
  return takenExternalIds(saleOffers, ids)
}

/** Reserves the external ids of requested offers. Returns the conflicts with those in use. */
export function reserveExternalIds(lists: readonly OfferList[], names: NamesInUse): Violation[] {
  return lists.flatMap(({ path, offers }) =>
    offers.flatMap((offer, index) =>
      names.reserveAll(
        { externalId: reservedExternalId(offer) },
        { externalId: saleOfferProblems.external_id_taken },
        (name) => `${path}[${index}].${name}`,
      ),
    ),
  )
}

/** The external id that an offer reserves: archived offers reserve none. */
function reservedExternalId({ status, externalId }: InlineSaleOffer): string | null {
  return status === 'ARCHIVED' ? null : (externalId ?? null)
}
