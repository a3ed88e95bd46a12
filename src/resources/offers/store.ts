/** Reading offers and what they show of others: a fixed number of statements, however many offers there are. */

import { type SQL, sql } from 'drizzle-orm'
import type { Locale } from '../../core/locale.ts'
import { type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { type CategoryParts, categoriesReading } from '../categories/index.ts'
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

type Membership = { readonly productId: string; readonly categoryId: string }

/** Reads the categories of products, by product and in their order; `productIds` is a subquery. */
export function productCategoriesReading(
  productIds: SQL,
  options: CategoryOptions,
): Reading<(productId: string) => CategoryParts[]> {
  const mine = sql`from product_categories where tenant_id = current_tenant() and product_id in (${productIds})`
  const readings = gathered({
    memberships: statement<Membership>(
      sql`select product_id as "productId", category_id as "categoryId" ${mine} order by product_id, position`,
    ),
    categories: categoriesReading(sql`select category_id ${mine}`, { ...options, embedded: true }),
  })
  return made(readings, ({ memberships, categories }) => {
    const byProduct = Map.groupBy(memberships, (each) => each.productId)
    return (productId) =>
      (byProduct.get(productId) ?? []).flatMap(({ categoryId }) => categories.get(categoryId) ?? [])
  })
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

/** Reads one offer and its variant; null when there is none. */
export function offerReading(
  kind: OfferKind,
  id: string,
  options: CategoryOptions,
): Reading<{ offer: OfferParts; target: Target } | null> {
  const one = sql`from ${sql.identifier(kind.table)} where tenant_id = current_tenant() and id = ${id}::uuid`
  const readings = gathered({
    offers: statement<OfferRowParts>(sql`select ${shownColumns} ${one}`),
    targets: targetStatement(kind, sql`select variant_id ${one}`),
    categoriesOf: productCategoriesReading(sql`select product_id ${one}`, options),
  })
  return made(readings, ({ offers: [row], targets: [target], categoriesOf }) =>
    row && target ? { offer: { ...row, categories: categoriesOf(row.productId) }, target } : null,
  )
}
