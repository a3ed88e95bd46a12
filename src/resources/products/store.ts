/**
 * Reading products with everything that they embed: a fixed number of statements on one snapshot, however many products,
 * options or variants there are.
 */

import { type SQL, sql } from 'drizzle-orm'
import { budgets } from '../../core/budgets.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import { type Outline, reads } from '../../core/outline.ts'
import { pageRow } from '../../core/page.ts'
import { type Statement, statement } from '../../db/client.ts'
import { documentColumn, instantText, rowBytes, textsColumn } from '../../db/columns.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { categoriesReading } from '../categories/index.ts'
import { metaobjectsColumn, metaobjectsIn } from '../content/custom-fields/index.ts'
import { productCollectionsStatement } from './collections/index.ts'
import type { ProductOutline, ProductParts, ProductRow } from './document.ts'
import { type OptionParts, productOptions } from './options/index.ts'
import type { Room } from './room.ts'
import { products } from './table.ts'
import { optionValues, type ValueParts } from './values/index.ts'
import type { VariantParts } from './variants/index.ts'

/** The columns that `commit()` stamps. */
const stamped = (table: {
  createdAt: SQL | typeof products.createdAt
  updatedAt: SQL | typeof products.updatedAt
}) =>
  sql`${instantText(sql`${table.createdAt}`)} as "createdAt", ${instantText(sql`${table.updatedAt}`)} as "updatedAt"`

/** A product's row on a page of a list. */
export type ProductPageRow = ProductRow & { variantsTotal: number }

/** The columns of a product's row, and how many active variants it has (positions are gapless, so the last one tells). */
export function productColumns(withTranslations: boolean, outline: Outline = null): SQL {
  return sql`${products.id}, ${documentColumn(products.document, outline)}, ${withTranslations ? textsColumn(products.translations, outline) : sql`null::jsonb as translations`},
    ${products.status}, ${metaobjectsIn(outline)}, ${products.version}, ${stamped(products)},
    coalesce((select max(v.position) + 1 from variants v where v.tenant_id = ${products.tenantId} and v.product_id = ${products.id}), 0) as "variantsTotal"`
}

/** Reads options of products; translations only where the locale is not the stored one. Positions are gapless, so the last value's tells how many there are. */
function optionsStatement(
  productIds: SQL,
  withTranslations: boolean,
): Statement<Omit<OptionParts, 'values'>> {
  return statement(sql`
    select id, product_id as "productId", document, title, ${withTranslations ? sql`translations` : sql`null::jsonb as translations`},
           position, version, ${stamped({ createdAt: sql`created_at`, updatedAt: sql`updated_at` })},
           coalesce((select max(v.position) + 1 from option_values v
                      where v.tenant_id = product_options.tenant_id and v.option_id = product_options.id), 0) as "valuesTotal"
      from ${productOptions} where tenant_id = current_tenant() and product_id in (${productIds}) order by product_id, position`)
}

/**
 * Reads values of the options of products, likewise: all of those of an item; in a list all where they take no more room than
 * there is, else those that the embedded variants have.
 */
function valuesStatement(
  productIds: SQL,
  withTranslations: boolean,
  room: Room | null = null,
): Statement<ValueParts> {
  const size = withTranslations
    ? sql`octet_length(document) + octet_length(translations::text)`
    : sql`octet_length(document)`
  const shown = room
    ? sql`and (product_id in (select product_id from option_values where tenant_id = current_tenant() and product_id in (${productIds})
                               group by product_id having sum(${size}) <= ${room.values})
            or id in (select unnest(v.option_value_ids) ${firstVariants(productIds, sql`option_value_ids`, room)}))`
    : sql``
  return statement(sql`
    select id, option_id as "optionId", document, title, ${withTranslations ? sql`translations` : sql`null::jsonb as translations`},
           position, version, ${stamped({ createdAt: sql`created_at`, updatedAt: sql`updated_at` })}
      from ${optionValues} where tenant_id = current_tenant() and product_id in (${productIds}) ${shown} order by option_id, position`)
}

/** The columns of a variant in the shape of its parts. */
export const variantColumns = outlinedVariantColumns(null)

/** The same columns where documents are reduced to an outline. */
export function outlinedVariantColumns(outline: Outline): SQL {
  return sql`id, product_id as "productId", ${documentColumn(sql`document`, outline)}, status, to_json(option_value_ids) as "optionValueIds", position, ${metaobjectsIn(outline)}, version,
  ${stamped({ createdAt: sql`created_at`, updatedAt: sql`updated_at` })}`
}

/** Bytes that an offer takes where prices are asked for: as it is read, and as an answer may tell of it. */
const offerBytes = 200

/** What is read for a variant, in bytes. */
export function variantBytes({ priced }: Pick<Room, 'priced'>): SQL {
  return priced
    ? sql`octet_length(document) + sale_offer_count * ${offerBytes}::int`
    : sql`octet_length(document)`
}

/**
 * The variants that products embed, with some columns of theirs and their `before`: the first of each by number, as far as less
 * than what there is room for is stored `before` them. So the first of all always is one of them.
 */
function firstVariants(productIds: SQL, columns: SQL, room: Room): SQL {
  const { embedded, variants: bytes } = room
  return sql`from (${productIds}) as p(id) cross join lateral (
      select ${columns}, coalesce(sum(${variantBytes(room)}) over (order by position rows between unbounded preceding and 1 preceding), 0) as before
        from variants where tenant_id = current_tenant() and product_id = p.id and position < ${embedded} order by position
    ) v where v.before < ${bytes}::bigint`
}

/**
 * What is read for a product on a page, in bytes as they are stored: its own document, its options and what there is room for of
 * their values, of its variants and of what its custom fields refer to.
 */
