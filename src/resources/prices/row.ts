/** Reading the offers that a price is resolved from: one statement for all variants of a page. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
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

/**
 * Reads the prices of some variants, by variant id; null where no offer applies and nothing is to be explained, absent for a
 * variant without offers. `variantIds` is a subquery of ids.
 */
export function pricesReading(
  variantIds: SQL,
  asked: AskedPrice,
): Reading<ReadonlyMap<string, Price | null>> {
  return made(gathered({ offers: offerStatement(variantIds, asked) }), ({ offers }) =>
    pricesOf(offers, asked),
  )
}

/**
 * Selects the offers of some variants that a price is resolved from. `variantIds` is a subquery of ids.
 */
export function offerStatement(variantIds: SQL, asked: AskedPrice): Statement<OfferRow> {
  return asked.explain ? everyOffer(variantIds) : matchingOffers(variantIds, asked)
}

/**
 * The ACTIVE offers that match the question's channel and country and have not ended by its moment, of any quantity: one row
 * a variant, none for a variant without offers.
 */
function matchingOffers(variantIds: SQL, { channel, country, at }: AskedPrice): Statement<OfferRow> {
  return statement<OfferRow>(sql`
    select variant_id as "variantId", json_agg(json_build_array(${packed})) as offers
      from sale_offers
     where tenant_id = current_tenant() and status = 'ACTIVE' and variant_id in (${variantIds})
       and (channel is null or channel = ${channel}) and (countries = '{}' or ${country} = any(countries))
       and (valid_until is null or valid_until > ${at}::timestamptz)
     group by variant_id`)
}

/** All offers but the archived, with their status: one row for each variant. */
function everyOffer(variantIds: SQL): Statement<OfferRow> {
  return statement<OfferRow>(sql`
    select asked.id as "variantId",
           coalesce(json_agg(json_build_array(${packed}, status)) filter (where variant_id is not null), '[]') as offers
      from (${variantIds}) as asked(id)
      left join sale_offers on tenant_id = current_tenant() and variant_id = asked.id and status <> 'ARCHIVED'
     group by asked.id`)
}

/** The price of each variant that has offers, by variant id; null where none applies and nothing is to be explained. */
export function pricesOf(rows: readonly OfferRow[], asked: AskedPrice): Map<string, Price | null> {
  const { explain, ...question } = asked
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
