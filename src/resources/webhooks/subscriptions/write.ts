import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../../core/instant.ts'
import type { Answer, Context, Input, ItemInput } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { type Change, uncommitted, withStamps } from '../../../core/plan.ts'
import { created, merged, render, type State } from '../../../core/state.ts'
import { throwViolations } from '../../../core/violations.ts'
import { requireIfMatch, write } from '../../../core/write.ts'
import { deleteRow, insertRow, update } from '../../../db/write-steps.ts'
import { scopesOfTopic } from '../../events/topics.ts'
import { writtenItem } from '../../shared/ordinary-operations.ts'
import { incomplete, webhookProblems } from '../problems.ts'
import { callbackHost } from './callback-url.ts'
import {
  includeFieldsInVersion,
  type SubscriptionParts,
  senderStatement,
  subscriptionDocument,
  subscriptionState,
  subscriptionStatement,
} from './read.ts'
import {
  webhookSubscription as shape,
  versionWithItem,
  webhookSubscriptionIri,
  webhookSubscriptions,
} from './schema.ts'
import { changesTarget, scopesAfter } from './scopes.ts'
import { decryptSecret, encryptSecret, mintSecret, overlapMilliseconds } from './secrets.ts'
import {
  freeSlotsAtHost,
  limitProblems,
  lockCount,
  requireFreeSlot,
  requireReachable,
  serviceHostStatement,
  type Terms,
  type TermsInput,
  validateTerms,
} from './validate.ts'

/**
 * The stored result of a write that created a secret. It contains the secret only as ciphertext, also for
 * replays.
 */
type SecretResult = { readonly parts: SubscriptionParts; readonly secret: string }

/** Creates a subscription. Only this response contains the secret. */
export async function createSubscription(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const owner = { tenantId: context.tenant.id, id }
  const secret = await encryptSecret(mintSecret(), context.callbacks.secretKeys, owner)
  const state = created(shape, body, context.locale)
  const terms = validateTerms(state.values, body.includeFields ?? null, context, true)
  throwViolations(terms.violations)
  const row = subscriptionRow(context, id, { ...state, values: terms.values })
  const { limits } = context.tenant
  const result = await write<SecretResult>(context, 'createSubscription', async (read) => {
    const { hosts } = await read({ hosts: serviceHostStatement(row.callbackUrl) })
    if (row.callbackUrl !== null) await requireReachable(row.callbackUrl, hosts, context)
    const parts: SubscriptionParts = {
      id,
      document: row.document,
      status: row.status,
      failingSince: null,
      disabledReason: null,
      previousSecretUntil: null,
      ...uncommitted,
    }
    return {
      guard: [],
      beforeClock: [
        lockCount,
        requireFreeSlot(limits),
        ...freeSlotsAtHost(limits, row.callbackHost, id),
        ...insertRow(webhookSubscriptions, { ...row, scopes: [...context.access.scopes], secret }),
      ],
      changed: [subscriptionChange(id, 1, 'created')],
      totals: { webhook_subscriptions: 1 },
      result: { parts, secret },
      constraintProblems: limitProblems(limits, row.callbackHost),
    }
  })
  const { result: secretResult, stamps, replayed } = result
  const parts = withStamps(secretResult.parts, stamps)
  return {
    ...(await secretAnswer(context, { ...secretResult, parts }, replayed)),
    // Only this version can read the item.
    ...(context.apiVersion === versionWithItem && { location: iriOf(parts.id) }),
  }
}

async function secretAnswer(
  context: Context,
  { parts, secret }: SecretResult,
  replayed: boolean,
): Promise<Answer & { kind: 'item' }> {
  const owner = { tenantId: context.tenant.id, id: parts.id }
  const plaintext = await decryptSecret(secret, context.callbacks.secretKeys, owner)
  return {
    kind: 'item',
    document: subscriptionDocument(parts, context, plaintext),
    version: parts.version,
    replayed,
  }
}

/** The row of a subscription without its secrets, its scopes and the columns that the write sets. */
function subscriptionRow(context: Context, id: string, state: State<typeof shape>) {
  const { topic, callbackUrl, version, locale, includeFields, status } = state.values
  return {
    id,
    topic,
    callbackUrl,
    callbackHost: callbackUrl === null ? null : callbackHost(callbackUrl),
    payloadVersion: version,
    locale,
    includeFields,
    status,
    document: render(shape, { iri: iriOf(id), id }, state, context.tenant.locales),
  }
}

const iriOf = webhookSubscriptionIri

/**
 * Merges a patch into a subscription. Enabling it or changing its URL clears its record of failures.
 * @throws 403 without the scopes of the topic if it changes the target or enables the subscription; 409
 * `webhook.incomplete`; 412; 422
 */
