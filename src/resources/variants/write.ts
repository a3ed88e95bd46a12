import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { levelsOf } from '../../core/expand.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { type Plan, type WriteOutcome, withStamps } from '../../core/plan.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { combineQueries } from '../../db/query.ts'
import { type ClockStep, reorder, reorderAll, replaceLinks, save } from '../../db/write-steps.ts'
import type { expandParameter } from '../categories/schema.ts'
import { referencesQuery } from '../fields/custom-fields.ts'
import { productProblems, variantProblems } from '../products/problems.ts'
import { productQuery } from '../products/read.ts'
import { bumpProduct } from '../products/row.ts'
import { reindexSteps } from '../products/search.ts'
import { variantOptionValues, variants } from '../products/table.ts'
import {
  countOffers,
  newPrices,
  saleOfferEvent,
  saleOfferSteps,
  takenOfferIds,
  tooManyOffers,
} from '../sale-offers/inline.ts'
import { createdAnswer, writtenItem } from '../shared/ordinary-operations.ts'
import {
  type Body,
  changeEvent,
  documentsOf,
  type Result,
  valueLinks,
  variantRow,
  variantsStatement,
  variantWriteQuery,
  withoutDocument,
} from './row.ts'
import {
  type ChangeDecision,
  codesOf,
  decideChange,
  draftVariants,
  offerLists,
  type RequestedVariant,
  takenNamesOfChange,
  takenVariantNames,
} from './rules.ts'
import { type variant as shape, variantIri } from './schema.ts'

type CreateInput = Input<{
  params: 'productId'
  query: { expand: typeof expandParameter }
  body: typeof shape
}>

/**
 * Creates one variant, or up to 250 of one product in one atomic commit.
 * Each combination exists at most once, also with concurrent requests.
 */
export async function createVariants(
  context: Context,
  { params: { productId }, query, bodies, bulk }: CreateInput,
): Promise<Answer> {
  const request = { productId, variants: bodies.map((body) => ({ id: uuidv7(), body })), bulk }
  throwViolations(tooManyOffers(offerLists(request)))
  const { result, stamps, replayed } = await write<Result>(context, 'createVariants', async (read) => {
    const { inputs } = await read({ inputs: creationQuery(context, request, levelsOf(query.expand)) })
    const { product } = inputs
    if (!product) throw productProblems.not_found({ id: productId })
    const productChange = bumpProduct(product)
    const drafts = draftVariants(context, product, inputs, request)
    const { variantsTotal } = product
    // Inserted at the end first and then moved, so only requests with positions pay for a renumbering.
    const rows = drafts.map(({ parts, state, saleOffers }, index) => ({
      ...variantRow(parts, state.values),
      position: variantsTotal + index,
      saleOfferCount: countOffers(saleOffers),
    }))
    const saleOffers = drafts.flatMap((draft) => draft.saleOffers)
    const prices = inputs.indexPrices(saleOffers)
    const createdVariants = drafts.map((draft) => draft.parts)
    const isReordered = createdVariants.some((variant, index) => variant.position !== variantsTotal + index)
    return {
      guard: [productChange.guard],
      beforeClock: [
        ...(rows.some((row) => row.sku || row.barcode) ? reindexSteps(product, rows, context.tenant) : []),
        ...prices.beforeClock,
      ],
      underClock: [
        ...save(variants, rows),
        ...replaceLinks(variantOptionValues, [], rows.flatMap(valueLinks)),
        ...saleOfferSteps(saleOffers),
        ...(isReordered ? [reorderAll(variants, productId, createdVariants)] : []),
        ...prices.underClock,
      ],
      changed: [
        ...drafts.flatMap((draft) => [changeEvent(null, draft), ...draft.saleOffers.map(saleOfferEvent)]),
        productChange.changed,
      ],
      totals: { sale_offers: countOffers(saleOffers) },
      result: { product: withoutDocument(product), variants: createdVariants },
      constraintProblems: {
        variants_combination: variantProblems.combination_exists(),
        variant_option_values_in_use: 'again',
      },
    }
  })
  const documentOf = documentsOf(result.product, context)
  return createdAnswer(
    result.variants.map((variant) => withStamps(variant, stamps)),
    { bulk, replayed },
    (variant) => documentOf(variant),
    ({ id }) => variantIri(productId, id),
  )
}

function creationQuery(context: Context, request: RequestedVariant, expand: number) {
  const { productId, variants } = request
  const bodies = variants.map((variant) => variant.body)
  return combineQueries({
    product: productQuery(sql`${productId}::uuid`, { ...variantWriteQuery, locale: context.locale, expand }),
    takenNames: takenVariantNames(bodies),
    references: referencesQuery(bodies.map((body) => body.fields)),
    takenOfferIds: takenOfferIds(offerLists(request)),
    indexPrices: newPrices(offerLists(request), context),
  })
}

