import { sql } from 'drizzle-orm'
import type { Locale } from '../../../core/locale.ts'
import type { BodyOf } from '../../../core/operation.ts'
import type { Shape } from '../../../core/property.ts'
import { created, merged, stateOf } from '../../../core/state.ts'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { pricedTerms, saleOfferRow, saleOffers } from '../../prices/sale/index.ts'
import { saleOfferProblems } from '../../prices/sale/problems.ts'
import { productIri } from '../../products/iri.ts'
import { identifier } from '../../property-schemas.ts'
import { countryInAnyCase } from '../../trade-schemas.ts'
import { type Offering, patchedTarget, requiredVariant } from '../index.ts'
import { inCountry } from './countries.ts'
import { saleOffer } from './schema.ts'

const patch = {
  ...saleOffer,
  properties: { ...saleOffer.properties, ...patchedTarget },
} satisfies Shape

type Body = BodyOf<typeof saleOffer>
type Patch = BodyOf<typeof patch>
type Values = ReturnType<typeof mergedOffer>['values']

/** What sale offers have of their own. */
export const saleOffering: Offering<typeof saleOffer, typeof patch, Values> = {
  table: 'sale_offers',
  subject: 'sale_offer',
  shape: saleOffer,
  patch,
  problems: saleOfferProblems,
  archival: { status: 'ARCHIVED' },
  created: createdOffer,
  merged: mergedOffer,
  insert: (offers) => insertRows(saleOffers, offers.map(saleOfferRow)),
  update: (offer) => updateRows(saleOffers, [saleOfferRow(offer)]),
  // A channel and a country find the offers that name them, not those that are for every one.
  filters: {
    channel: {
      schema: identifier.meta({
        description: 'Only offers that name this channel; not those for every channel.',
      }),
      condition: (channel) => sql`channel = ${channel}`,
    },
    country: {
      schema: countryInAnyCase.meta({
        description: 'Only offers that name this country; not those for every country.',
      }),
      condition: (country: string, { archived }) =>
        archived ? sql`${country} = any(countries)` : inCountry(country),
    },
  },
}

function createdOffer(body: Body, locale: Locale, at: (name: string) => string) {
  const variant = requiredVariant(body)
  const { values } = created(saleOffer, body, locale)
  return { variant, ...pricedTerms({ ...values, product: productIri(variant.ownerId) }, at) }
}

function mergedOffer(stored: { readonly document: string }, body: Patch | undefined, locale: Locale) {
  const { variant, ...patch } = body ?? {}
  const before = stateOf(saleOffer, stored)
  const { state, violations } = merged(saleOffer, before, patch, locale)
  const priced = pricedTerms(state.values, (name) => name)
  return { ...priced, variant, before: before.values, violations: [...violations, ...priced.violations] }
}
