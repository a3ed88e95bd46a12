import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Plan, Written } from '../../core/plan.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireVersion, write } from '../../core/write.ts'
import { combineQueries, type Statement } from '../../db/query.ts'
import { insertRows, reorder, reorderAll, updateRows } from '../../db/write-steps.ts'
import { type expandParameter, levelsOf } from '../categories/schema.ts'
import { referencesQuery } from '../fields/custom-fields.ts'
import { idOf, productQuery } from '../products/read.ts'
import { touch } from '../products/row.ts'
import { reindexed } from '../products/search.ts'
import {
  claimedIdsQuery,
  countedOffers,
  saleOfferEvent,
  saleOfferStatements,
  tooManyOffers,
} from '../sale-offers/inline.ts'
import { relink, valueLinks } from './document.ts'
import { variantProblems } from './problems.ts'
import {
  answer,
  type Body,
  changed,
  type Result,
  slim,
  variantRow,
  variantStatement,
  variantWriteQuery,
} from './row.ts'
import {
  type DecidedChange,
  type DecidedCreation,
  decideChange,
  decideCreation,
  type RequestedVariant,
  takenStatement,
  writtenOffers,
} from './rules.ts'
import type { variant as shape } from './schema.ts'
import { variantOptionValues, variants } from './table.ts'

type Created = Input<{
  params: 'productId'
  query: { expand: typeof expandParameter }
  body: typeof shape
}>

/** Creates one variant or up to 250 of one product, all or nothing: a combination exists once, also under concurrency. */
export async function createVariants(
  context: Context,
  { params: { productId }, query, bodies, bulk }: Created,
): Promise<Answer> {
  const asked = { productId, written: bodies.map((body) => ({ id: uuidv7(), body })), bulk }
  throwViolations(tooManyOffers(writtenOffers(asked)))
  const written = await write<Result>(context, 'createVariants', async (read) => {
    const { found } = await read({ found: homeReading(context, asked, levelsOf(query.expand)) })
    return creationPlan(context, decideCreation(context, found, asked))
  })
  return answer(context, written, { bulk, fresh: true })
}

/** Reads the product of new variants, and what they refer to or conflict with. */
function homeReading({ locale }: Context, asked: RequestedVariant, expand: number) {
  const { productId, written } = asked
  const bodies = written.map((each) => each.body)
  return combineQueries({
    product: productQuery(idOf(productId), { ...variantWriteQuery, locale, expand }),
    taken: takenStatement(bodies, null),
    references: referencesQuery(bodies.map((each) => each.fields)),
    claims: claimedIdsQuery(writtenOffers(asked)),
  })
}

function creationPlan(context: Context, { product, touched, made }: DecidedCreation): Plan<Result> {
  const { id: productId, variantsTotal } = product
  // Appended first, then moved: only a position that was asked for costs a renumbering.
  const rows = made.map(({ parts, state, saleOffers }, index) => ({
    ...variantRow(parts, state.values),
    position: variantsTotal + index,
    saleOfferCount: countedOffers(saleOffers),
  }))
  const saleOffers = made.flatMap((each) => each.saleOffers)
  const placed = made.map((each) => each.parts)
  const moves = placed.some((each, index) => each.position !== variantsTotal + index)
  return {
    guard: [touched.guard],
    statements: [
      ...(rows.some((each) => each.sku || each.barcode) ? reindexed(product, rows, context.tenant) : []),
      // From here on under the clock's lock.
      ...insertRows(variants, rows),
      ...insertRows(variantOptionValues, rows.flatMap(valueLinks)),
      ...saleOfferStatements(saleOffers),
      ...(moves ? [reorderAll(variants, productId, placed)] : []),
    ],
    changed: [
      ...made.flatMap((each) => [...each.saleOffers.map(saleOfferEvent), changed('created', null, each)]),
      touched.changed,
    ],
    totals: { sale_offers: countedOffers(saleOffers) },
    result: { product: slim(product), variants: placed },
    refusals: {
      variants_combination: variantProblems.combination_exists(),
      variants_sku: 'again',
      variants_external_id: 'again',
      sale_offers_external_id: 'again',
      variant_option_values_in_use: 'again',
    },
  }
}

