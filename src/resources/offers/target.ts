/** The variant that is offered: whether it takes offers, and how many it has. */
import type { Violation } from '../../core/problem.ts'
import type { Statement } from '../../db/client.ts'
import { stepStatement } from '../../db/steps.ts'
import { productProblems } from '../products/problems.ts'
import { variantProblems } from '../products/variants/problems.ts'
import type { OfferKind } from './offering.ts'
import type { Target } from './store.ts'

/** Why a variant takes no further offers, at a path; nothing when it does. */
export function unofferable(target: Target, path: string): Violation[] {
  if (target.productArchived) return [productProblems.archived.at(path)]
  return target.status === 'ACTIVE' ? [] : [variantProblems.archived.at(path)]
}

/** What `demandOfferable` raises: a refusal that is met by reading again, which names what was archived. */
export const archivedMeanwhile = 'archived'

/** Refuses the batch when a variant, or its product, was archived after it was read. The variants are locked before. */
export function demandOfferable(variantIds: readonly string[]): Statement {
  return stepStatement({ do: 'demand_offerable', variants: variantIds })
}

/** Moves how many offers each variant has; beyond the limit a constraint refuses it. */
export function countStatements({ subject }: OfferKind, moves: ReadonlyMap<string, number>): Statement[] {
  const counted = [...moves].filter(([, by]) => by !== 0)
  if (counted.length === 0) return []
  return [
    stepStatement({
      do: 'count_offers',
      moves: counted.map(([id, by]) => ({ id, [`${subject}_count`]: by })),
    }),
  ]
}
