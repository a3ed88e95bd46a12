/** The offers that a price is resolved from, read with the variant. */
import { type SQL, sql } from 'drizzle-orm'
import { instantText } from '../../db/columns.ts'
import { type ExplainedPrice, explainedPrice } from './explained.ts'
import type { PriceOffer } from './offer.ts'
import { type ResolvedPrice, resolvePrice } from './price.ts'
import type { AskedPrice } from './question.ts'

/** A price as a document shows it. */
export type Price = ResolvedPrice | ExplainedPrice

/** An offer as a bare list of values: without repeated names, pages of them stay small. */
type PackedOffer = readonly [
  id: string,
  channel: string | null,
  countries: readonly string[],
  currency: string,
  amount: string,
  compareAtAmount: string | null,
  validFrom: string | null,
  validUntil: string | null,
  priority: number,
  minQuantity: number,
  taxIncluded: boolean,
]

/** The offers of one variant that match a question now or will; all that are not archived where it is to be explained. */
export type OfferRow = {
  readonly variantId: string
  readonly offers: readonly (PackedOffer | readonly [...PackedOffer, status: PriceOffer['status']])[]
}

const packed = sql`sale_offers.id, channel, countries, currency, amount::text, compare_at_amount::text,
  ${instantText(sql`valid_from`)}, ${instantText(sql`valid_until`)}, priority, min_quantity, tax_included`

/** The offers that a variant's price is resolved from, as an expression; `variantId` is one. Null where there are none to tell. */
export function offersOf(variantId: SQL, asked: AskedPrice): SQL {
  return asked.explain ? everyOffer(variantId, asked) : matchingOffers(variantId, asked)
}

/** The offers, or their terms as they were recorded at a moment. */
function source({ knownAt }: AskedPrice): SQL {
  if (knownAt === undefined) return sql`sale_offers`
  return sql`(select sale_offer_id as id, t.* from sale_offer_terms t
    where t.known_until > ${knownAt}::timestamptz and t.known_from <= ${knownAt}::timestamptz) as sale_offers`
}

/** The ACTIVE offers that match the question's channel and country and have not ended by its moment, of any quantity. */
function matchingOffers(variantId: SQL, asked: AskedPrice): SQL {
  const { channel, country, at } = asked
  return sql`(
    select json_agg(json_build_array(${packed})) from ${source(asked)}
     where tenant_id = current_tenant() and status = 'ACTIVE' and variant_id = ${variantId}
       and (channel is null or channel = ${channel}) and (countries = '{}' or ${country} = any(countries))
       and (valid_until is null or valid_until > ${at}::timestamptz))`
}

/** All offers but the archived, with their status. */
function everyOffer(variantId: SQL, asked: AskedPrice): SQL {
  return sql`(
    select coalesce(json_agg(json_build_array(${packed}, status)), '[]') from ${source(asked)}
     where tenant_id = current_tenant() and status <> 'ARCHIVED' and variant_id = ${variantId})`
}

/** How many offers of a variant were recorded at the question's moment, as an expression; `variantId` is one. */
export function countKnown(variantId: SQL, asked: AskedPrice): SQL {
  return sql`(select count(*) from ${source(asked)}
    where tenant_id = current_tenant() and status <> 'ARCHIVED' and variant_id = ${variantId})`
}

/** The price of each variant that has offers, by variant id; null where none applies and nothing is to be explained. */
export function pricesOf(rows: readonly OfferRow[], asked: AskedPrice): Map<string, Price | null> {
  const { explain, knownAt, ...question } = asked
  const price = explain ? explainedPrice : resolvePrice
  return new Map(rows.map(({ variantId, offers }) => [variantId, price(offers.map(unpacked), question)]))
}

function unpacked([id, channel, countries, currency, ...rest]: OfferRow['offers'][number]): PriceOffer {
  const [
    amount,
    compareAtAmount,
    validFrom,
    validUntil,
    priority,
    minQuantity,
    taxIncluded,
    status = 'ACTIVE',
  ] = rest
  const money = { currency, amount, compareAtAmount, taxIncluded }
  return { id, channel, countries, ...money, validFrom, validUntil, priority, minQuantity, status }
}