type Params = 'productId' | 'variantId'
type Patched = Input<{ params: Params; query: { expand: typeof expandParameter }; body: typeof shape }>

/** Merges a patch into a variant; `status` archives and restores. */
export async function patchVariant(context: Context, { params, query, bodies }: Patched): Promise<Answer> {
  const [body = {}] = bodies
  const asked = { ...params, body, expand: levelsOf(query.expand) }
  const written = await changeVariant(context, 'patchVariant', asked)
  return answer(context, written, { bulk: false, fresh: false })
}

/** Archives a variant: out of the order, its combination and SKU free. Idempotent. */
export async function deleteVariant(
  context: Context,
  { params }: Input<{ params: Params }>,
): Promise<Answer> {
  const asked = { ...params, body: { status: 'ARCHIVED' }, expand: 0 } as const
  const { replayed } = await changeVariant(context, 'deleteVariant', asked)
  return { kind: 'empty', replayed }
}

type VariantChange = {
  readonly productId: string
  readonly variantId: string
  readonly body: Body
  readonly expand: number
}

function changeVariant(context: Context, operation: string, asked: VariantChange): Promise<Written<Result>> {
  return write<Result>(context, operation, async (read) => {
    const { found } = await read({ found: variantReading(context, asked) })
    const { product, taken, references } = found
    const [own] = found.variant
    if (!product || !own) throw variantProblems.not_found({ id: asked.variantId })
    requireVersion(context, own.version)
    const decided = decideChange(context, { product, own, taken, references }, asked.body)
    return decided ? changePlan(context, decided) : { unchanged: { product: slim(product), variants: [own] } }
  })
}

/** Reads a variant in its product, and what a write of it refers to or conflicts with. */
function variantReading({ locale }: Context, { productId, variantId, body, expand }: VariantChange) {
  return combineQueries({
    product: productQuery(idOf(productId), { ...variantWriteQuery, locale, expand }),
    variant: variantStatement(productId, variantId),
    taken: takenStatement([body], variantId),
    references: referencesQuery([body.fields]),
  })
}

function changePlan(context: Context, decided: DecidedChange): Plan<Result> {
  const { product, own, after, before, state } = decided
  const { id, productId, position } = after
  const touched = touch(product)
  const what = after.status === 'ARCHIVED' && own.status !== 'ARCHIVED' ? 'deleted' : 'updated'
  return {
    guard: [touched.guard, { kind: 'variants', id, version: own.version }],
    statements: [
      ...(sameJson(codesOf(before), codesOf(state))
        ? []
        : reindexed(product, [variantRow(after, state.values)], context.tenant)),
      ...rowStatements(decided),
      ...(position === own.position
        ? []
        : [reorder(variants, productId, position === null ? [] : [id], position ?? 0)]),
    ],
    changed: [changed(what, { parts: own, state: before }, { parts: after, state }), touched.changed],
    totals: {},
    result: { product: slim(product), variants: [after] },
    refusals: {
      variants_combination: variantProblems.combination_exists(),
      variants_sku: 'again',
      variants_external_id: 'again',
      variant_option_values_in_use: variantProblems.option_values_incomplete(),
    },
  }
}

/** Writes the row where it stood, or behind the last where it is restored, and its links to option values. */
function rowStatements({ product, own, after, state }: DecidedChange): Statement[] {
  const restored = own.status === 'ARCHIVED'
  const standing = after.status === 'ARCHIVED' ? null : own.position
  const position = restored ? product.variantsTotal : standing
  const isLinked = sameJson(own.optionValueIds, after.optionValueIds) && own.status === after.status
  return [
    ...updateRows(variants, [{ ...variantRow(after, state.values), position }]),
    ...(isLinked ? [] : relink(after)),
  ]
}

/** By what codes a product is found through a variant. */
function codesOf({ values: { status, sku, barcode } }: DecidedChange['state']): (string | null)[] {
  return status === 'ACTIVE' ? [sku, barcode] : [null, null]
}
