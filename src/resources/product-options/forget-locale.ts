import type { Context } from '../../core/operation.ts'
import type { Plan } from '../../core/plan.ts'
import { stateOf, withoutLocale } from '../../core/state.ts'
import { write } from '../../core/write.ts'
import type { ProductParts } from '../products/document.ts'
import { bumpEvenIfArchived } from '../products/row.ts'
import { type ChildParts, type ChildType, childChange } from './child-types.ts'
import { externalIdOf, parentQuery, productIdOf } from './write.ts'

/** The maximum number of rows in one write. A product may have thousands of values. */
const maxRowsPerWrite = 250

/**
 * Removes a deleted locale from all options, or all values, of the product of one of them.
 * One write for all of them records one event of the product instead of one per row.
 * Archived products are included, because no client can update them.
 */
export async function removeLocaleFromChildren<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  id: string,
  locale: string,
): Promise<void> {
  const productId = productIdOf(childType.kind.name, id)
  for (let isDone = false; !isDone; ) {
    const { result } = await write<boolean>(context, 'forgetLocale', async (read) => {
      const { product } = await read({ product: parentQuery(context.locale, productId) })
      return product ? removalPlan(childType, context, product, locale) : { unchanged: true }
    })
    isDone = result
  }
}

/** Plans the next batch of rows. The result is whether it was the last. */
function removalPlan<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  product: ProductParts,
  locale: string,
): Plan<boolean> {
  const textUpdate = withoutLocale(locale, context.tenant.locales)
  const translatedChildren = childType
    .all(product)
    .filter(({ translations }) => Object.hasOwn(translations ?? {}, locale))
  if (translatedChildren.length === 0) return { unchanged: true }
  const changes = translatedChildren.slice(0, maxRowsPerWrite).map((child) => {
    const before = stateOf(childType.kind.shape, child)
    const { state } = textUpdate.apply(before)
    const after = childType.parts(context, child, state)
    const sides = [
      { parts: child, state: before },
      { parts: after, state },
    ] as const
    return {
      guard: { kind: childType.kind.name, id: child.id, version: child.version },
      steps: childType.save(product.id, after, externalIdOf(state)),
      changed: childChange(childType, context, product.id, sides, textUpdate),
    }
  })
  const productChange = bumpEvenIfArchived(product, [])
  return {
    guard: [productChange.guard, ...changes.map((change) => change.guard)],
    underClock: changes.flatMap((change) => change.steps),
    changed: [...changes.map((change) => change.changed), productChange.changed],
    totals: {},
    result: translatedChildren.length <= maxRowsPerWrite,
  }
}
