import { Access } from '../../../core/access.ts'
import type { Context } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import type { Scope } from '../../../core/scopes.ts'
import { scopesOfTopic } from '../../events/topics.ts'
import { incomplete } from '../problems.ts'
import type { Terms, TermsInput } from './validate.ts'

/**
 * The target of a subscription is its URL, topic, version and fields. Its scopes limit its payloads. They are
 * those of the caller that set the target. A caller with more scopes therefore never widens the payloads of a
 * target that a caller with fewer scopes has set.
 */

const targetProperties = ['callbackUrl', 'topic', 'version', 'includeFields'] as const

/** Whether a write changes the target. */
export function changesTarget(before: Terms, after: Terms): boolean {
  return targetProperties.some((name) => !sameJson(before[name], after[name]))
}

/**
 * The scopes of a subscription after a write. They are unchanged if the target is unchanged. They are the
 * caller's if the body contains the whole target. If it contains a part, they are the scopes that both have.
 */
export function scopesAfter(
  before: { readonly values: Terms; readonly scopes: readonly Scope[] },
  after: Terms,
  body: TermsInput,
  { access: callerAccess }: Pick<Context, 'access'>,
): readonly Scope[] {
  if (!changesTarget(before.values, after)) return before.scopes
  if (targetProperties.every((name) => Object.hasOwn(body, name))) return callerAccess.scopes
  return Access.from(before.scopes).within(callerAccess).scopes
}

type Target = { readonly topic: string | null; readonly callbackUrl: string | null }
/** A subscription with a topic and a URL. */
export type CompleteSubscription<Subscription extends Target> = Subscription & {
  readonly topic: string
  readonly callbackUrl: string
}

/**
 * Checks that the caller may read the resources of a subscription's topic, and that the subscription is
 * complete.
 * @throws 403 without every scope of its topic; 409 `webhook.incomplete` without a topic or a URL
 */
export function requireScopesOfTopic<Subscription extends Target>(
  { requireScopes: demand }: Pick<Context, 'requireScopes'>,
  subscription: Subscription,
): CompleteSubscription<Subscription> {
  const { topic, callbackUrl } = subscription
  if (topic !== null) demand(scopesOfTopic(topic))
  if (topic === null || callbackUrl === null) throw incomplete({ topic, callbackUrl })
  return { ...subscription, topic, callbackUrl }
}
