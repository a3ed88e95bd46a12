import type { Context } from '../../../core/operation.ts'
import { differencesBetween } from '../../../core/patch.ts'
import { patching, type Rewrite } from '../../../core/rewrite.ts'
import type { State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import type { Changed } from '../../../core/write.ts'
import type { ProductParts } from '../index.ts'
import { tooHeavy, weightOf, weightOfOptions } from '../options/index.ts'
import type { Owned, OwnedParts } from './owned.ts'
import type { Owner } from './read.ts'

/** The position that a written one comes to: absent, null, -1 and beyond the end are the end. */
export function finalPosition(written: number | null | undefined, end: number): number {
  return written == null || written < 0 ? end : Math.min(written, end)
}

/** The external id of a state. */
export function externalIdOf({ values: { externalId } }: State): string | null {
  return typeof externalId === 'string' ? externalId : null
}

/** @throws 409 for a title that a sibling has, or an external id that another row has; null titles never collide */
export function refuseTaken<Parts extends OwnedParts>(
  { problems }: Owned<Parts>,
  own: Parts,
  siblings: readonly Parts[],
  { externalIdTaken }: Pick<Owner, 'externalIdTaken'>,
  titlePath = 'title',
): void {
  const { title } = own
  const isTaken = title !== null && siblings.some((each) => each.id !== own.id && each.title === title)
  refuse([
    ...(isTaken ? [problems.title_taken.at(titlePath, { title })] : []),
    ...(externalIdTaken === null
      ? []
      : [problems.external_id_taken.at('externalId', { externalId: externalIdTaken })]),
  ])
}

/** The constraints by which a race for a name is lost: it is found, and named, by reading again. */
export function races(kind: string): Readonly<Record<string, 'again'>> {
  return { [`${kind}_title`]: 'again', [`${kind}_external_id`]: 'again' }
}

/** @throws 422 where a product's options would weigh more than they may with one row written in the place of another */
export function refuseTooHeavy(product: ProductParts, written: OwnedParts, before: OwnedParts | null): void {
  const others = weightOfOptions(product.options) - (before ? weightOf(before) : 0)
  refuse(tooHeavy(others + weightOf(written), ''))
}

type Side = { readonly state: State; readonly position: number } | null

/** The change of one as commit() takes it. */
export function changedOwned<Parts extends OwnedParts>(
  { kind, topic, shape, shown, kept }: Owned<Parts>,
  context: Context,
  { productId, parts, action }: { productId: string; parts: Parts; action: Changed['action'] },
  [before, after]: readonly [Side, Side],
  rewrite: Pick<Rewrite, 'shown'> = patching(shape, {}, context.locale),
): Changed {
  const view = (side: Side) =>
    side ? { ...rewrite.shown(side.state), ...shown(parts), position: side.position } : {}
  return {
    kind,
    id: parts.id,
    version: parts.version + 1,
    action,
    topic: `${topic}/${action}`,
    ownerId: productId,
    document: JSON.stringify(kept(parts)),
    changes: differencesBetween(view(before), view(after)),
  }
}
