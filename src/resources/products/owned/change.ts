import { sql } from 'drizzle-orm'
import type { Answer, Context } from '../../../core/operation.ts'
import { patching, type Rewrite, type Translated } from '../../../core/rewrite.ts'
import { demandVersion, type Plan, type Written, write } from '../../../core/write.ts'
import { place } from '../../../db/place.ts'
import { productsReading, touch, withoutVariants } from '../index.ts'
import { type Asked, type Decided, decideChange } from './decide-change.ts'
import type { Owned, OwnedBody, OwnedParts } from './owned.ts'
import { ownerReading, productOf } from './read.ts'
import { changedOwned, externalIdOf, races } from './rules.ts'

/** Reads one. */
export async function getOwned<Parts extends OwnedParts>(
  { kind, problems, find, document }: Owned<Parts>,
  { db, locale }: Context,
  id: string,
): Promise<Answer> {
  const { found } = await db.read({
    found: productsReading(sql`array[${productOf(kind, id)}]`, { locale, expand: 0, room: withoutVariants }),
  })
  const {
    products: [product],
    sequence,
  } = found
  const own = product && find(product, id)?.own
  if (!own) throw problems.not_found({ id })
  return { kind: 'item', document: document(own, locale), version: own.version, sequence }
}

/** The answer to a write: the one that was written, as it left it. */
export function ownedAnswer<Parts extends OwnedParts>(
  { stamped, document }: Owned<Parts>,
  context: Context,
  { result, stamps, replayed }: Written<Parts>,
): Answer & { kind: 'item' } {
  const own = stamped(result, stamps)
  return { kind: 'item', document: document(own, context.locale), version: own.version, replayed }
}

/** Merges a patch into one. */
export async function patchOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, body }: { operation: string; id: string; body: OwnedBody },
): Promise<Answer> {
  const rewrite = patching(owned.shape, body, context.locale)
  const written = await changeOwned(owned, context, operation, { id, body, rewrite })
  return ownedAnswer(owned, context, written)
}

/** Rewrites the texts of one. */
export async function translateOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, rewrite }: { operation: string; id: string; rewrite: Rewrite },
): Promise<Translated<Parts>> {
  const { result, stamps, replayed } = await changeOwned(owned, context, operation, { id, body: {}, rewrite })
  return { ...owned.stamped(result, stamps), replayed }
}

function changeOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  operation: string,
  asked: Asked,
): Promise<Written<Parts>> {
  const productId = productOf(owned.kind, asked.id)
  return write<Parts>(context, operation, async (read) => {
    const { owner } = await read({ owner: ownerReading(owned, context.locale, productId, asked) })
    const family = owner.product && owned.find(owner.product, asked.id)
    if (!owner.product || !family) throw owned.problems.not_found({ id: asked.id })
    demandVersion(context, family.own.version)
    const decided = decideChange(owned, context, { ...owner, ...family, product: owner.product }, asked)
    return decided ? planOf(owned, context, decided, asked) : { unchanged: family.own }
  })
}

function planOf<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { product, own, after, before, state }: Decided<Parts>,
  { id, rewrite }: Asked,
): Plan<Parts> {
  const { kind, table } = owned
  const touched = touch(product)
  const update = { productId: product.id, parts: after, action: 'updated' } as const
  const moments = [
    { state: before, position: own.position },
    { state, position: after.position },
  ] as const
  const moves = after.position !== own.position
  return {
    guard: [touched.guard, { kind, id, version: own.version }],
    statements: [
      ...owned.update(product.id, { ...after, position: own.position }, externalIdOf(state)),
      ...(moves ? [place(table, owned.owner(own), [id], after.position)] : []),
    ],
    changed: [changedOwned(owned, context, update, moments, rewrite), touched.changed],
    totals: {},
    result: after,
    refusals: races(kind),
  }
}
