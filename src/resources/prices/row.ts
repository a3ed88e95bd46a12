/** The offers that a price is resolved from, read with the variant. */
import { type SQL, sql } from 'drizzle-orm'
import { type ExplainedPrice, explainedPrice } from './explained.ts'
import { offerIn } from './offer-text.ts'
import { type ResolvedPrice, resolvePrice } from './price.ts'
import { type PriorMembers, priorMembers } from './prior-document.ts'
import type { TermsFinder } from './prior-terms.ts'
import type { AskedPrice } from './question.ts'

/** A price as a document shows it. */
export type Price = (ResolvedPrice | ExplainedPrice) & PriorMembers

/** The offers of one variant that match a question now or will; all that are not archived where it is to be explained. */
export type OfferRow = {
  readonly variantId: string
  /** As `offer_text()` writes them (migrations/functions/51_prices.sql), with semicolons between them. */
  readonly offers: string
}

/** The offers that a variant's price is resolved from, as an expression; `variantId` is one. Null where there are none to tell. */
export function offersOf(variantId: SQL, asked: AskedPrice): SQL {
  return asked.explain ? everyOffer(variantId, asked) : matchingOffers(variantId, asked)
}

/** The offers, or their terms as they were recorded at a moment, as rows `o` that fulfil what follows. */
function source({ knownAt }: AskedPrice): SQL {
  if (knownAt === undefined) return sql`sale_offers o where`
  return sql`sale_offer_terms o where known_until > ${knownAt}::timestamptz and known_from <= ${knownAt}::timestamptz and`
}

/** The ACTIVE offers that match the question's channel and country and have not ended by its moment, of any quantity. */
function matchingOffers(variantId: SQL, asked: AskedPrice): SQL {
  const { channel, country, at } = asked
  return sql`(
    select string_agg(offer_text(o), ';') from ${source(asked)}
         tenant_id = current_tenant() and status = 'ACTIVE' and variant_id = ${variantId}
       and (channel is null or channel = ${channel}) and (countries = '{}' or ${country} = any(countries))
       and (valid_until is null or valid_until > ${at}::timestamptz))`
}

/** All offers but the archived. */
function everyOffer(variantId: SQL, asked: AskedPrice): SQL {
  return sql`(
    select coalesce(string_agg(offer_text(o), ';'), '') from ${source(asked)}
         tenant_id = current_tenant() and status <> 'ARCHIVED' and variant_id = ${variantId})`
}

/** How many offers of a variant were recorded at the question's moment, as an expression; `variantId` is one. */
export function countKnown(variantId: SQL, asked: AskedPrice): SQL {
  return sql`(select count(*) from ${source(asked)}
    tenant_id = current_tenant() and status <> 'ARCHIVED' and variant_id = ${variantId})`
}

/** The price of each variant that has offers, by variant id; null where none applies and nothing is to be explained. */
export function pricesOf(
  rows: readonly OfferRow[],
  asked: AskedPrice,
  find: TermsFinder | null,
): Map<string, Price | null> {
  return new Map(rows.map(({ variantId, offers }) => [variantId, priceOf(offers, asked, find)]))
}

/** The price that offers give, told as `offer_text()` writes them; null where none applies and nothing is to be explained. */
export function priceOf(offers: string, asked: AskedPrice, find: TermsFinder | null): Price | null {
  const { channel, country, at, explain, prior } = asked
  const told = offers === '' ? [] : offers.split(';').map(offerIn)
  const question = { channel, country, at }
  const price = explain ? explainedPrice(told, question) : resolvePrice(told, question)
  if (!price || !prior) return price
  return { ...price, ...priorMembers(price, asked, find && ((saleOffer) => find(saleOffer, told))) }
}
