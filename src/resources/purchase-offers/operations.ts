import { sql } from 'drizzle-orm'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import type { BodyOf, EventedResource } from '../../core/operation.ts'
import type { Shape } from '../../core/schema.ts'
import { created, merged, stateOf } from '../../core/state.ts'
import { insertRows, updateRows } from '../../db/write-steps.ts'
import { type Offer, type OfferParts, offerDocument } from '../offers/document.ts'
import type { OfferDefinition } from '../offers/kind.ts'
import { offerOperations } from '../offers/operations.ts'
import { patchTargetProperties, requireVariant } from '../offers/schema.ts'
import { offerRow } from '../offers/table.ts'
import { productIri } from '../products/schema.ts'
import { identifier } from '../shared/properties.ts'
import { purchaseOfferProblems } from './problems.ts'
import { pricedTerms, purchaseOffer } from './schema.ts'
import { purchaseOffers } from './table.ts'

const patch = {
  ...purchaseOffer,
  properties: { ...purchaseOffer.properties, ...patchTargetProperties },
} satisfies Shape

type Body = BodyOf<typeof purchaseOffer>
type Patch = BodyOf<typeof patch>
type Values = ReturnType<typeof mergeOffer>['values']

/** The definition of purchase offers, from which their operations are generated. */
const purchaseOfferDefinition: OfferDefinition<typeof purchaseOffer, typeof patch, Values> = {
  table: 'purchase_offers',
  subject: 'purchase_offer',
  shape: purchaseOffer,
  patch,
  problems: purchaseOfferProblems,
  archivePatch: { status: 'ARCHIVED' },
  create: createOffer,
  merge: mergeOffer,
  insert: (offers) => insertRows(purchaseOffers, offers.map(purchaseOfferRow)),
  update: (offer) => updateRows(purchaseOffers, [purchaseOfferRow(offer)]),
  filters: { supplier: { schema: identifier, condition: (supplier) => sql`supplier = ${supplier}` } },
}

function createOffer(body: Body, locale: Locale, at: (name: string) => string) {
  const variant = requireVariant(body)
  const { values } = created(purchaseOffer, body, locale)
  return { variant, ...pricedTerms({ ...values, product: productIri(variant.ownerId) }, at) }
}

function mergeOffer(stored: { readonly document: string }, body: Patch | undefined, locale: Locale) {
  const { variant, ...patch } = body ?? {}
  const before = stateOf(purchaseOffer, stored)
  const { state, violations } = merged(purchaseOffer, before, patch, locale)
  const priced = pricedTerms(state.values, (name) => name)
  return { ...priced, variant, before: before.values, violations: [...violations, ...priced.violations] }
}

function purchaseOfferRow({ parts, values }: Offer<Values>) {
  return {
    ...offerRow({ parts, values }),
    supplier: values.supplier,
    cost: values.cost,
  }
}

const purchaseOfferKind: Kind = {
  name: 'purchase_offers',
  subject: 'purchase_offer',
  noun: 'A purchase offer',
  shape: purchaseOffer,
  document: (eventDocument, context, locale) =>
    offerDocument(parseEventDocument<OfferParts>(eventDocument, context), locale, context.at),
}

export const resource: EventedResource = {
  shape: purchaseOffer,
  kind: purchaseOfferKind,
  problems: Object.values(purchaseOfferProblems),
  operations: offerOperations(purchaseOfferDefinition),
}
