/** Upserts of whole products: one plan for a product, its options, values, variants and their sale offers. */

import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { levelsOf } from '../../core/expand.ts'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { mapPlan, type Plan } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import { patchTexts, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch } from '../../core/write.ts'
import { instantText } from '../../db/columns.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import { textArray } from '../../db/sql.ts'
import { deleteRow, reorder, replaceLinks, save } from '../../db/write-steps.ts'
import { collectionsInput, requireManualScope } from '../collections/membership.ts'
import { type IndexPrices, noPrices, offerRow } from '../offers/document.ts'
import { limitConstraint } from '../offers/kind.ts'
import { documentColumns, takenExternalIds } from '../offers/read.ts'
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
  restoring,
  type UpsertPlans,
  upsert,
  upsertedAnswer,
} from '../shared/ordinary-operations.ts'
import { valueLinks, variantsStatement } from '../variants/row.ts'
import { maximumVariants } from '../variants/schema.ts'
import { embeddedVariantsOnItem, itemLimits, type ProductParts } from './document.ts'
import { productProblems } from './problems.ts'
import { bumpProduct } from './row.ts'
import { decide, standardHandle } from './rules.ts'
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
import { type ChangePlan, changePlan, changeQueries, planCreation, writtenProduct } from './write.ts'

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
  const plans = plansQuery(context, idByExternalId(products, externalId), body, {
    expand: levelsOf(query.expand),
    archivesMissing: query.missing === 'archive',
    creation: { id: uuidv7(), body: creation },
  })
  const outcome = await upsert<ProductParts>(context, 'upsertProduct', plans)
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

type Requested = {
  readonly expand: number
  readonly archivesMissing: boolean
  readonly creation: { readonly id: string; readonly body: UpsertInput['creation'] }
}

/** Reads the rows that a change, or a creation, depends on. */
function plansQuery(
  context: Context,
  id: SQL,
  body: Body,
  { expand, archivesMissing, creation }: Requested,
): DatabaseQuery<UpsertPlans<ProductParts>> {
  const { options, variants: sent, ...patch } = body
  const isArchived = sql`exists (select from products where tenant_id = current_tenant() and id = ${id}::uuid and status = 'ARCHIVED')`
  const request = { id, body: patch, expand }
  const queries = combineQueries({
    base: combineQueries(
      changeQueries(context, request, {
        mayRestore: patch.status === 'ARCHIVED' ? false : isArchived,
        fields: [patch.fields, ...(sent ?? []).map(({ patch: { fields } }) => fields)],
        ...(options || sent ? { limits: allRows } : {}),
      }),
    ),
    rows: rowsQuery(context, id, body),
  })
  return mapQuery(queries, ({ base: { product: read, ...input }, rows }) => ({
    create(attempt) {
      const requests = [{ id: creation.id, body: creation.body(), at: (path: string) => path }]
      const inputs = { ...input, ...rows, takenNames: rows.names, takenOfferIds: rows.offerNames }
      return mapPlan(planCreation(context, requests, inputs, attempt), ([created]) => {
        if (!created) throw new Error('A creation returned no product')
        return created
      })
    },
    change() {
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
      const stored = { ...storedRows, references: input.references, product: after }
      const decided = decideRows(context, stored, body, archivesMissing, faults)
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
    },
  }))
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

type ReadRows = Omit<StoredRows, 'product' | 'references'> & { readonly indexPrices: IndexPrices }

/** Reads the rows below a product that decide about an upsert, and those that `read_product_parts()` does not return. */
function rowsQuery({ now }: Context, id: SQL, body: Body): DatabaseQuery<ReadRows> {
  const { options, variants: sent } = body
  const patches = (sent ?? []).map(({ patch }) => patch)
  const priced = patches.filter(({ saleOffers: offers }) => offers !== undefined)
  const offers = priced.flatMap((patch) => (patch.saleOffers ?? []).map((offer) => offer.patch))
  const textsOf = (rows: readonly { readonly [name: string]: unknown }[], name: string) =>
    rows.flatMap((row) => (typeof row[name] === 'string' ? [row[name]] : []))
  const optionPatches = (options ?? []).map(({ patch }) => patch)
  const valuePatches = optionPatches.flatMap((option) => (option.values ?? []).map(({ patch }) => patch))
  const inProduct = sql`tenant_id = current_tenant() and product_id = ${id}::uuid`
  const archivedNames = (column: string) =>
    sql`array(select ${sql.identifier(column)} from variants where ${inProduct} and status = 'ARCHIVED' and ${sql.identifier(column)} is not null)`
  const { title, handle } = body
  const names = {
    // A new product derives its handle from its title.
    handle: handle ? [handle] : title ? handleCandidates(handleOf(title, standardHandle)) : [],
    externalId: textsOf([body], 'externalId'),
    optionExternalId: textsOf(optionPatches, 'externalId'),
    valueExternalId: textsOf(valuePatches, 'externalId'),
  }
  const namesOfVariants = sql`jsonb_build_object(
    'sku', ${textArray(textsOf(patches, 'sku'))} || ${archivedNames('sku')},
    'variantExternalId', ${textArray(textsOf(patches, 'externalId'))} || ${archivedNames('external_id')})`
  const offerIds = textsOf(offers, 'externalId')
  const terms = JSON.stringify(offers.map(termsOf))
  // A variant without a name may be any of the product.
  const pricedVariants = sql`select id from variants where ${inProduct} and (${priced.some(({ sku, externalId }) => !sku && !externalId)}::boolean
    or external_id = any(${textArray(textsOf(priced, 'externalId'))}) or sku = any(${textArray(textsOf(priced, 'sku'))}))`
  return combineQueries({
    archivedVariants: sent
      ? variantsStatement(
          sql`product_id = ${id}::uuid and status = 'ARCHIVED' order by created_at desc limit ${maximumVariants}::int`,
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
    names: statement({ ...takenNameColumns, id: z.string() })`
      select kind, value, id from names_in_use(${JSON.stringify(names)}::jsonb || ${sent ? namesOfVariants : sql`'{}'`})
       where ${sent !== undefined || options !== undefined}::boolean or ${id}::uuid is null`,
    offerNames: takenExternalIds(saleOffers, offerIds),
    indexPrices:
      offers.length > 0 || priced.length > 0
        ? pricesQuery(pricedVariants, now)
        : mapQuery(noQuery, () => noPrices),
  })
}

const none = mapQuery(noQuery, () => [])
