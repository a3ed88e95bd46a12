/** Upserts of whole products: one plan for a product, its options, values, variants and their sale offers. */

import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { levelsOf } from '../../core/expand.ts'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { mapPlan, type Plan } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { patchTexts, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch } from '../../core/write.ts'
import { instantText } from '../../db/columns.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import { textArray } from '../../db/sql.ts'
import { deleteRow, reorder, replaceLinks, save } from '../../db/write-steps.ts'
import { collectionsInput, requireManualScope } from '../collections/membership.ts'
import { referencesQuery } from '../fields/custom-fields.ts'
import { type IndexPrices, noPrices, offerRow } from '../offers/document.ts'
import { limitConstraint } from '../offers/kind.ts'
import { documentColumns, takenExternalIds, targetStatement } from '../offers/read.ts'
import { saleOffers } from '../offers/table.ts'
import { countSteps } from '../offers/write.ts'
import { pricesQuery } from '../prices/price-index.ts'
import { optionRow, valueRow } from '../product-options/read.ts'
import { optionValue, productOption } from '../product-options/schema.ts'
import { saleOfferSteps } from '../sale-offers/inline.ts'
import { saleOfferKind } from '../sale-offers/kind.ts'
import { takenNameColumns } from '../shared/names.ts'
import {
  idByExternalId,
  type PlanQuery,
  restoring,
  upsert,
  upsertedAnswer,
} from '../shared/ordinary-operations.ts'
import { valueLinks, variantsStatement } from '../variants/row.ts'
import { maximumVariants } from '../variants/schema.ts'
import { embeddedVariantsOnItem, itemLimits, type ProductParts } from './document.ts'
import { productProblems } from './problems.ts'
import { bumpProduct } from './row.ts'
import { decide } from './rules.ts'
import {
  maximumUpsertedRows,
  type product,
  productIri,
  product as shape,
  type upsertedProduct,
  type upsertParameters,
} from './schema.ts'
import { reindexSteps } from './search.ts'
import { optionValues, productOptions, products, variantOptionValues, variants } from './table.ts'
import { collected, decideRows, type RowsDecision, type StoredRows, termsOf } from './upsert-rows.ts'
import { type ChangePlan, changePlan, changeQueries, creationQuery, writtenProduct } from './write.ts'

type UpsertInput = Input<{
  params: 'externalId'
  query: typeof upsertParameters
  body: typeof upsertedProduct
  creates: typeof product
}>

/** Creates a product with all that it owns, or changes what differs. */
export async function upsertProduct(
  context: Context,
  { params: { externalId }, query, bodies: [body = {}], creation }: UpsertInput,
): Promise<Answer> {
  throwViolations(tooManyRows(body))
  const expand = levelsOf(query.expand)
  const outcome = await upsert<ProductParts>(
    context,
    'upsertProduct',
    changeQuery(context, idByExternalId(products, externalId), body, {
      expand,
      archivesMissing: query.missing === 'archive',
    }),
    () =>
      mapQuery(
        creationQuery(context, [{ id: uuidv7(), body: creation(), at: (path) => path }], expand),
        (plan) => (attempt) =>
          mapPlan(plan(attempt), ([created]) => {
            if (!created) throw new Error('A creation returned no product')
            return created
          }),
      ),
  )
  return upsertedAnswer(writtenProduct(context, query, outcome), outcome, productIri(outcome.result.id))
}

type Body = BodyOf<typeof upsertedProduct>

function tooManyRows({ options, variants: sent }: Body): Violation[] {
  const values = (options ?? []).flatMap(({ patch }) => patch.values ?? [])
  const offers = (sent ?? []).flatMap(({ patch }) => patch.saleOffers ?? [])
  const count = (options ?? []).length + values.length + (sent ?? []).length + offers.length
  if (count <= maximumUpsertedRows) return []
  const help = `Options, values, variants and sale offers together are ${count} rows. Send the others in another request, or all of them in a bulk operation.`
  return [validationProblems.too_many_items.at('variants', { maximum: maximumUpsertedRows }, help)]
}

