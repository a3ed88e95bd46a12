import { Access } from '../../../core/access.ts'
import type { Context } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import type { Scope } from '../../../core/scopes.ts'
import { scopesOfTopic } from '../../events/topics.ts'
import { webhookProblems } from '../problems.ts'
import type { Terms, WrittenTerms } from './validate.ts'

/**
 * With whose eyes a subscription sees. What is sent where is its aim; its grants are those of whoever aimed it, so that
 * nobody who may read more widens what somebody who may read less has aimed.
 */

const aim = ['callbackUrl', 'topic', 'version', 'includeFields'] as const

/** Whether a write changes what is sent where. */
export function isAimed(before: Terms, after: Terms): boolean {
  return aim.some((name) => !sameJson(before[name], after[name]))
}

/**
 * The grants after a write: those before where it leaves the aim, the caller's where its body says all of the aim, and
 * where it says a part of it, those that both have.
 */
export function grantsAfter(
  before: { readonly values: Terms; readonly scopes: readonly Scope[] },
  after: Terms,
  body: WrittenTerms,
  { sight }: Pick<Context, 'sight'>,
): readonly Scope[] {
  if (!isAimed(before.values, after)) return before.scopes
  if (aim.every((name) => Object.hasOwn(body, name))) return sight.grants
  return Access.from(before.scopes).within(sight).grants
}

type Aim = { readonly topic: string | null; readonly callbackUrl: string | null }
/** A subscription that has both a topic and an address. */
export type Aimed<Subscription extends Aim> = Subscription & {
  readonly topic: string
  readonly callbackUrl: string
}

/**
 * Demands that the caller may read what a subscription tells of, and that it tells anything.
 * @throws 403 without every scope of its topic; 409 `webhook.incomplete` without a topic or an address
 */
export function requireScopesOfTopic<Subscription extends Aim>(
  { demand }: Pick<Context, 'demand'>,
  subscription: Subscription,
): Aimed<Subscription> {
  const { topic, callbackUrl } = subscription
  if (topic !== null) demand(scopesOfTopic(topic))
  if (topic === null || callbackUrl === null) throw webhookProblems.incomplete()
  return { ...subscription, topic, callbackUrl }
}
