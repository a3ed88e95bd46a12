/** Reading the offers that a price is resolved from: one statement for all variants of a page. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { type PriceOffer, type PriceQuestion, type ResolvedPrice, resolvePrice } from './price.ts'

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

/** The offers of one variant that match a question now or will. */
export type OfferRow = { readonly variantId: string; readonly offers: readonly PackedOffer[] }

/**
 * Selects the ACTIVE offers of some variants that match the question's channel and country and have not ended by its
 * moment, of any quantity: one row a variant, none for a variant without offers. `variantIds` is a subquery of ids.
 */
export function offerStatement(
  variantIds: SQL,
  { channel, country, at }: PriceQuestion,
): Statement<OfferRow> {
  return statement<OfferRow>(sql`
    select variant_id as "variantId", json_agg(json_build_array(id, channel, countries, currency, amount::text,
        compare_at_amount::text, ${instantText(sql`valid_from`)}, ${instantText(sql`valid_until`)}, priority, min_quantity,
        tax_included)) as offers
      from sale_offers
     where tenant_id = current_tenant() and status = 'ACTIVE' and variant_id in (${variantIds})
       and (channel is null or channel = ${channel}) and (countries = '{}' or ${country} = any(countries))
       and (valid_until is null or valid_until > ${at}::timestamptz)
     group by variant_id`)
}

/** The price of each variant that has offers, by variant id; null where none applies at the question's moment. */
export function pricesOf(
  rows: readonly OfferRow[],
  question: PriceQuestion,
): Map<string, ResolvedPrice | null> {
  return new Map(
    rows.map(({ variantId, offers }) => [variantId, resolvePrice(offers.map(unpacked), question)]),
  )
}

function unpacked([id, channel, countries, currency, ...rest]: PackedOffer): PriceOffer {
  const [amount, compareAtAmount, validFrom, validUntil, priority, minQuantity, taxIncluded] = rest
  const money = { currency, amount, compareAtAmount, taxIncluded }
  return { id, channel, countries, ...money, validFrom, validUntil, priority, minQuantity, status: 'ACTIVE' }
}
