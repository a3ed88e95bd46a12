/** Reading offers and what they show of others: a fixed number of statements, however many offers there are. */

import { type SQL, sql } from 'drizzle-orm'
import type { Locale } from '../../core/locale.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { texts } from '../../db/rows.ts'
import { type SequenceRow, sequenceStatement } from '../../db/sequence.ts'
import { assembleCategories, type CategoryParts, categoryStatements } from '../categories/index.ts'
import type { OfferParts, OfferRowParts } from './document.ts'
import { countColumn } from './names.ts'
import type { Offering } from './offering.ts'

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

/** The statements that read the categories of products; `productIds` is a subquery. Their rows go to `categoriesByProduct`. */
export function productCategoryStatements(productIds: SQL, options: CategoryOptions): Statement[] {
  const mine = sql`from product_categories where tenant_id = current_tenant() and product_id in (${productIds})`
  return [
    statement(
      sql`select product_id as "productId", category_id as "categoryId" ${mine} order by product_id, position`,
    ),
    ...categoryStatements(sql`select category_id ${mine}`, { ...options, embedded: true }),
  ]
}

/** Sorts the rows of `productCategoryStatements` by product. */
export function categoriesByProduct(
  rows: readonly unknown[][],
  options: CategoryOptions,
): (productId: string) => CategoryParts[] {
  const [memberships = [], ...categoryRows] = rows
  const categories = assembleCategories(categoryRows, options)
  const byProduct = Map.groupBy(
    memberships as { productId: string; categoryId: string }[],
    (each) => each.productId,
  )
  return (productId) =>
    (byProduct.get(productId) ?? []).flatMap(({ categoryId }) => categories.get(categoryId) ?? [])
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
export function targetStatement(offering: Offering, variantIds: SQL): Statement<Target> {
  return statement<Target>(sql`
    select id, product_id as "productId", status, product_archived as "productArchived",
           ${countColumn(offering)} as offers
      from variants where tenant_id = current_tenant() and id in (${variantIds})`)
}

/** Which of some external ids belong to offers that are not archived. */
export function takenStatement(
  { table }: Offering,
  externalIds: readonly string[],
): Statement<{ externalId: string }> {
  return statement(sql`select external_id as "externalId" from ${sql.identifier(table)}
    where tenant_id = current_tenant() and status <> 'ARCHIVED' and external_id = any(${texts(externalIds)})`)
}

/** Reads one offer and its variant; null when there is none. */
export async function readOffer(
  offering: Offering,
  read: Session['read'],
  id: string,
  options: CategoryOptions,
): Promise<{ offer: OfferParts; target: Target; sequence: number } | null> {
  const one = sql`from ${sql.identifier(offering.table)} where tenant_id = current_tenant() and id = ${id}::uuid`
  const [clock, found, targets, ...rest] = (await read(
    sequenceStatement,
    statement(sql`select ${shownColumns} ${one}`),
    targetStatement(offering, sql`select variant_id ${one}`),
    ...productCategoryStatements(sql`select product_id ${one}`, options),
  )) as [SequenceRow[], OfferRowParts[], Target[], ...unknown[][]]
  const [row] = found
  const [target] = targets
  if (!row || !target) return null
  const categories = categoriesByProduct(rest, options)(row.productId)
  return { offer: { ...row, categories }, target, sequence: clock[0]?.sequence ?? 0 }
}