export async function patchSubscription(
  context: Context,
  { params: { id }, bodies: [body = {}] }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const outcome = await write<SubscriptionParts>(context, 'patchSubscription', async (read) => {
    const { subscriptions, hosts } = await read({
      subscriptions: subscriptionStatement(id),
      hosts: serviceHostStatement(body.callbackUrl ?? null),
    })
    const [subscription] = subscriptions
    if (!subscription) throw webhookProblems.subscription_not_found({ id })
    const { topic: _, callbackUrl, scopes, ...parts } = subscription
    const { values: before } = subscriptionState(parts)
    const { row, values, isEnabled } = patchedRow(context, parts, body)
    if (sameJson(before, values)) return { unchanged: parts }
    const isMoved = row.callbackUrl !== callbackUrl
    if (isMoved && row.callbackUrl !== null) await requireReachable(row.callbackUrl, hosts, context)
    // Updates only the columns that this write changes, because deliveries write to the others concurrently.
    const { id: _id, status, ...rowChanges } = row
    const statusChange = {
      ...(status !== parts.status && { status, disabledReason: null }),
      ...((isMoved || isEnabled) && { failingSince: null }),
    }
    const { limits } = context.tenant
    const hostBefore = callbackUrl === null ? null : callbackHost(callbackUrl)
    const isSameHost = row.callbackHost === hostBefore
    const grants = [...scopesAfter({ values: before, scopes }, values, body, context)]
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: parts.version }],
      beforeClock: [
        ...(isSameHost ? [] : [lockCount, ...freeSlotsAtHost(limits, row.callbackHost, id)]),
        update(webhookSubscriptions, id, { ...rowChanges, ...statusChange, scopes: grants }),
      ],
      changed: [subscriptionChange(id, parts.version + 1)],
      totals: {},
      result: { ...parts, ...statusChange, document: row.document },
      constraintProblems: limitProblems(limits, row.callbackHost),
    }
  })
  return writtenItem(outcome, (parts) => subscriptionDocument(parts, context))
}

/** Merges the body into the stored values, and validates the result. */
function patchedRow(context: Context, parts: SubscriptionParts, body: TermsInput) {
  const before = subscriptionState(parts)
  const { state, violations } = merged(shape, before, body, context.locale)
  const haveSamePaths =
    before.values.topic === state.values.topic && before.values.version === state.values.version
  const reportsUnknown = Object.hasOwn(body, 'includeFields') || !haveSamePaths
  const paths = pathsAfter(before.values, state.values, body, context)
  const terms = validateTerms(state.values, paths, context, reportsUnknown)
  const row = subscriptionRow(context, parts.id, { ...state, values: terms.values })
  const isEnabled = row.status !== parts.status && row.status === 'ACTIVE'
  if (row.topic !== null && (isEnabled || changesTarget(before.values, terms.values))) {
    context.requireScopes(scopesOfTopic(row.topic))
  }
  requireIfMatch(context, parts.version)
  throwViolations([...violations, ...terms.violations])
  if (isEnabled && (row.topic === null || row.callbackUrl === null)) throw incomplete(row)
  return { row, values: terms.values, isEnabled }
}

/** The paths of the body, or the stored paths in the names of the version after this write. */
function pathsAfter(
  before: Terms,
  after: Terms,
  body: TermsInput,
  context: Context,
): readonly string[] | null {
  if (Object.hasOwn(body, 'includeFields')) return after.includeFields
  return includeFieldsInVersion({ ...after, includeFields: before.includeFields }, context)
}

/** The change record of a subscription, which creates no event. */
function subscriptionChange(id: string, version: number, action: Change['action'] = 'updated'): Change {
  return { kind: 'webhook_subscriptions', id, version, action, topic: null, changes: [] }
}

/** Deletes a subscription with its deliveries. Pending deliveries are not sent any more. */
export async function deleteSubscription(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteSubscription', async (read) => {
    const { subscriptions } = await read({ subscriptions: subscriptionStatement(id) })
    const [subscription] = subscriptions
    if (!subscription) throw webhookProblems.subscription_not_found({ id })
    requireIfMatch(context, subscription.version)
    const version = subscription.version + 1
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: subscription.version }],
      beforeClock: [deleteRow(webhookSubscriptions, id)],
      changed: [subscriptionChange(id, version, 'deleted')],
      totals: { webhook_subscriptions: -1 },
      result: null,
    }
  })
  return { kind: 'empty', replayed }
}

/** Replaces a subscription's secret and returns the new one. The old one also signs for 24 hours. */
export async function rotateSecret(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const owner = { tenantId: context.tenant.id, id }
  const secret = await encryptSecret(mintSecret(), context.callbacks.secretKeys, owner)
  const { result, stamps, replayed } = await write<SecretResult>(context, 'rotateSecret', async (read) => {
    const { subscriptions, senders } = await read({
      subscriptions: subscriptionStatement(id),
      senders: senderStatement(id),
    })
    const [subscription] = subscriptions
    const [current] = senders
    if (!subscription || !current) throw webhookProblems.subscription_not_found({ id })
    requireIfMatch(context, subscription.version)
    const previousSecretUntil = instantOf(new Date(context.now.getTime() + overlapMilliseconds))
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: subscription.version }],
      beforeClock: [
        update(webhookSubscriptions, id, {
          secret,
          previousSecret: current.secret,
          previousSecretUntil,
        }),
      ],
      changed: [subscriptionChange(id, subscription.version + 1)],
      totals: {},
      result: { parts: { ...subscription, previousSecretUntil }, secret },
    }
  })
  return secretAnswer(context, { ...result, parts: withStamps(result.parts, stamps) }, replayed)
}

/** Resets a subscription to the tenant's default locale if it names a locale that is being removed. */
export async function forgetLocaleOfSubscription(
  context: Context,
  id: string,
  locale: string,
): Promise<unknown> {
  return write<null>(context, 'forgetLocale', async (read) => {
    const {
      subscriptions: [subscription],
    } = await read({ subscriptions: subscriptionStatement(id) })
    if (!subscription) return { unchanged: null }
    const { values, translations } = subscriptionState(subscription)
    if (values.locale !== locale) return { unchanged: null }
    const state = { values: { ...values, locale: null }, translations }
    const document = render(shape, { iri: webhookSubscriptionIri(id), id }, state, context.tenant.locales)
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: subscription.version }],
      beforeClock: [update(webhookSubscriptions, id, { locale: null, document })],
      changed: [subscriptionChange(id, subscription.version + 1)],
      totals: {},
      result: null,
    }
  })
}
