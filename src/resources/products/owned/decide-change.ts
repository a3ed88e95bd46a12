import { sameJson } from '../../../core/patch.ts'
import type { Rewrite } from '../../../core/rewrite.ts'
import { type State, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import type { ProductParts } from '../index.ts'
import type { Family, InLocales, Owned, OwnedBody, OwnedParts } from './owned.ts'
import type { Owner } from './read.ts'
import { finalPosition, refuseTaken, refuseTooHeavy } from './rules.ts'

/** What is asked to change of one. */
export type Asked = { readonly id: string; readonly body: OwnedBody; readonly rewrite: Rewrite }

/** What was read to change one. */
type Found<Parts> = Family<Parts> & Owner & { readonly product: ProductParts }

/** A change that is allowed, with its states before and after. */
export type Decided<Parts> = {
  readonly product: ProductParts
  readonly own: Parts
  readonly after: Parts
  readonly before: State
  readonly state: State
}

/** Decides what a change leaves; null where it changes nothing. @throws Problem 409, 422 */
export function decideChange<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: InLocales,
  { product, own, siblings, externalIdTaken }: Found<Parts>,
  { body, rewrite }: Pick<Asked, 'body' | 'rewrite'>,
): Decided<Parts> | null {
  const before = stateOf(owned.shape, own)
  const { state, violations } = rewrite.apply(before)
  refuse(violations)
  const position =
    body.position === undefined ? own.position : finalPosition(body.position, siblings.length - 1)
  if (sameJson(before, state) && position === own.position) return null
  const after = owned.parts(context, { ...own, position }, state)
  refuseTooHeavy(product, after, own)
  refuseTaken(owned, after, siblings, { externalIdTaken }, rewrite.path('title'))
  return { product, own, after, before, state }
}
