/**
 * Reading products with everything that they embed: a fixed number of statements on one snapshot, however many products,
 * options or variants there are.
 */

import { type SQL, sql } from 'drizzle-orm'
import { type Locale, localeOf } from '../../core/locale.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { type SequenceRow, sequenceStatement } from '../../db/sequence.ts'
import { assembleCategories, categoryStatements } from '../categories/index.ts'
import { productCollectionsStatement } from '../collections/index.ts'
import { metaobjectsColumn } from '../custom-fields/index.ts'
import { optionValues, type ValueParts } from '../option-values/index.ts'
import { type OptionParts, productOptions } from '../product-options/index.ts'
import { type VariantParts, variants } from '../variants/index.ts'
import type { ProductOutline, ProductParts, ProductRow } from './document.ts'
import { products } from './table.ts'

/** How many variants a product embeds: on an item, in a list. */
export const embeddedOnItem = 250
export const embeddedInList = 50

/** The columns that `commit()` stamps. */
const stamped = (table: {
  createdAt: SQL | typeof products.createdAt
  updatedAt: SQL | typeof products.updatedAt
}) =>
  sql`${instantText(sql`${table.createdAt}`)} as "createdAt", ${instantText(sql`${table.updatedAt}`)} as "updatedAt"`

/** A product's row on a page of a list. */
export type ProductPageRow = ProductRow & { keys: string[]; variantsTotal: number }

/** The columns of a product's row, and how many active variants it has (positions are gapless, so the last one tells). */
export function productColumns(withTranslations: boolean): SQL {
  return sql`${products.id}, ${products.document}, ${withTranslations ? sql`${products.translations}` : sql`null::jsonb`} as translations,
    ${products.status}, ${metaobjectsColumn}, ${products.version}, ${stamped(products)},
    coalesce((select max(v.position) + 1 from variants v where v.tenant_id = ${products.tenantId} and v.product_id = ${products.id}), 0) as "variantsTotal"`
}

/** Reads options of products; translations only where the locale is not the stored one. */
export function optionsStatement(
  productIds: SQL,
  withTranslations: boolean,
): Statement<Omit<OptionParts, 'values'>> {
  return statement(sql`
    select id, product_id as "productId", document, title, ${withTranslations ? sql`translations` : sql`null::jsonb as translations`},
           position, version, ${stamped({ createdAt: sql`created_at`, updatedAt: sql`updated_at` })}
      from ${productOptions} where tenant_id = current_tenant() and product_id in (${productIds}) order by product_id, position`)
}

/** Reads values of the options of products, likewise. */
export function valuesStatement(productIds: SQL, withTranslations: boolean): Statement<ValueParts> {
  return statement(sql`
    select id, option_id as "optionId", document, title, ${withTranslations ? sql`translations` : sql`null::jsonb as translations`},
           position, version, ${stamped({ createdAt: sql`created_at`, updatedAt: sql`updated_at` })}
      from ${optionValues} where tenant_id = current_tenant() and product_id in (${productIds}) order by option_id, position`)
}

/** The columns of a variant in the shape of its parts. */
export const variantColumns = sql`id, product_id as "productId", document, status, to_json(option_value_ids) as "optionValueIds", position, ${metaobjectsColumn}, version,
  ${stamped({ createdAt: sql`created_at`, updatedAt: sql`updated_at` })}`

function variantsStatement(productIds: SQL, each: number): Statement<VariantParts> {
  return statement(sql`
    select v.* from (${productIds}) as p(id) cross join lateral (
      select ${variantColumns} from ${variants}
       where tenant_id = current_tenant() and product_id = p.id and position < ${each} order by position
    ) v`)
}

function membershipsStatement(productIds: SQL): Statement<{ productId: string; categoryId: string }> {
  return statement(sql`select product_id as "productId", category_id as "categoryId" from product_categories
    where tenant_id = current_tenant() and product_id in (${productIds}) order by product_id, position`)
}

const categoriesOf = (productIds: SQL) =>
  sql`select category_id from product_categories where tenant_id = current_tenant() and product_id in (${productIds})`

export type ReadOptions = {
  readonly locale: Locale
  /** Embedded depth of sub-categories, 0 for IRIs. */
  readonly expand: number
  /** How many variants each product embeds. */
  readonly variants: number
  /** All translations, for a write that has to merge them. */
  readonly translations?: boolean
}

