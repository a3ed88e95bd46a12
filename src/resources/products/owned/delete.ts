import type { Answer, Context } from '../../../core/operation.ts'
import { stateOf } from '../../../core/state.ts'
import { type Changed, demandVersion, write } from '../../../core/write.ts'
import { place } from '../../../db/place.ts'
import { deleteRows } from '../../../db/rows.ts'
import { productReading, touch, withoutVariants } from '../index.ts'
import type { Owned, OwnedParts } from './owned.ts'
import { productOf } from './read.ts'
import { changedOwned } from './rules.ts'

type Gone = { readonly changed: readonly Changed[]; readonly totals: Readonly<Record<string, number>> }

/** Deletes one, unless an active variant uses it; its siblings close up. `gone` tells what goes with it. */
export async function deleteOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, gone }: { operation: string; id: string; gone: (own: Parts) => Gone },
): Promise<Answer> {
  const { kind, shape, table, problems, find, owner } = owned
  const { replayed } = await write<null>(context, operation, async (read) => {
    const reading = { locale: context.locale, expand: 0, room: withoutVariants, translations: true }
    const { product } = await read({ product: productReading(productOf(kind, id), reading) })
    const own = product && find(product, id)?.own
    if (!product || !own) throw problems.not_found({ id })
    demandVersion(context, own.version)
    const touched = touch(product)
    const { changed, totals } = gone(own)
    const deletion = { productId: product.id, parts: own, action: 'deleted' } as const
    const was = { state: stateOf(shape, own), position: own.position }
    return {
      guard: [touched.guard, { kind, id, version: own.version }],
      statements: [...deleteRows(table, [id]), place(table, owner(own))],
      changed: [changedOwned(owned, context, deletion, [was, null]), ...changed, touched.changed],
      totals,
      result: null,
      refusals: { variant_option_values_in_use: problems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}
