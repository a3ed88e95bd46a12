import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { levelsOf } from '../../core/expand.ts'
import { instantOf } from '../../core/instant.ts'
import { idIn, isId } from '../../core/iri.ts'
import { byteLimits } from '../../core/limits.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Locale } from '../../core/locale.ts'
import type { Answer, Context, Input, Query } from '../../core/operation.ts'
import { includesArchived } from '../../core/paging.ts'
import { violation } from '../../core/violations.ts'
import { instantText, rowBytes } from '../../db/columns.ts'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import type { CategoryParts } from '../categories/document.ts'
import { expandParameter } from '../categories/schema.ts'
import { asText, parseCategories, storedCategories } from '../products/stored.ts'
import { listing, listParameters, newestFirst, source } from '../shared/list.ts'
import { type TakenName, takenNamesStatement } from '../shared/names.ts'
import { readItem } from '../shared/ordinary-operations.ts'
import { currencyCode, externalId, invalidIri, referenceParameter } from '../shared/properties.ts'
import { variantCollection } from '../variants/schema.ts'
import { type OfferParts, offerDocument, offerRow, ownerArchived, stateCondition } from './document.ts'
import { countColumn, type OfferKind } from './kind.ts'
import { offerStates, offerStatuses } from './properties.ts'

/** Reads offers with the categories of their products, in a fixed number of statements. */