/** The statements that read what products embed; `productIds` is a subquery or list. Their rows go to `embedded`. */
export function embeddedStatements(productIds: SQL, options: ReadOptions) {
  const translations = options.translations || !options.locale.stored
  return [
    optionsStatement(productIds, translations),
    valuesStatement(productIds, translations),
    variantsStatement(productIds, options.variants),
    ...belongingStatements(productIds, options),
  ]
}

/** The statements that read the collections and categories that products belong to. Their rows go to `belongings`. */
function belongingStatements(
  productIds: SQL,
  options: Pick<ReadOptions, 'locale' | 'expand' | 'translations'>,
): Statement[] {
  return [
    productCollectionsStatement(productIds),
    membershipsStatement(productIds),
    ...categoryStatements(categoriesOf(productIds), options),
  ]
}

function belongings(
  rows: readonly unknown[][],
  options: Pick<ReadOptions, 'locale' | 'expand'>,
): (productId: string) => Pick<ProductOutline, 'categories' | 'collections'> {
  const [collectionRows, memberships, ...categoryRows] = rows
  const categories = assembleCategories(categoryRows, options)
  type InCollection = { productId: string; collectionId: string }
  type InCategory = { productId: string; categoryId: string }
  const collectionsOf = Map.groupBy(collectionRows as InCollection[], (each) => each.productId)
  const categoriesIn = Map.groupBy(memberships as InCategory[], (each) => each.productId)
  return (productId) => ({
    categories: (categoriesIn.get(productId) ?? []).flatMap(
      ({ categoryId }) => categories.get(categoryId) ?? [],
    ),
    collections: (collectionsOf.get(productId) ?? []).map((each) => each.collectionId),
  })
}

type Embedded = Pick<ProductParts, 'options' | 'variants' | 'categories' | 'collections'>

/** Sorts the rows of `embeddedStatements` by product. */
export function embedded(rows: readonly unknown[][], options: ReadOptions): (productId: string) => Embedded {
  const [optionRows, valueRows, variantRows, ...belonging] = rows
  const values = Map.groupBy(valueRows as ValueParts[], (each) => each.optionId)
  const belongingOf = belongings(belonging, options)
  const byProduct = {
    options: Map.groupBy(optionRows as Omit<OptionParts, 'values'>[], (each) => each.productId),
    variants: Map.groupBy(variantRows as VariantParts[], (each) => each.productId),
  }
  return (productId) => ({
    options: (byProduct.options.get(productId) ?? []).map((each) => ({
      ...each,
      values: values.get(each.id) ?? [],
    })),
    variants: byProduct.variants.get(productId) ?? [],
    ...belongingOf(productId),
  })
}

// The locale is of no account where all translations are read.
const outlined = { locale: localeOf(['en-US'], null), expand: 0, translations: true }

/** The statements that read products without what they own; `ids` is a subquery. Their rows go to `outlinesOf`. */
export function outlineStatements(ids: SQL): Statement[] {
  return [
    statement<ProductRow>(sql`select ${products.id}, ${products.document}, ${products.translations}, ${products.status},
      ${metaobjectsColumn}, ${products.version}, ${stamped(products)} from ${products}
      where tenant_id = current_tenant() and id in (${ids}) order by id`),
    ...belongingStatements(ids, outlined),
  ]
}

/** What `outlineStatements` have read. */
export function outlinesOf([rows, ...belonging]: readonly unknown[][]): ProductOutline[] {
  const belongingOf = belongings(belonging, outlined)
  return (rows as ProductRow[]).map((row) => ({ ...row, ...belongingOf(row.id) }))
}

/**
 * Reads one product with what it embeds, and further statements on the same snapshot; null when there is none. `id` is an
 * expression: a parameter, or a subquery that finds the product of an option, a value or a variant.
 */
export async function readProduct(
  read: Session['read'],
  id: SQL,
  options: ReadOptions,
  ...more: readonly Statement[]
): Promise<{ product: ProductParts | null; sequence: number; more: unknown[][] }> {
  const statements = embeddedStatements(sql`select ${id} as id`, options)
  const [clock, found, ...rest] = (await read(
    sequenceStatement,
    statement(sql`select ${productColumns(options.translations || !options.locale.stored)} from ${products}
      where tenant_id = current_tenant() and id = ${id}`),
    ...statements,
    ...more,
  )) as [SequenceRow[], ProductPageRow[], ...unknown[][]]
  const row = found[0]
  const sequence = clock[0]?.sequence ?? 0
  const product = row ? { ...row, ...embedded(rest, options)(row.id) } : null
  return { product, sequence, more: rest.slice(statements.length) }
}

/** An id as an SQL expression. */
export const idOf = (id: string) => sql`${id}::uuid`
