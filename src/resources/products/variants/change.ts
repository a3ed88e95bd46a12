import { instantOf } from '../../../core/instant.ts'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { merged, type State, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { place } from '../../../db/place.ts'
import { updateRows } from '../../../db/rows.ts'
import { levelsOf } from '../../categories/index.ts'
import {
  fieldViolations,
  metaobjectsOf,
  referencesIn,
  referencesStatement,
} from '../../content/custom-fields/index.ts'
import { idOf, readProduct, reindexed, touch } from '../index.ts'
import { type Body, limits, siblings, variantStatement, writeReading } from './aggregate.ts'
import { answer, type Result, slim } from './answer.ts'
import { resolveChange } from './combination.ts'
import type { VariantParts } from './document.ts'
import { changed } from './event.ts'
import { relink } from './links.ts'
import { type Taken, takenStatement, takenViolations } from './names.ts'
import { variantProblems } from './problems.ts'
import { type OptionValueChoice, variant as shape } from './schema.ts'
import { variantParts, variantRow } from './store.ts'
import { variants } from './table.ts'

/** Merges a patch into a variant; `status` archives and restores. */
export async function patchVariant(context: Context, { params, query, bodies }: Input): Promise<Answer> {
  const { result, stamps, replayed } = await write<Json>(context, 'patchVariant', (read) =>
    change(context, read, params as Parameters<typeof change>[2], bodies[0] ?? {}, levelsOf(query.expand)),
  )
  return answer(context, result as unknown as Result, stamps, false, replayed, false)
}

/** Archives a variant: out of the order, its combination and SKU free. Idempotent. */
export async function deleteVariant(context: Context, { params }: Input): Promise<Answer> {
  const { replayed } = await write<Json>(context, 'deleteVariant', (read) =>
    change(context, read, params as Parameters<typeof change>[2], { status: 'ARCHIVED' }, 0),
  )
  return { kind: 'empty', replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  { productId, variantId }: { productId: string; variantId: string },
  body: Body,
  expand: number,
): Promise<Plan<Json>> {
  const { product, more } = await readProduct(
    read,
    idOf(productId),
    { ...writeReading, locale: context.locale, expand },
    variantStatement(productId, variantId),
    takenStatement([body], variantId),
    referencesStatement([body.fields]),
  )
  const [found, taken, referred] = more as [VariantParts[], Taken[], unknown[]]
  const references = referencesIn(referred)
  const own = found[0]
  if (!product || !own) throw variantProblems.not_found({ id: variantId })
  demandVersion(context, own.version)
  const unchanged = { unchanged: { product: slim(product), variants: [own] } as unknown as Json }
  const archived = own.status === 'ARCHIVED'
  const before = stateOf(shape, own)
  const { state: plain, violations } = merged(shape, before, body, context.locale)
  const nowArchived = plain.values.status === 'ARCHIVED'
  const archivedAt = nowArchived ? (before.values.archivedAt ?? instantOf(context.now)) : null
  const state: State = { ...plain, values: { ...plain.values, archivedAt } }

  const choices =
    body.optionValues === undefined
      ? null
      : ((body.optionValues as unknown as OptionValueChoice[] | null) ?? [])
  const resolved = choices
    ? resolveChange(product.options, choices, context.locale, {
        path: 'optionValues',
        own: own.optionValueIds,
      })
    : { ids: [...own.optionValueIds], violations: [] }
  const wanted = body.position as number | null | undefined
  const same =
    sameJson(before.values as Json, state.values as Json) &&
    sameJson(own.optionValueIds as Json, resolved.ids)
  if (archived && nowArchived && !(same && wanted == null)) throw variantProblems.archived()
  const misfits = fieldViolations({ fields: body.fields, before, after: state }, references)
  const full = archived && !nowArchived ? limits(product, 1) : []
  refuse([...violations, ...resolved.violations, ...misfits, ...full])

  const total = product.variantsTotal
  const end = archived ? total : total - 1
  const moves = !nowArchived && (archived || wanted !== undefined)
  const position = nowArchived
    ? null
    : moves
      ? Math.min(wanted == null || wanted < 0 ? end : wanted, end)
      : own.position
  const metaobjects = metaobjectsOf(state.values.fields, own.metaobjects, references.metaobjects)
  const after = variantParts({ ...own, optionValueIds: resolved.ids, position, metaobjects }, state)
  if (same && position === own.position) return unchanged
  refuse(takenViolations(taken, [variantRow(after)], (_, path) => path))
  const touched = touch(product)
  const links =
    sameJson(own.optionValueIds as Json, resolved.ids) && archived === nowArchived ? [] : relink(after)
  const deleted = nowArchived && !archived
  const codes = ({ sku, barcode, status }: ReturnType<typeof variantRow>) =>
    status === 'ACTIVE' ? [sku, barcode] : [null, null]
  return {
    guard: [touched.guard, { kind: 'variants', id: variantId, version: own.version }],
    statements: [
      ...updateRows(variants, [
        { ...variantRow(after), position: archived ? total : nowArchived ? null : own.position },
      ]),
      ...links,
      ...(position !== own.position
        ? [place(variants, siblings(productId), position === null ? [] : [variantId], position ?? 0)]
        : []),
      ...(sameJson(codes(variantRow(own)), codes(variantRow(after)))
        ? []
        : reindexed(product, context.tenant.locales)),
    ],
    changed: [changed(after, deleted ? 'deleted' : 'updated', before, state, own), touched.changed],
    totals: {},
    result: { product: slim(product), variants: [after] } as unknown as Json,
    refusals: {
      variants_combination: variantProblems.combination_exists(),
      variants_sku: 'again',
      variants_external_id: 'again',
      variant_option_values_in_use: variantProblems.option_values_incomplete(),
    },
  }
}
