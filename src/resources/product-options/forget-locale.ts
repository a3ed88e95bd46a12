import type { Context } from '../../core/operation.ts'
import type { Plan } from '../../core/plan.ts'
import { stateOf, withoutLocale } from '../../core/state.ts'
import { write } from '../../core/write.ts'
import type { ProductParts } from '../products/document.ts'
import { bumped } from '../products/row.ts'
import { changedOwned, externalIdOf, type Owned, type OwnedParts, ownerQuery, productOf } from './write.ts'

/** Rows of one write: a product may have thousands of values. */
const changesAtOnce = 250

/**
 * Takes a locale that is on its way out from one, and from all of its kind in the same product: so the product has an event for
 * all of them, and not one for each. An archived product is no exception, since nobody writes it.
 */
export async function forgetOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  id: string,
  locale: string,
): Promise<void> {
  const productId = productOf(owned.kind, id)
  for (let isDone = false; !isDone; ) {
    const { result } = await write<boolean>(context, 'forgetLocale', async (read) => {
      const { owner } = await read({
        owner: ownerQuery(owned, context.locale, productId, { id, body: {} }),
      })
      return owner.product ? planOf(owned, context, owner.product, locale) : { unchanged: true }
    })
    isDone = result
  }
}

/** What is written of a product's options or values; its result is whether that was the last of it. */
function planOf<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  product: ProductParts,
  locale: string,
): Plan<boolean> {
  const rewrite = withoutLocale(locale, context.tenant.locales)
  const having = owned.all(product).filter(({ translations }) => Object.hasOwn(translations ?? {}, locale))
  if (having.length === 0) return { unchanged: true }
  const changes = having.slice(0, changesAtOnce).map((own) => {
    const before = stateOf(owned.shape, own)
    const { state } = rewrite.apply(before)
    const after = owned.parts(context, own, state)
    const moments = [
      { state: before, position: own.position },
      { state, position: own.position },
    ] as const
    const update = { productId: product.id, parts: after, action: 'updated' } as const
    return {
      guard: { kind: owned.kind, id: own.id, version: own.version },
      statements: owned.update(product.id, after, externalIdOf(state)),
      changed: changedOwned(owned, context, update, moments, rewrite),
    }
  })
  const touched = bumped(product, [])
  return {
    guard: [touched.guard, ...changes.map((each) => each.guard)],
    statements: changes.flatMap((each) => each.statements),
    changed: [...changes.map((each) => each.changed), touched.changed],
    totals: {},
    result: having.length <= changesAtOnce,
    refusals: {},
  }
}
