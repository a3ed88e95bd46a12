/** Variants with the offers that their prices are resolved from, read in the same statement. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import {
  type AskedPrice,
  type OfferRow,
  offersOf,
  type Price,
  pricesOf,
  priorTermsOf,
  termsFinder,
} from '../../prices/index.ts'
import { variantColumns } from '../index.ts'
import type { VariantParts } from './document.ts'

/** A variant's row as it is read where prices may be asked for; offers are null where it has none, or none are asked for. */
export type PricedVariant = VariantParts & {
  readonly offers: OfferRow['offers'] | null
  /** The recorded terms that its prior price is told of; null where there is none to tell. */
  readonly priorTerms: string | null
}

/** The column `offers` of a variant, whose id is an expression. */
export function offersColumn(id: SQL, asked: AskedPrice | null): SQL {
  return asked ? sql`${offersOf(id, asked)} as offers` : sql`null as offers`
}

/** The column `priorTerms` of a variant. */
export function termsColumn(asked: AskedPrice | null): SQL {
  return sql`${priorTermsOf(sql`variants.id`, asked)} as "priorTerms"`
}

/** Reads one variant of a product. */
export function pricedStatement(
  productId: string,
  id: string,
  asked: AskedPrice | null,
): Statement<PricedVariant> {
  return statement(sql`select ${variantColumns}, ${offersColumn(sql`variants.id`, asked)}, ${termsColumn(asked)} from variants
    where tenant_id = current_tenant() and product_id = ${productId}::uuid and id = ${id}::uuid`)
}

/** The price of each variant that has offers, by variant id; `history` is what was told of how far prices reach back. */
export function pricesIn(
  rows: readonly PricedVariant[],
  asked: AskedPrice,
  history: string | undefined,
): Map<string, Price | null> {
  return pricesOf(
    rows.flatMap(({ id, offers }) => (offers === null ? [] : [{ variantId: id, offers }])),
    asked,
    termsFinder(
      history,
      rows.flatMap(({ priorTerms }) => priorTerms ?? []),
    ),
  )
}
