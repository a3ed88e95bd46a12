import type { SQL } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Answer, Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { created, type State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { type Plan, write } from '../../../core/write.ts'
import { place } from '../../../db/place.ts'
import { type ProductParts, type Touch, touch } from '../index.ts'
import { ownedAnswer } from './change.ts'
import type { Owned, OwnedBody, OwnedParts } from './owned.ts'
import { type Owner, ownerReading } from './read.ts'
import { changedOwned, externalIdOf, finalPosition, races, refuseTaken, refuseTooHeavy } from './rules.ts'

/** Where a new one goes. */
type Home<Parts> = {
  readonly product: ProductParts
  readonly siblings: readonly Parts[]
  /** What is wrong where there are as many siblings as there may be. */
  readonly full: Violation | null
  readonly parts: (id: string, position: number, state: State) => Parts
}

type Asked<Parts> = {
  readonly operation: string
  readonly productId: SQL
  readonly body: OwnedBody
  /** Finds the home in the product that was read; throws where there is none. */
  readonly home: (product: ProductParts | null) => Home<Parts>
  readonly totals?: Readonly<Record<string, number>>
}

/** Adds one to a product, in its place among its siblings. */
export async function createOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  asked: Asked<Parts>,
): Promise<Answer> {
  const id = uuidv7()
  const { productId, body, totals = {} } = asked
  const written = await write<Parts>(context, asked.operation, async (read) => {
    const { owner } = await read({ owner: ownerReading(owned, context.locale, productId, { id, body }) })
    return planOf(owned, context, decide(owned, context, owner, { ...asked, id }), totals)
  })
  const answer = ownedAnswer(owned, context, written)
  return { ...answer, location: owned.iri(written.result.id) }
}

/** A new one that is allowed, and how many siblings it comes among. */
type Decided<Parts> = {
  readonly product: ProductParts
  readonly touched: Touch
  readonly parts: Parts
  readonly state: State
  readonly end: number
}

/** Decides what a new one is. @throws Problem 404, 409, 422 */
function decide<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  owner: Owner,
  { id, body, home }: Pick<Asked<Parts>, 'body' | 'home'> & { readonly id: string },
): Decided<Parts> {
  const { product, siblings, full, parts: partsAt } = home(owner.product)
  const touched = touch(product)
  refuse(full ? [full] : [])
  const state = created(owned.shape, body, context.locale)
  const end = siblings.length
  const parts = partsAt(id, finalPosition(body.position, end), state)
  refuseTooHeavy(product, parts, null)
  refuseTaken(owned, parts, siblings, owner)
  return { product, touched, parts, state, end }
}

function planOf<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { product, touched, parts, state, end }: Decided<Parts>,
  totals: Readonly<Record<string, number>>,
): Plan<Parts> {
  const { id, position } = parts
  const creation = { productId: product.id, parts, action: 'created' } as const
  return {
    guard: [touched.guard],
    statements: [
      ...owned.insert(product.id, { ...parts, position: end }, externalIdOf(state)),
      ...(position < end ? [place(owned.table, owned.owner(parts), [id], position)] : []),
    ],
    changed: [changedOwned(owned, context, creation, [null, { state, position }]), touched.changed],
    totals,
    result: parts,
    refusals: races(owned.kind),
  }
}
