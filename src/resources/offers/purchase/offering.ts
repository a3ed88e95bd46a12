import { sql } from 'drizzle-orm'
import type { Locale } from '../../../core/locale.ts'
import type { BodyOf } from '../../../core/operation.ts'
import type { Shape } from '../../../core/property.ts'
import { created, merged, stateOf } from '../../../core/state.ts'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { type Offer, offerRow } from '../../prices/offers/index.ts'
import { productIri } from '../../products/iri.ts'
import { identifier } from '../../property-schemas.ts'
import { type Offering, patchedTarget, requiredVariant } from '../index.ts'
import { purchaseOfferProblems } from './problems.ts'
import { purchaseOffer } from './schema.ts'
import { purchaseOffers } from './table.ts'
import { pricedTerms } from './terms.ts'

const patch = {
  ...purchaseOffer,
  properties: { ...purchaseOffer.properties, ...patchedTarget },
} satisfies Shape

type Body = BodyOf<typeof purchaseOffer>
type Patch = BodyOf<typeof patch>
type Values = ReturnType<typeof mergedOffer>['values']

/** What purchase offers have of their own. */
export const purchaseOffering: Offering<typeof purchaseOffer, typeof patch, Values> = {
  table: 'purchase_offers',
  subject: 'purchase_offer',
  shape: purchaseOffer,
  patch,
  problems: purchaseOfferProblems,
  archival: { status: 'ARCHIVED' },
  created: createdOffer,
  merged: mergedOffer,
  insert: (offers) => insertRows(purchaseOffers, offers.map(row)),
  update: (offer) => updateRows(purchaseOffers, [row(offer)]),
  filters: { supplier: { schema: identifier, condition: (supplier) => sql`supplier = ${supplier}` } },
}

function createdOffer(body: Body, locale: Locale, at: (name: string) => string) {
  const variant = requiredVariant(body)
  const { values } = created(purchaseOffer, body, locale)
  return { variant, ...pricedTerms({ ...values, product: productIri(variant.ownerId) }, at) }
}

function mergedOffer(stored: { readonly document: string }, body: Patch | undefined, locale: Locale) {
  const { variant, ...patch } = body ?? {}
  const before = stateOf(purchaseOffer, stored)
  const { state, violations } = merged(purchaseOffer, before, patch, locale)
  const priced = pricedTerms(state.values, (name) => name)
  return { ...priced, variant, before: before.values, violations: [...violations, ...priced.violations] }
}

function row({ parts, values }: Offer<Values>) {
  return {
    ...offerRow({ parts, values }),
    supplier: values.supplier,
    cost: values.cost,
  }
}
