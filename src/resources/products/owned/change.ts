import type { Json } from '../../../core/json.ts'
import type { Answer, Context } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { patching, type Rewrite, type Translated } from '../../../core/rewrite.ts'
import { stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { demandVersion, type Plan, type Written, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { place } from '../../../db/place.ts'
import { readProduct, touch, withoutVariants } from '../index.ts'
import type { Owned, OwnedParts } from './owned.ts'
import { productOf, readOwner } from './read.ts'
import { changedOwned, finalPosition, races, refuseTaken, refuseTooHeavy } from './rules.ts'

type Body = Readonly<Record<string, Json>>

/** Reads one. */
export async function getOwned<Parts extends OwnedParts>(
  { kind, problems, find, document }: Owned<Parts>,
  { db, locale }: Context,
  id: string,
): Promise<Answer> {
  const options = { locale, expand: 0, room: withoutVariants }
  const { product, sequence } = await readProduct(db.read, productOf(kind, id), options)
  const own = product && find(product, id)?.own
  if (!own) throw problems.not_found({ id })
  return { kind: 'item', document: document(own, locale), version: own.version, sequence }
}

/** The answer to a write: the one that was written, as it left it. */
export function ownedAnswer<Parts extends OwnedParts>(
  { stamped, document }: Owned<Parts>,
  context: Context,
  { result, stamps, replayed }: Written<Json>,
): Answer & { kind: 'item' } {
  const own = stamped(result as unknown as Parts, stamps)
  return { kind: 'item', document: document(own, context.locale), version: own.version, replayed }
}

/** Merges a patch into one. */
export async function patchOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, body }: { operation: string; id: string; body: Body },
): Promise<Answer> {
  const rewrite = patching(owned.shape, body, context.locale)
  const written = await write<Json>(context, operation, (read) =>
    change(owned, context, read, { id, body, rewrite }),
  )
  return ownedAnswer(owned, context, written)
}

/** Rewrites the texts of one. */
export async function translateOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, rewrite }: { operation: string; id: string; rewrite: Rewrite },
): Promise<Translated<Parts>> {
  const { result, stamps, replayed } = await write<Json>(context, operation, (read) =>
    change(owned, context, read, { id, body: {}, rewrite }),
  )
  return { ...owned.stamped(result as unknown as Parts, stamps), replayed }
}

async function change<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  read: Session['read'],
  { id, body, rewrite }: { id: string; body: Body; rewrite: Rewrite },
): Promise<Plan<Json>> {
  const { kind, shape, table, problems } = owned
  const { externalId } = body
  const { product, externalIdTaken } = await readOwner(context, read, productOf(kind, id), {
    kind,
    id,
    externalId,
  })
  const family = product && owned.find(product, id)
  if (!product || !family) throw problems.not_found({ id })
  const { own, siblings } = family
  demandVersion(context, own.version)
  const before = stateOf(shape, own)
  const { state, violations } = rewrite.apply(before)
  refuse(violations)
  const position =
    body.position === undefined ? own.position : finalPosition(body.position, siblings.length - 1)
  const after = owned.parts(context, { ...own, position }, state)
  if (sameJson(before as unknown as Json, state as unknown as Json) && position === own.position) {
    return { unchanged: own as unknown as Json }
  }
  refuseTooHeavy(product, after, own)
  refuseTaken(owned, after, siblings, { externalIdTaken, titlePath: rewrite.path('title') })
  const touched = touch(product)
  const update = { productId: product.id, parts: after, action: 'updated' } as const
  const moments = [
    { state: before, position: own.position },
    { state, position },
  ] as const
  return {
    guard: [touched.guard, { kind, id, version: own.version }],
    statements: [
      ...owned.update(product.id, { ...after, position: own.position }),
      ...(position !== own.position ? [place(table, owned.siblings(own), [id], position)] : []),
    ],
    changed: [changedOwned(owned, context, update, moments, rewrite), touched.changed],
    totals: {},
    result: after as unknown as Json,
    refusals: races(kind),
  }
}