/** The columns of an offer's row that its document needs, from either table of offers. */
export const documentColumns = sql`id, product_id as "productId", variant_id as "variantId", document, status,
  ${instantText(sql`valid_from`)} as "validFrom", ${instantText(sql`valid_until`)} as "validUntil", version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

type CategoryOptions = {
  readonly locale: Locale
  /** The depth to which sub-categories are embedded; 0 returns IRIs. */
  readonly expand: number
  /** Whether to read all translations, as writes store them. */
  readonly translations?: boolean
}

type ProductCategories = RowOf<typeof productCategoriesRow>
const productCategoriesRow = {
  /** Pairs of product id and category id. */
  memberships: z
    .array(z.tuple([z.string(), z.string()]))
    .readonly()
    .nullable(),
  categories: storedCategories.nullable(),
}

/** Selects the categories of products in one row; `productIds` is a subquery. `categoriesOf` decodes it. */
function productCategories(
  productIds: SQL,
  { locale, expand, translations = !locale.stored }: CategoryOptions,
): SQL {
  return sql`
    with members as materialized (
      select product_id, category_id, position from product_categories
       where tenant_id = current_tenant() and product_id = any(array(${productIds})))
    select (select json_agg(json_build_array(product_id, category_id) order by product_id, position) from members) as memberships,
           read_embedded_categories(array(select category_id from members), ${expand}::int, ${byteLimits.children.list}::int,
             ${translations}::boolean, ${byteLimits.readCategories}::bigint) as categories`
}

/** Returns a function from a product id to its categories, in their order. */
function categoriesOf(
  { memberships, categories }: ProductCategories,
  { expand }: CategoryOptions,
): (productId: string) => CategoryParts[] {
  const byProduct = Map.groupBy(memberships ?? [], ([productId]) => productId)
  const categoriesById = parseCategories(categories ?? {}, expand, asText)
  return (productId) =>
    (byProduct.get(productId) ?? []).flatMap(([, categoryId]) => categoriesById.get(categoryId) ?? [])
}

/** Reads the categories of products; `productIds` is a subquery. */
export function productCategoriesQuery(
  productIds: SQL,
  options: CategoryOptions,
): DatabaseQuery<(productId: string) => CategoryParts[]> {
  const rows = statement(productCategories(productIds, options), productCategoriesRow)
  return mapQuery(combineQueries({ rows }), (result) => categoriesOf(result.rows[0] ?? noCategories, options))
}

const noCategories: ProductCategories = { memberships: null, categories: null }

/** An offer's row and the categories of its product. */
export type OfferWithCategories = RowOf<typeof offerWithCategoriesRow>
const offerWithCategoriesRow = { ...offerRow, ownerArchived: z.boolean(), ...productCategoriesRow }
const readColumns = sql`${documentColumns}, ${ownerArchived} as "ownerArchived"`

function offerStatement(
  { name }: OfferKind,
  id: string | SQL,
  options: CategoryOptions,
): Statement<OfferWithCategories> {
  const fromOffer = sql`from ${sql.identifier(name)} where tenant_id = current_tenant() and id = ${id}::uuid`
  return statement(offerWithCategoriesRow)`
    select offer.*, of_product.memberships, of_product.categories from (select ${readColumns} ${fromOffer}) as offer
     cross join (${productCategories(sql`select product_id ${fromOffer}`, options)}) as of_product`
}

/** The columns of a variant that a write of its offers needs. */
export type Target = RowOf<typeof targetRow>
const targetRow = {
  ...columnsOf(z.string(), 'id', 'productId', 'status'),
  productArchived: z.boolean(),
  /** The variant's number of offers of this kind, without archived ones. */
  offers: z.number(),
}

/** Selects variants by a subquery of their ids. */
export function targetStatement(kind: OfferKind, variantIds: SQL): Statement<Target> {
  return statement(targetRow)`
    select id, product_id as "productId", status, product_archived as "productArchived",
           ${countColumn(kind)} as offers
      from variants where tenant_id = current_tenant() and id in (${variantIds})`
}

function offerPartsOf(
  { memberships, categories, ...row }: OfferWithCategories,
  options: CategoryOptions,
): OfferParts {
  return { ...row, categories: categoriesOf({ memberships, categories }, options)(row.productId) }
}

/** Reads one offer and its variant. The result is null if the offer does not exist. */
export function offerQuery(
  kind: OfferKind,
  id: string | SQL,
  options: CategoryOptions,
): DatabaseQuery<{ offer: OfferParts; target: Target } | null> {
  const variant = sql`select variant_id from ${sql.identifier(kind.name)} where tenant_id = current_tenant() and id = ${id}::uuid`
  const queries = combineQueries({
    offers: offerStatement(kind, id, options),
    targets: targetStatement(kind, variant),
  })
  return mapQuery(queries, ({ offers: [row], targets: [target] }) =>
    row && target ? { offer: offerPartsOf(row, options), target } : null,
  )
}

const variantReference = z.string().transform((text, check) => {
  const id = isId(text) ? text : idIn(text, variantCollection)
  if (id === null) check.addIssue({ code: 'custom', ...violation(invalidIri(variantCollection)) })
  return id ?? ''
})

function listOf({ table, equal, references = [] }: OfferKind) {
  return listing(table, {
    orders: ['createdAt', 'updatedAt', 'id'],
    equal: ['currency', 'status', 'externalId', ...equal],
    references: ['variant', 'product', ...references],
    dates: ['validFrom', 'validUntil'],
  })
}

type Parameters = Query & { readonly expand: typeof expandParameter }

/** The query parameters of a list of offers. */
export function offerListParameters(kind: OfferKind): Parameters {
  return listParameters(listOf(kind), {
    expand: expandParameter,
    variant: variantReference.optional(),
    product: referenceParameter('/api/products').optional(),
    currency: currencyCode.optional(),
    status: z.enum(offerStatuses).optional(),
    state: z.enum(offerStates).optional(),
    externalId: externalId.optional(),
    ...kind.filters,
  })
}

/** Lists offers: newest first, or by ascending `updatedAt` when the client follows updates. */
export function listOffers(kind: OfferKind) {
  const list = listOf(kind)
  return async function listOffers(
    context: Context,
    { query }: Input<{ query: Parameters }>,
  ): Promise<Answer> {
    const { locale } = context
    const now = instantOf(context.now)
    const options = { locale, expand: levelsOf(query.expand) }
    const page = list.page(context, query, newestFirst)
    // Clients that follow updates must see removals. Other clients get archived offers only on request.
    const hidesArchived = query.status === undefined && !includesArchived(query)
    const mayBeArchived = !hidesArchived && (query.status === undefined || query.status === 'ARCHIVED')
    const state = offerStates.find((name) => name === query.state)
    const country = typeof query.country === 'string' ? query.country : null
    const alternatives = country === null || mayBeArchived ? undefined : kind.inCountry?.(country)
    const filters = [
      ...list.conditions(query),
      ...(state ? [stateCondition(state, now)] : []),
      ...(country !== null && mayBeArchived ? [sql`${country} = any(countries)`] : []),
    ]
    const visible = hidesArchived ? [sql`status <> 'ARCHIVED'`] : []
    const { from, totalName } = source(kind.table, filters, { visible })
    const { page: result } = await context.db.read({
      page: listQuery(page, {
        row: offerWithCategoriesRow,
        ...(alternatives
          ? {
              expressions: alternatives.expressions,
              from: alternatives.conditions.map((condition) => sql`${from} and ${condition}`),
              totalName: null,
            }
          : { from, totalName }),
        columns: readColumns,
        bytes: rowBytes(),
        // The first row of the page contains the categories of all rows.
        outputRows: sql`select page.*, of_products.memberships, of_products.categories from page
          left join (${productCategories(sql`select "productId" from page`, options)}) as of_products on page.nth = 1`,
      }),
    })
    const [first] = result.read
    const categories = first && categoriesOf(first, options)
    return {
      kind: 'collection',
      members: result.rows.map((offer) =>
        offerDocument({ ...offer, categories: categories?.(offer.productId) ?? [] }, kind.shape, locale, now),
      ),
      ...result.paging,
      sequence: result.sequence,
    }
  }
}

/** Reads one offer, also an archived one. */
export function getOffer(kind: OfferKind) {
  type OfferInput = Input<{ params: 'id'; query: { expand: typeof expandParameter } }>
  return function getOffer(context: Context, { params: { id }, query }: OfferInput): Promise<Answer> {
    const { locale, now } = context
    const options = { locale, expand: levelsOf(query.expand) }
    return readItem(
      context,
      offerStatement(kind, id, options),
      (row) => offerDocument(offerPartsOf(row, options), kind.shape, locale, instantOf(now)),
      () => kind.problems.not_found({ id }),
    )
  }
}

/** Selects those of the external ids that offers of a table already have. */
export function takenExternalIds(
  table: AnyPgTable,
  externalIds: readonly string[],
): DatabaseQuery<readonly TakenName[]> {
  if (externalIds.length === 0) return mapQuery(noQuery, () => [])
  const rows = takenNamesStatement(table, { externalId: externalIds })
  return mapQuery(combineQueries({ rows }), (result) => result.rows)
}