function changeQuery(
  context: Context,
  id: SQL,
  body: Body,
  { expand, archivesMissing }: { readonly expand: number; readonly archivesMissing: boolean },
): PlanQuery<Plan<ProductParts> | null> {
  const { options, variants: sent, ...patch } = body
  const stored = sql`(select ${id})`
  const isArchived = sql`exists (select from products where tenant_id = current_tenant() and id = ${stored} and status = 'ARCHIVED')`
  const queries = combineQueries({
    base: combineQueries(
      changeQueries(
        context,
        { id: stored, body: patch, expand },
        {
          mayRestore: patch.status === 'ARCHIVED' ? false : isArchived,
          ...(options || sent || archivesMissing ? { limits: allRows } : {}),
        },
      ),
    ),
    rows: rowsQuery(context, stored, body),
  })
  return mapQuery(queries, ({ base: { product: read, ...input }, rows }) => () => {
    if (!read) return null
    const { indexPrices, ...storedRows } = rows
    requireManualScope(context, collectionsInput(patch), read.collections, input.rules)
    requireIfMatch(context, read.version)
    const change = restoring(patch, read.status)
    const textUpdate = patchTexts(shape, change, context.locale)
    const faults: Violation[] = []
    const decision = collected({ faults }, [], () =>
      decide(context, { ...input, product: read }, change, textUpdate),
    )
    const after = decision?.after ?? read
    const decided = decideRows(context, { ...storedRows, product: after }, body, archivesMissing, faults)
    const result = {
      ...after,
      options: decided.options,
      variants: decided.variants.slice(0, embeddedVariantsOnItem),
      variantsTotal: decided.variants.length,
    }
    if (decided.changed.length === 0 && !decision) return { unchanged: result }
    const base = decision && changePlan(context, read, decision, input.rules, textUpdate)
    if (decided.changed.length === 0 && base) return { ...base, result }
    if (after.status === 'ARCHIVED') throw productProblems.archived()
    return withRows(context, base ?? planOfBump(read), decided, indexPrices, result)
  })
}

/** Reads all rows, because those that the body does not name decide about positions, names and option values. */
const allRows = { ...itemLimits, maxVariants: maximumVariants, variantBytes: Number.MAX_SAFE_INTEGER }

/** A plan that only changes the version of the product. */
function planOfBump(product: ProductParts): ChangePlan {
  const { guard, changed } = bumpProduct(product)
  return { guard: [guard], beforeClock: [], changed: [changed], totals: {}, result: product }
}

/** Adds the changes below a product to the plan of its own change. */
function withRows(
  { tenant }: Context,
  base: ChangePlan,
  decided: RowsDecision,
  indexPrices: IndexPrices,
  result: ProductParts,
): Plan<ProductParts> {
  const { written, deleted, relinked } = decided
  const prices = indexPrices(written.offers)
  const archived = written.variants.filter(({ status }) => status === 'ARCHIVED')
  const active = written.variants.filter(({ status }) => status === 'ACTIVE')
  const changedParents = [...new Set(deleted.values.map(({ optionId }) => optionId))]
  return {
    guard: [...base.guard, ...decided.guard],
    beforeClock: [
      ...(base.beforeClock ?? []),
      // Archived variants free their names and option values for the others.
      ...save(variants, archived),
      ...(relinked.length > 0 ? replaceLinks(variantOptionValues, relinked, []) : []),
      ...(archived.length > 0 ? [reorder(variants, result.id)] : []),
      ...deleted.values.map(({ id }) => deleteRow(optionValues, id)),
      ...changedParents.map((option) => reorder(optionValues, option)),
      ...deleted.options.map(({ id }) => deleteRow(productOptions, id)),
      ...(deleted.options.length > 0 ? [reorder(productOptions, result.id)] : []),
      ...(decided.changesCodes ? reindexSteps(result, written.variants, tenant) : []),
      ...countSteps(saleOfferKind, decided.offerCounts),
      ...prices.beforeClock,
    ],
    underClock: [
      ...(base.underClock ?? []),
      ...save(
        productOptions,
        written.options.map((parts) => optionRow(parts, stateOf(productOption, parts).values.externalId)),
      ),
      ...save(
        optionValues,
        written.values.map((parts) =>
          valueRow(result.id, parts, stateOf(optionValue, parts).values.externalId),
        ),
      ),
      ...save(variants, active),
      ...replaceLinks(
        variantOptionValues,
        [],
        active
          .filter(({ id, saleOfferCount }) => saleOfferCount !== undefined || relinked.includes(id))
          .flatMap(valueLinks),
      ),
      ...saleOfferSteps(written.offers),
      ...prices.underClock,
    ],
    changed: [...decided.changed, ...base.changed],
    totals: { ...base.totals, ...decided.totals },
    result,
    constraintProblems: {
      ...base.constraintProblems,
      variants_combination: 'again',
      variant_option_values_in_use: 'again',
      product_options_title: 'again',
      option_values_title: 'again',
      [limitConstraint(saleOfferKind)]: 'again',
    },
  }
}

