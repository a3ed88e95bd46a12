import type { SQL } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { created, type State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { place } from '../../../db/place.ts'
import { type ProductParts, touch } from '../index.ts'
import { ownedAnswer } from './change.ts'
import type { Owned, OwnedParts } from './owned.ts'
import { readOwner } from './read.ts'
import { changedOwned, finalPosition, races, refuseTaken, refuseTooHeavy } from './rules.ts'

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
  readonly body: Readonly<Record<string, Json>>
  /** Finds the home in the product that was read; throws where there is none. */
  readonly home: (product: ProductParts | null) => Home<Parts>
  readonly totals?: Readonly<Record<string, number>>
}

/** Adds one to a product, in its place among its siblings. */
export async function createOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, productId, body, home, totals = {} }: Asked<Parts>,
): Promise<Answer> {
  const { kind, shape, table, insert, siblings: siblingsOf, iri } = owned
  const id = uuidv7()
  const written = await write<Json>(context, operation, async (read) => {
    const { externalId } = body
    const found = await readOwner(context, read, productId, { kind, id, externalId })
    const { product, siblings, full, parts: partsAt } = home(found.product)
    const touched = touch(product)
    refuse(full ? [full] : [])
    const state = created(shape, body, context.locale)
    const end = siblings.length
    const position = finalPosition(body.position, end)
    const parts = partsAt(id, position, state)
    refuseTooHeavy(product, parts, null)
    refuseTaken(owned, parts, siblings, found)
    const creation = { productId: product.id, parts, action: 'created' } as const
    return {
      guard: [touched.guard],
      statements: [
        ...insert(product.id, { ...parts, position: end }),
        ...(position < end ? [place(table, siblingsOf(parts), [id], position)] : []),
      ],
      changed: [changedOwned(owned, context, creation, [null, { state, position }]), touched.changed],
      totals,
      result: parts as unknown as Json,
      refusals: races(kind),
    }
  })
  const answer = ownedAnswer(owned, context, written)
  return { ...answer, location: iri((written.result as { id: string }).id) }
}
