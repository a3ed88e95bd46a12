import { sql } from 'drizzle-orm'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import type { BodyOf } from '../../core/operation.ts'
import type { Shape } from '../../core/schema.ts'
import { created, merged, stateOf } from '../../core/state.ts'
import { insertRows, updateRows } from '../../db/write-steps.ts'
import { type Offer, type OfferParts, offerDocument } from '../offers/document.ts'
import type { Offering } from '../offers/kind.ts'
import { patchedTarget, requiredVariant } from '../offers/schema.ts'
import { offerRow } from '../offers/table.ts'
import { productIri } from '../products/schema.ts'
import { identifier } from '../shared/properties.ts'
import { purchaseOfferProblems } from './problems.ts'
import { pricedTerms, purchaseOffer } from './schema.ts'
import { purchaseOffers } from './table.ts'

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

export const purchaseOfferKind: Kind = {
  name: 'purchase_offers',
  subject: 'purchase_offer',
  noun: 'A purchase offer',
  shape: purchaseOffer,
  document: (kept, around, locale) =>
    offerDocument(parseEventDocument<OfferParts>(kept, around), locale, around.at),
}
