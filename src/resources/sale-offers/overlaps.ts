import { getTableColumns, type SQL } from 'drizzle-orm'
import { combineQueries, type DatabaseQuery, mapQuery, statement } from '../../db/query.ts'
import type { OfferValues } from '../offers/properties.ts'
import { saleOffers } from '../offers/table.ts'
import {
  compareOffers,
  decidingCriterion,
  earliest,
  latest,
  type PriceOffer,
  saleOfferIri,
} from '../prices/price.ts'
import { offerOf, storedOffer, storedOfferOf } from '../prices/read.ts'
import { maximumWarnings } from './schema.ts'

/** The terms that two overlapping offers have in common, and their periods. */
const comparedTerms = [
  'variantId',
  'currency',
  'channel',
  'countries',
  'minQuantity',
  'validFrom',
  'validUntil',
] as const
const defaultValues: Readonly<Record<string, unknown>> = { countries: [], minQuantity: 1 }

/**
 * Reads the offers that overlap a written one now or later, and returns a function from its final values and its id to the warnings as JSON;
 * undefined without any. The stored row has those of its terms that `terms` omits. The read does not prevent a concurrent write
 * of an overlapping offer.
 */
export function overlapsQuery(
  storedId: string | SQL,
  terms: Readonly<Record<string, unknown>>,
  now: string,
): DatabaseQuery<(values: OfferValues, id: string) => string | undefined> {
  const columns = getTableColumns(saleOffers)
  const written = comparedTerms.flatMap((name) =>
    terms[name] === undefined ? [] : [[columns[name].name, terms[name] ?? defaultValues[name] ?? null]],
  )
  const rows = statement({ offer: storedOffer })`
    select offer::json from overlapping_offers(${storedId}::uuid, ${JSON.stringify(Object.fromEntries(written))}::jsonb,
      ${now}::timestamptz, ${maximumWarnings}::int) as offer`
  return mapQuery(combineQueries({ rows }), ({ rows }) => (values, id) => {
    if (values.status !== 'ACTIVE' || rows.length === 0) return undefined
    const offer = offerOf(storedOfferOf(id, values))
    return JSON.stringify(rows.map((row) => overlapWarning(offer, offerOf(row.offer))))
  })
}

function overlapWarning(offer: PriceOffer, other: PriceOffer) {
  const [winner, loser] = compareOffers(offer, other) < 0 ? [offer, other] : [other, offer]
  return {
    code: 'overlapping_offer',
    saleOffer: saleOfferIri(other),
    winner: saleOfferIri(winner),
    decidedBy: decidingCriterion(winner, loser),
    from: latest([offer.validFrom, other.validFrom]),
    until: earliest([offer.validUntil, other.validUntil]),
  } as const
}