type ReadRows = Omit<StoredRows, 'product'> & { readonly indexPrices: IndexPrices }

/** Reads the rows below a product that decide about an upsert, and those that `read_product_parts()` does not return. */
function rowsQuery({ now }: Context, id: SQL, { options, variants: sent }: Body): DatabaseQuery<ReadRows> {
  const patches = (sent ?? []).map(({ patch }) => patch)
  const priced = patches.filter(({ saleOffers: offers }) => offers !== undefined)
  const offers = priced.flatMap((patch) => (patch.saleOffers ?? []).map((offer) => offer.patch))
  const textsOf = (rows: readonly { readonly [name: string]: unknown }[], name: string) =>
    rows.flatMap((row) => (typeof row[name] === 'string' ? [row[name]] : []))
  const optionPatches = (options ?? []).map(({ patch }) => patch)
  const valuePatches = optionPatches.flatMap((option) => (option.values ?? []).map(({ patch }) => patch))
  const inProduct = sql`tenant_id = current_tenant() and product_id = ${id}`
  const archivedNames = (column: string) =>
    sql`array(select ${sql.identifier(column)} from variants where ${inProduct} and status = 'ARCHIVED' and ${sql.identifier(column)} is not null)`
  const names = sql`jsonb_build_object(
    'sku', ${textArray(textsOf(patches, 'sku'))} || ${archivedNames('sku')},
    'variantExternalId', ${textArray(textsOf(patches, 'externalId'))} || ${archivedNames('external_id')},
    'optionExternalId', ${textArray(textsOf(optionPatches, 'externalId'))},
    'valueExternalId', ${textArray(textsOf(valuePatches, 'externalId'))})`
  const offerIds = textsOf(offers, 'externalId')
  const terms = JSON.stringify(offers.map(termsOf))
  // A variant without a name may be any of the product.
  const pricedVariants = sql`select id from variants where ${inProduct} and (${priced.some(({ sku, externalId }) => !sku && !externalId)}::boolean
    or external_id = any(${textArray(textsOf(priced, 'externalId'))}) or sku = any(${textArray(textsOf(priced, 'sku'))}))`
  return combineQueries({
    archivedVariants: sent
      ? variantsStatement(
          sql`product_id = ${id} and status = 'ARCHIVED' order by created_at desc limit ${maximumVariants}::int`,
        )
      : none,
    offers:
      priced.length > 0
        ? statement(offerRow)`
          select ${documentColumns} from sale_offers where ${inProduct}
             and (status <> 'ARCHIVED' or external_id = any(${textArray(offerIds)})
                  or jsonb_build_array(channel, currency, min_quantity, ${instantText(sql`valid_from`)}, ${instantText(sql`valid_until`)})
                     in (select jsonb_array_elements(${terms}::jsonb)))
           order by status = 'ARCHIVED', created_at desc`
        : none,
    targets:
      priced.length > 0
        ? targetStatement(saleOfferKind, sql`select id from variants where ${inProduct}`)
        : none,
    names:
      sent || options
        ? statement({ ...takenNameColumns, id: z.string() })`
          select kind, value, id from names_in_use(${names})`
        : none,
    offerNames: takenExternalIds(saleOffers, offerIds),
    references: referencesQuery(patches.map(({ fields }) => fields)),
    indexPrices:
      offers.length > 0 || priced.length > 0
        ? pricesQuery(pricedVariants, now)
        : mapQuery(noQuery, () => noPrices),
  })
}

const none = mapQuery(noQuery, () => [])
