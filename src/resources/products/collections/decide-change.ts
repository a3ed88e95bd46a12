import type { BodyOf } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import type { Rewrite } from '../../../core/rewrite.ts'
import type { State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { nameConflicts, type Taken } from '../../taken-names.ts'
import { unknownCategories } from './conditions.ts'
import { collectionProblems } from './problems.ts'
import type { collection as shape } from './schema.ts'

type Body = BodyOf<typeof shape>

/** A collection and what a change of it refers to, as they were read. */
type Found = {
  readonly before: State<typeof shape>
  readonly taken: readonly Taken[]
  /** The categories that there are of those that the written rules name. */
  readonly known: ReadonlySet<string>
}

/** A change as it is to be written. */
export type Decided = {
  readonly before: State<typeof shape>
  readonly after: State<typeof shape>
  /** Whether products are sorted anew. */
  readonly resorts: boolean
}

/** What a change comes to; null where nothing changes. @throws Problem 409, 422 */
export function decide(
  { before, taken, known }: Found,
  body: Body,
  rewrite: Rewrite<typeof shape>,
): Decided | null {
  const { state: after, violations } = rewrite.apply(before)
  const [rules, newRules] = [before.values.rules, after.values.rules]
  // A category that was there when it was named may go at any time.
  const renamed = !sameJson(rules?.conditions ?? null, newRules?.conditions ?? null)
  refuse([
    ...violations,
    ...immutabilities(body, before.values.type),
    ...(renamed ? unknownCategories(newRules, known) : []),
  ])
  refuse(nameConflicts(body, taken, collectionProblems))
  if (sameJson(before, after)) return null
  return { before, after, resorts: !sameJson(rules, newRules) }
}

/** What a patch may not do: take the handle away, change the type, or give rules to what has none and the reverse. */
function immutabilities(body: Body, type: string): Violation[] {
  const rules = body.rules === undefined ? undefined : body.rules !== null
  return [
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...(body.type !== undefined && body.type !== type ? [collectionProblems.type_immutable.at('type')] : []),
    ...(rules === true && type === 'MANUAL'
      ? [collectionProblems.rule.at('rules', { allowed: 'null' })]
      : []),
    ...(rules === false && type === 'RULE_BASED' ? [validationProblems.required.at('rules')] : []),
  ]
}