type Params = 'productId' | 'variantId'
type PatchInput = Input<{ params: Params; query: { expand: typeof expandParameter }; body: typeof shape }>

/** Merges a patch into a variant; `status` archives and restores. */
export async function patchVariant(context: Context, { params, query, bodies }: PatchInput): Promise<Answer> {
  const [body = {}] = bodies
  const request = { ...params, body, expand: levelsOf(query.expand) }
  const { result, ...outcome } = await changeVariant(context, 'patchVariant', request)
  const documentOf = documentsOf(result.product, context)
  const [variant] = result.variants
  if (!variant) throw new Error('A patch returned no variant')
  return writtenItem({ ...outcome, result: variant }, (parts) => documentOf(parts))
}

/**
 * Archives a variant: it loses its position, and other variants may use its combination and SKU. Idempotent.
 */
export async function deleteVariant(
  context: Context,
  { params }: Input<{ params: Params }>,
): Promise<Answer> {
  const request = { ...params, body: { status: 'ARCHIVED' }, expand: 0 } as const
  const { replayed } = await changeVariant(context, 'deleteVariant', request)
  return { kind: 'empty', replayed }
}

type VariantChange = {
  readonly productId: string
  readonly variantId: string
  readonly body: Body
  readonly expand: number
}

function changeVariant(
  context: Context,
  operation: string,
  request: VariantChange,
): Promise<WriteOutcome<Result>> {
  return write<Result>(context, operation, async (read) => {
    const { inputs } = await read({ inputs: changeQuery(context, request) })
    const { takenNames, references } = inputs
    const [current] = inputs.variant
    if (!inputs.product || !current) throw variantProblems.not_found({ id: request.variantId })
    requireIfMatch(context, current.version)
    const { status = current.status } = request.body
    const change = Number(current.status === 'ARCHIVED') - Number(status === 'ARCHIVED')
    const earlier = context.db.addParts?.(request.productId, change) ?? 0
    const product = { ...inputs.product, variantsTotal: inputs.product.variantsTotal + earlier }
    const decision = decideChange(context, { product, current, takenNames, references }, request.body)
    return decision
      ? changePlan(context, decision)
      : { unchanged: { product: withoutDocument(product), variants: [current] } }
  })
}

function changeQuery({ locale }: Context, { productId, variantId, body, expand }: VariantChange) {
  return combineQueries({
    product: productQuery(sql`${productId}::uuid`, { ...variantWriteQuery, locale, expand }),
    variant: variantsStatement(sql`product_id = ${productId}::uuid and id = ${variantId}::uuid`),
    takenNames: takenNamesOfChange(body, variantId),
    references: referencesQuery([body.fields]),
  })
}

function changePlan(context: Context, decision: ChangeDecision): Plan<Result> {
  const { product, current, after, before, state } = decision
  const { id, productId, position } = after
  const productChange = bumpProduct(product)
  const archives = after.status === 'ARCHIVED' && current.status !== 'ARCHIVED'
  return {
    guard: [productChange.guard, { kind: 'variants', id, version: current.version }],
    beforeClock: sameJson(codesOf(before), codesOf(state))
      ? []
      : reindexSteps(product, [variantRow(after, state.values)], context.tenant),
    underClock: [
      ...rowSteps(decision),
      ...(position === current.position
        ? []
        : [reorder(variants, productId, position === null ? [] : [id], position ?? 0)]),
    ],
    changed: [
      changeEvent({ parts: current, state: before }, { parts: after, state }, archives),
      productChange.changed,
    ],
    totals: {},
    result: { product: withoutDocument(product), variants: [after] },
    constraintProblems: {
      variants_combination: variantProblems.combination_exists(),
      variant_option_values_in_use: variantProblems.option_values_incomplete(),
    },
  }
}

/**
 * Updates the row and its links to option values. The position is the current one, or the last if the variant
 * is restored.
 */
function rowSteps({ product, current, after, state }: ChangeDecision): ClockStep[] {
  const isRestored = current.status === 'ARCHIVED'
  const currentPosition = after.status === 'ARCHIVED' ? null : current.position
  const position = isRestored ? product.variantsTotal : currentPosition
  const areLinksUnchanged =
    sameJson(current.optionValueIds, after.optionValueIds) && current.status === after.status
  return [
    ...save(variants, [{ ...variantRow(after, state.values), position }]),
    // Only active variants prevent the deletion of their values.
    ...(areLinksUnchanged
      ? []
      : replaceLinks(variantOptionValues, [after.id], after.status === 'ACTIVE' ? valueLinks(after) : [])),
  ]
}
