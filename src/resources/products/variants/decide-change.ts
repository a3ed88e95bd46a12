import { instantOf } from '../../../core/instant.ts'
import type { Locale } from '../../../core/locale.ts'
import type { Context } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { merged, type State, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../../content/custom-fields/index.ts'
import type { ProductParts } from '../index.ts'
import { type Body, limits } from './aggregate.ts'
import { type Resolved, resolveChange } from './combination.ts'
import type { VariantParts } from './document.ts'
import { type Taken, takenViolations } from './names.ts'
import { variantProblems } from './problems.ts'
import { variant as shape } from './schema.ts'
import { variantParts, variantRow } from './store.ts'

/** What was read to change a variant. */
type Found = {
  readonly product: ProductParts
  readonly own: VariantParts
  readonly taken: readonly Taken[]
  readonly references: References
}

/** A change of a variant that is allowed, with its states before and after. */
export type Decided = {
  readonly product: ProductParts
  readonly own: VariantParts
  readonly after: VariantParts
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
}

/** Decides what a patch leaves of a variant; null where it changes nothing. @throws Problem 409, 422 */
export function decideChange(
  { locale, now }: Pick<Context, 'locale' | 'now'>,
  { product, own, taken, references }: Found,
  body: Body,
): Decided | null {
  const before = stateOf(shape, own)
  const { state: plain, violations } = merged(shape, before, body, locale)
  const isArchived = plain.values.status === 'ARCHIVED'
  const archivedAt = isArchived ? (before.values.archivedAt ?? instantOf(now)) : null
  const state = { ...plain, values: { ...plain.values, archivedAt } }
  const resolved = resolvedValues(locale, product, own, body)
  const isSame = sameJson(before.values, state.values) && sameJson(own.optionValueIds, resolved.ids)
  const wasArchived = own.status === 'ARCHIVED'
  if (wasArchived && isArchived && !(isSame && body.position == null)) throw variantProblems.archived()
  refuse([
    ...violations,
    ...resolved.violations,
    ...customFieldViolations({ fields: body.fields, before, after: state }, references),
    ...(wasArchived && !isArchived ? limits(product, 1) : []),
  ])
  const position = isArchived ? null : positionOf(own, product.variantsTotal, body.position)
  if (isSame && position === own.position) return null
  const metaobjects = metaobjectsOf(state.values.fields, own.metaobjects, references.metaobjects)
  const after = variantParts({ ...own, optionValueIds: resolved.ids, position, metaobjects }, state)
  refuse(takenViolations(taken, [variantRow(after, state.values)], (_, path) => path))
  return { product, own, after, before, state }
}

/** The option values that a patch chooses; its own where it says nothing of them. */
function resolvedValues(
  locale: Locale,
  { options }: ProductParts,
  { optionValueIds: own }: VariantParts,
  { optionValues }: Body,
): Resolved {
  if (optionValues === undefined) return { ids: [...own], violations: [] }
  return resolveChange(options, optionValues ?? [], locale, { path: 'optionValues', own })
}

/** Where an active variant comes to stand; one that is restored comes last where nothing is said. */
function positionOf(own: VariantParts, total: number, wanted: number | null | undefined): number | null {
  const isRestored = own.status === 'ARCHIVED'
  if (!isRestored && wanted === undefined) return own.position
  const end = isRestored ? total : total - 1
  return wanted == null || wanted < 0 ? end : Math.min(wanted, end)
}
