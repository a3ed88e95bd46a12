import type { BodyOf } from '../../core/operation.ts'
import { refuse } from '../../core/violations.ts'
import { claimed, type WrittenList } from '../prices/sale/index.ts'
import { type NewProduct, newProductOf, type Surroundings } from './new-product.ts'
import {
  conflictsOf,
  derivedHandle,
  namesTaken,
  type RequestedNames,
  type Taken,
} from './new-product-names.ts'
import { productProblems } from './problems.ts'
import type { product as shape } from './schema.ts'
import type { WriteContext } from './write-context.ts'

/** A product as it was asked for. */
export type Asked = {
  readonly id: string
  readonly body: BodyOf<typeof shape>
  readonly wanted: RequestedNames
  /** Places what is wrong with it in the request. */
  readonly at: (path: string) => string
}

type Found = Surroundings & {
  readonly taken: readonly Taken[]
  /** The external ids among those of its sale offers that others have. */
  readonly claims: Set<string>
}

/** The sale offers that the variants of a product are written with. */
export function writtenOffers({ body, at }: Pick<Asked, 'body' | 'at'>): WrittenList[] {
  return (body.variants ?? []).map(({ saleOffers }, index) => ({
    path: at(`variants[${index}].saleOffers`),
    written: saleOffers ?? [],
  }))
}

/** The products that a request makes; `crowded` where others keep taking the derived handles. @throws Problem 409, 422 */
export function newProductsOf(
  context: WriteContext,
  asked: readonly Asked[],
  { taken, claims, ...surroundings }: Found,
  crowded: boolean,
): NewProduct[] {
  const live = namesTaken(taken)
  const decided = asked.map(({ id, body, wanted: { title, handle: given }, at }) => {
    const priced = writtenOffers({ body, at }).filter(({ written }) => written.length > 0)
    // An archived product holds no name that a live one could miss.
    const seen = body.status === 'ARCHIVED' ? namesTaken([]) : live
    const conflicts =
      given !== null && seen.handle.has(given)
        ? [productProblems.handle_taken.at(at('handle'), { handle: given })]
        : []
    const handle = given ?? derivedHandle(title, seen.handle, id, crowded)
    seen.handle.add(handle)
    const { addition, violations } = newProductOf(context, id, { ...body, handle }, surroundings, at)
    const closed =
      body.status === 'ARCHIVED' ? priced.map(({ path }) => productProblems.archived.at(path)) : []
    return {
      addition,
      violations,
      conflicts: [...conflicts, ...conflictsOf(body, seen, at), ...closed, ...claimed(priced, claims)],
    }
  })
  refuse(decided.flatMap((each) => each.violations))
  refuse(decided.flatMap((each) => each.conflicts))
  return decided.map((each) => each.addition)
}