export function pageBytes(withTranslations: boolean, room: Room, outline: Outline): SQL {
  const size = withTranslations ? rowBytes(sql`translations`) : rowBytes()
  const metaobjects = reads(outline, 'fields')
    ? sql`case when metaobject_ids <> '{}' then ${budgets.embedded}::int else 0 end`
    : sql`0`
  if (outline !== null) return sql`(${size} + ${metaobjects})`
  const own = (table: string) =>
    sql`from ${sql.identifier(table)} where tenant_id = current_tenant() and product_id = ${pageRow}.id`
  return sql`${budgets.read / budgets.readProducts}::float8 * (${size} + ${metaobjects}
    + coalesce((select sum(${size}) ${own('product_options')}), 0)
    + least(coalesce((select sum(${size}) ${own('option_values')}), 0), ${room.values + room.embedded * valueBytes}::int)
    + least(coalesce((select sum(${variantBytes(room)}) ${own('variants')} and position < ${room.embedded}), 0),
            ${room.variants + budgets.rowDocument}::int))`
}

/** About what the values of a variant take where those of all cannot be shown. */
const valueBytes = 4000

/** The ids of the variants that products embed: a subquery. */
export function shownVariants(productIds: SQL, room: Room): SQL {
  return sql`select v.id ${firstVariants(productIds, sql`id`, room)}`
}

function variantsStatement(productIds: SQL, room: Room): Statement<VariantParts> {
  return statement(sql`
    select v.id, v."productId", v.document, v.status, v."optionValueIds", v.position, v.metaobjects, v.version, v."createdAt", v."updatedAt"
      ${firstVariants(productIds, variantColumns, room)}`)
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
  readonly room: Room
  /** All translations, for a write that has to merge them. */
  readonly translations?: boolean
}

/** Reads what products embed; `productIds` is a subquery or list. */
export function embeddedReading(
  productIds: SQL,
  options: ReadOptions,
  outline: Outline = null,
): Reading<(productId: string) => Embedded> {
  const translations = options.translations || !options.locale.stored
  const owners = ownersIn(outline, productIds)
  const rows = gathered({
    options: optionsStatement(owners, translations),
    values: valuesStatement(owners, translations, options.room.inList ? options.room : null),
    variants: variantsStatement(owners, options.room),
    belonging: belongingReading(
      reads(outline, 'categories', 'collections') ? productIds : noProducts,
      options,
    ),
  })
  return made(rows, ({ options, values, variants, belonging }) => {
    const valuesOf = Map.groupBy(values, (each) => each.optionId)
    const optionsOf = Map.groupBy(options, (each) => each.productId)
    const variantsOf = Map.groupBy(variants, (each) => each.productId)
    return (productId) => ({
      options: (optionsOf.get(productId) ?? []).map((each) => ({
        ...each,
        values: valuesOf.get(each.id) ?? [],
      })),
      variants: variantsOf.get(productId) ?? [],
      ...belonging(productId),
    })
  })
}

type Embedded = Pick<ProductParts, 'options' | 'variants' | 'categories' | 'collections'>

const noProducts = sql`select null::uuid as id where false`

/** Those of some products whose options and variants are read for an outline: what they own is read with all of them. */
export function ownersIn(outline: Outline, productIds: SQL): SQL {
  return outline === null ? productIds : noProducts
}

type Belonging = Pick<ProductOutline, 'categories' | 'collections'>

/** Reads the collections and categories that products belong to. */
function belongingReading(
  productIds: SQL,
  options: Pick<ReadOptions, 'locale' | 'expand' | 'translations'>,
): Reading<(productId: string) => Belonging> {
  const rows = gathered({
    collections: productCollectionsStatement(productIds),
    memberships: membershipsStatement(productIds),
    categories: categoriesReading(categoriesOf(productIds), { ...options, embedded: true }),
  })
  return made(rows, ({ collections, memberships, categories }) => {
    const collectionsOf = Map.groupBy(collections, (each) => each.productId)
    const membershipsOf = Map.groupBy(memberships, (each) => each.productId)
    return (productId) => ({
      categories: (membershipsOf.get(productId) ?? []).flatMap(
        ({ categoryId }) => categories.get(categoryId) ?? [],
      ),
      collections: (collectionsOf.get(productId) ?? []).map((each) => each.collectionId),
    })
  })
}

// The locale is of no account where all translations are read.
const outlined = { locale: localeOf(['en-US'], null), expand: 0, translations: true }

/** Reads products without what they own; `ids` is a subquery. */
export function outlinesReading(ids: SQL): Reading<ProductOutline[]> {
  const rows = gathered({
    products:
      statement<ProductRow>(sql`select ${products.id}, ${products.document}, ${products.translations}, ${products.status},
        ${metaobjectsColumn}, ${products.version}, ${stamped(products)} from ${products}
        where tenant_id = current_tenant() and id in (${ids}) order by id`),
    belonging: belongingReading(ids, outlined),
  })
  return made(rows, ({ products, belonging }) => products.map((row) => ({ ...row, ...belonging(row.id) })))
}

/**
 * Reads one product with what it embeds; null when there is none. `id` is an expression: a parameter, or a subquery that
 * finds the product of an option, a value or a variant.
 */
export function productReading(id: SQL, options: ReadOptions): Reading<ProductParts | null> {
  const rows = gathered({
    found:
      statement<ProductPageRow>(sql`select ${productColumns(options.translations || !options.locale.stored)} from ${products}
        where tenant_id = current_tenant() and id = ${id}`),
    embedded: embeddedReading(sql`select ${id} as id`, options),
  })
  return made(rows, ({ found: [row], embedded }) => (row ? { ...row, ...embedded(row.id) } : null))
}

/** An id as an SQL expression. */
export const idOf = (id: string) => sql`${id}::uuid`
