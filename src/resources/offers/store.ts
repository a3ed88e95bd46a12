/** Reading offers and what they show of others: a fixed number of statements, however many offers there are. */

import { type SQL, sql } from 'drizzle-orm'
import type { Locale } from '../../core/locale.ts'
import { type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { type CategoryParts, categoryLines, toldCategories } from '../categories/index.ts'
import type { OfferParts, OfferRowParts } from '../prices/offers/index.ts'
import { countColumn } from './names.ts'
import type { OfferKind } from './offering.ts'

/** The columns of an offer's row, of a table of offers. */
export const shownColumns = sql`id, product_id as "productId", variant_id as "variantId", document, status,
  ${instantText(sql`valid_from`)} as "validFrom", ${instantText(sql`valid_until`)} as "validUntil", version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

export type CategoryOptions = {
  readonly locale: Locale
  /** Embedded depth of sub-categories, 0 for IRIs. */
  readonly expand: number
  /** All translations, for what a write keeps. */
  readonly translations?: boolean
}

/** What `productCategories` selects: ids of products and of their categories, and these as lines. */
type ProductCategories = {
  readonly memberships: readonly (readonly [productId: string, categoryId: string])[] | null
  readonly categories: string | null
}

/** Selects, in one row, the categories of products; `productIds` is a subquery. `categoriesOf` tells those of each. */
export function productCategories(productIds: SQL, options: CategoryOptions): SQL {
  return sql`
    with members as materialized (
      select product_id, category_id, position from product_categories
       where tenant_id = current_tenant() and product_id = any(array(${productIds})))
    select (select json_agg(json_build_array(product_id, category_id) order by product_id, position) from members) as memberships,
           ${categoryLines(sql`select category_id from members`, options)} as categories`
}

/** The categories of each product, in their order. */
export function categoriesOf(
  { memberships, categories }: ProductCategories,
  options: CategoryOptions,
): (productId: string) => CategoryParts[] {
  const byProduct = Map.groupBy(memberships ?? [], ([productId]) => productId)
  const told = toldCategories(categories, options)
  return (productId) =>
    (byProduct.get(productId) ?? []).flatMap(([, categoryId]) => told.get(categoryId) ?? [])
}

/** Reads the categories of products; `productIds` is a subquery. */
export function productCategoriesReading(
  productIds: SQL,
  options: CategoryOptions,
): Reading<(productId: string) => CategoryParts[]> {
  const rows = statement<ProductCategories>(productCategories(productIds, options))
  return made(gathered({ rows }), (read) => categoriesOf(read.rows[0] ?? noCategories, options))
}

const noCategories: ProductCategories = { memberships: null, categories: null }

/** An offer's row and the categories of its product. */
export type OfferWithCategories = OfferRowParts & ProductCategories

/** Selects an offer with the categories of its product. */
export function offerStatement(
  { table }: OfferKind,
  id: string,
  options: CategoryOptions,
): Statement<OfferWithCategories> {
  const one = sql`from ${sql.identifier(table)} where tenant_id = current_tenant() and id = ${id}::uuid`
  return statement<OfferWithCategories>(sql`
    select offer.*, of_product.memberships, of_product.categories from (select ${shownColumns} ${one}) as offer
     cross join (${productCategories(sql`select product_id ${one}`, options)}) as of_product`)
}

/** What a write has to know of the variant that is offered. */
export type Target = {
  readonly id: string
  readonly productId: string
  readonly status: string
  readonly productArchived: boolean
  /** How many offers of the kind it has that are not archived. */
  readonly offers: number
}

/** Selects variants by a subquery of their ids. */
export function targetStatement(kind: OfferKind, variantIds: SQL): Statement<Target> {
  return statement<Target>(sql`
    select id, product_id as "productId", status, product_archived as "productArchived",
           ${countColumn(kind)} as offers
      from variants where tenant_id = current_tenant() and id in (${variantIds})`)
}

/** An offer as it was selected. */
export function offerOf(
  { memberships, categories, ...row }: OfferWithCategories,
  options: CategoryOptions,
): OfferParts {
  return { ...row, categories: categoriesOf({ memberships, categories }, options)(row.productId) }
}

/** Reads one offer and its variant; null when there is none. */
export function offerReading(
  kind: OfferKind,
  id: string,
  options: CategoryOptions,
): Reading<{ offer: OfferParts; target: Target } | null> {
  const variant = sql`select variant_id from ${sql.identifier(kind.table)} where tenant_id = current_tenant() and id = ${id}::uuid`
  const readings = gathered({
    offers: offerStatement(kind, id, options),
    targets: targetStatement(kind, variant),
  })
  return made(readings, ({ offers: [found], targets: [target] }) =>
    found && target ? { offer: offerOf(found, options), target } : null,
  )
}
