import type { Answer, Context, Input } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { demandVersion, type Plan, type Written, write } from '../../../core/write.ts'
import type { Statement } from '../../../db/client.ts'
import { place } from '../../../db/place.ts'
import { gathered } from '../../../db/reading.ts'
import { updateRows } from '../../../db/rows.ts'
import { type expandParameter, levelsOf } from '../../categories/index.ts'
import { referencesReading } from '../../content/custom-fields/index.ts'
import { idOf, productReading, reindexed, touch } from '../index.ts'
import { type Body, variantStatement, writeReading } from './aggregate.ts'
import { answer, type Result, slim } from './answer.ts'
import { type Decided, decideChange } from './decide-change.ts'
import { changed } from './event.ts'
import { relink } from './links.ts'
import { takenStatement } from './names.ts'
import { variantProblems } from './problems.ts'
import type { variant as shape } from './schema.ts'
import { variantRow } from './store.ts'
import { variants } from './table.ts'

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

type Asked = {
  readonly productId: string
  readonly variantId: string
  readonly body: Body
  readonly expand: number
}

function changeVariant(context: Context, operation: string, asked: Asked): Promise<Written<Result>> {
  return write<Result>(context, operation, async (read) => {
    const { found } = await read({ found: variantReading(context, asked) })
    const { product, taken, references } = found
    const [own] = found.variant
    if (!product || !own) throw variantProblems.not_found({ id: asked.variantId })
    demandVersion(context, own.version)
    const decided = decideChange(context, { product, own, taken, references }, asked.body)
    return decided ? planOf(context, decided) : { unchanged: { product: slim(product), variants: [own] } }
  })
}

/** Reads a variant in its product, and what a write of it refers to or conflicts with. */
function variantReading({ locale }: Context, { productId, variantId, body, expand }: Asked) {
  return gathered({
    product: productReading(idOf(productId), { ...writeReading, locale, expand }),
    variant: variantStatement(productId, variantId),
    taken: takenStatement([body], variantId),
    references: referencesReading([body.fields]),
  })
}

function planOf(context: Context, decided: Decided): Plan<Result> {
  const { product, own, after, before, state } = decided
  const { id, productId, position } = after
  const touched = touch(product)
  const what = after.status === 'ARCHIVED' && own.status !== 'ARCHIVED' ? 'deleted' : 'updated'
  return {
    guard: [touched.guard, { kind: 'variants', id, version: own.version }],
    statements: [
      ...rowStatements(decided),
      ...(position === own.position
        ? []
        : [place(variants, productId, position === null ? [] : [id], position ?? 0)]),
      ...(sameJson(codesOf(before), codesOf(state)) ? [] : reindexed(product, context.tenant)),
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
function rowStatements({ product, own, after, state }: Decided): Statement[] {
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
function codesOf({ values: { status, sku, barcode } }: Decided['state']): (string | null)[] {
  return status === 'ACTIVE' ? [sku, barcode] : [null, null]
}
