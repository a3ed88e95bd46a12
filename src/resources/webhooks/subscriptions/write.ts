import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../../core/instant.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { type Change, type Plan, withStamps } from '../../../core/plan.ts'
import type { Scope } from '../../../core/scopes.ts'
import { created, merged, render, type State } from '../../../core/state.ts'
import { throwViolations } from '../../../core/violations.ts'
import { requireVersion, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { statement } from '../../../db/query.ts'
import { deleteRows, insertRows, updateRows } from '../../../db/write-steps.ts'
import { scopesOfTopic } from '../../events/topics.ts'
import { webhookProblems } from '../problems.ts'
import { callbackHost } from './callback-url.ts'
import {
  type StoredSubscription,
  type SubscriptionParts,
  secretStatement,
  shownPaths,
  subscriptionDocument,
  subscriptionState,
  subscriptionStatement,
  traceStatement,
} from './read.ts'
import { webhookSubscription as shape, webhookSubscriptionIri, webhookSubscriptions } from './schema.ts'
import { grantsAfter, isAimed } from './scopes.ts'
import { decryptSecret, encryptSecret, mintSecret, overlapMilliseconds } from './secrets.ts'
import {
  freeSlotsAtHost,
  limitProblems,
  lockCount,
  ownHostStatement,
  requireFreeSlot,
  requireReachable,
  type Terms,
  termsOf,
  type WrittenTerms,
} from './validate.ts'

/** What is kept of a write that made a secret: the secret only as ciphertext, also for replays. */
type Sealed = { readonly parts: SubscriptionParts; readonly secret: string }

/** Creates a subscription; its answer alone shows the secret. */
export async function createSubscription(
  context: Context,
  { bodies }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const id = uuidv7()
  const owner = { tenantId: context.tenant.id, id }
  const secret = await encryptSecret(mintSecret(), context.callbacks.secretKeys, owner)
  const state = created(shape, body, context.locale)
  const terms = termsOf(state.values, body.includeFields ?? null, context, true)
  throwViolations(terms.violations)
  const row = subscriptionRow(context, id, { ...state, values: terms.values })
  const { limits } = context.tenant
  const written = await write<Sealed>(context, 'createSubscription', async (read) => {
    const { hosts } = await read({ hosts: ownHostStatement(row.callbackUrl) })
    if (row.callbackUrl !== null) await requireReachable(row.callbackUrl, hosts, context)
    const parts: SubscriptionParts = {
      id,
      document: row.document,
      status: row.status,
      failingSince: null,
      disabledReason: null,
      previousSecretUntil: null,
      version: 0,
      createdAt: '',
      updatedAt: '',
    }
    return {
      guard: [],
      statements: [
        lockCount,
        requireFreeSlot(limits),
        ...freeSlotsAtHost(limits, row.callbackHost, id),
        ...insertRows(webhookSubscriptions, [{ ...row, scopes: [...context.sight.grants], secret }]),
      ],
      changed: [
        {
          kind: 'webhook_subscriptions',
          id,
          version: 1,
          action: 'created',
          topic: null,
          document: '',
          changes: [],
        },
      ],
      totals: { webhook_subscriptions: 1 },
      result: { parts, secret },
      refusals: limitProblems(limits, row.callbackHost),
      trace: traceStatement(id, sql`true`),
    }
  })
  const { result: sealed, stamps, replayed } = written
  const parts = withStamps(sealed.parts, stamps)
  return {
    ...(await sealedAnswer(context, { ...sealed, parts }, replayed)),
    location: iriOf(parts.id),
  }
}

/** A subscription with its secret. */
async function sealedAnswer(
  context: Context,
  { parts, secret }: Sealed,
  replayed: boolean,
): Promise<Answer & { kind: 'item' }> {
  const owner = { tenantId: context.tenant.id, id: parts.id }
  const shown = await decryptSecret(secret, context.callbacks.secretKeys, owner)
  return {
    kind: 'item',
    document: subscriptionDocument(parts, context, shown),
    version: parts.version,
    replayed,
  }
}

/** The row of a subscription, but for its secrets, its grants and what commit() stamps. */
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

/** Merges a patch into a subscription. Enabled again or moved elsewhere, it starts with a clean record. */
export async function patchSubscription(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const { result, stamps, replayed } = await write<SubscriptionParts>(
    context,
    'patchSubscription',
    async (read) => plan(context, body, await readSubscription(read, id, body)),
  )
  const parts = withStamps(result, stamps)
  return {
    kind: 'item',
    document: subscriptionDocument(parts, context),
    version: parts.version,
    replayed,
  }
}

type Found = {
  readonly parts: SubscriptionParts
  readonly aim: Pick<StoredSubscription, 'callbackUrl' | 'scopes'>
  readonly hosts: readonly { own: boolean }[]
}

/** Reads the subscription, and whose the host is that the body names. */
async function readSubscription(read: Session['read'], id: string, body: WrittenTerms): Promise<Found> {
  const { found, hosts } = await read({
    found: subscriptionStatement(id),
    hosts: ownHostStatement(body.callbackUrl ?? null),
  })
  const [own] = found
  if (!own) throw webhookProblems.subscription_not_found({ id })
  const { topic: _, callbackUrl, scopes, ...parts } = own
  return { parts, aim: { callbackUrl, scopes }, hosts }
}

type Decision = {
  readonly row: ReturnType<typeof subscriptionRow>
  readonly turned: boolean
  readonly enabled: boolean
  readonly moved: boolean
  readonly grants: readonly Scope[]
}

/**
 * Merges the body into what is stored; null where that changes nothing.
 * @throws 403 without the scopes of the topic where it aims or enables; 409 `webhook.incomplete`; 412; 422
 */
function decide(context: Context, body: WrittenTerms, { parts, aim }: Found): Decision | null {
  const before = subscriptionState(parts)
  const { state, violations } = merged(shape, before, body, context.locale)
  const written = Object.hasOwn(body, 'includeFields') || !sameTerms(before.values, state.values)
  const paths = pathsAfter(before.values, state.values, body, context)
  const terms = termsOf(state.values, paths, context, written)
  const row = subscriptionRow(context, parts.id, { ...state, values: terms.values })
  const turned = row.status !== parts.status
  const enabled = turned && row.status === 'ACTIVE'
  if (row.topic !== null && (enabled || isAimed(before.values, terms.values))) {
    context.demand(scopesOfTopic(row.topic))
  }
  requireVersion(context, parts.version)
  throwViolations([...violations, ...terms.violations])
  if (enabled && (row.topic === null || row.callbackUrl === null)) throw webhookProblems.incomplete()
  if (sameJson(before.values, terms.values)) return null
  const grants = grantsAfter({ values: before.values, scopes: aim.scopes }, terms.values, body, context)
  return { row, turned, enabled, moved: row.callbackUrl !== aim.callbackUrl, grants }
}

/** What the decision writes; an address that is new is looked up first. */
async function plan(context: Context, body: WrittenTerms, found: Found): Promise<Plan<SubscriptionParts>> {
  const { parts, aim, hosts } = found
  const decision = decide(context, body, found)
  if (!decision) return { unchanged: parts }
  const { row, turned, enabled, moved, grants } = decision
  if (moved && row.callbackUrl !== null) await requireReachable(row.callbackUrl, hosts, context)
  // Only what this write changes: deliveries write to the rest meanwhile.
  const { status, ...changed } = row
  const standing = {
    ...(turned && { status, disabledReason: null }),
    ...((moved || enabled) && { failingSince: null }),
  }
  const { id, version } = parts
  const { limits } = context.tenant
  const hostBefore = aim.callbackUrl === null ? null : callbackHost(aim.callbackUrl)
  const sameHost = row.callbackHost === hostBefore
  return {
    guard: [{ kind: 'webhook_subscriptions', id, version }],
    statements: [
      ...(sameHost ? [] : [lockCount, ...freeSlotsAtHost(limits, row.callbackHost, id)]),
      ...updateRows(webhookSubscriptions, [{ ...changed, ...standing, scopes: [...grants] }]),
    ],
    changed: [touched(id, version + 1)],
    totals: {},
    result: { ...parts, ...standing, document: row.document },
    refusals: limitProblems(limits, row.callbackHost),
    trace: traceStatement(id, sql`version = ${version + 1} and document = ${row.document}`),
  }
}

/** Whether paths mean after a write what they meant before it. */
function sameTerms(before: Terms, after: Terms): boolean {
  return before.topic === after.topic && before.version === after.version
}

/** The paths as this write means them: its own, or those that are kept, as they are called after it. */
function pathsAfter(
  before: Terms,
  after: Terms,
  body: WrittenTerms,
  context: Context,
): readonly string[] | null {
  if (Object.hasOwn(body, 'includeFields')) return after.includeFields
  return shownPaths({ ...after, includeFields: before.includeFields }, context)
}

/** A change of a subscription: nobody is told of it. */
function touched(id: string, version: number, action: Change['action'] = 'updated'): Change {
  return { kind: 'webhook_subscriptions', id, version, action, topic: null, document: '', changes: [] }
}

/** Deletes a subscription with its deliveries: what is on its way to it is not sent any more. */
export async function deleteSubscription(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteSubscription', async (read) => {
    const { found } = await read({ found: subscriptionStatement(id) })
    const [own] = found
    if (!own) throw webhookProblems.subscription_not_found({ id })
    requireVersion(context, own.version)
    const version = own.version + 1
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: own.version }],
      statements: deleteRows(webhookSubscriptions, [id]),
      changed: [touched(id, version, 'deleted')],
      totals: { webhook_subscriptions: -1 },
      result: null,
      refusals: {},
      trace:
        statement(sql`select ${id} as id, ${version}::int as version, '' as at, sequence::float8 as sequence
        from tenant_clock where tenant_id = current_tenant() and not exists (select from webhook_subscriptions where tenant_id = current_tenant() and id = ${id}::uuid)`),
    }
  })
  return { kind: 'empty', replayed }
}

/** Replaces a subscription's secret and shows the new one; the old one signs beside it for a day. */
export async function rotateSecret(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const owner = { tenantId: context.tenant.id, id }
  const secret = await encryptSecret(mintSecret(), context.callbacks.secretKeys, owner)
  const { result, stamps, replayed } = await write<Sealed>(context, 'rotateSecret', async (read) => {
    const { found, secrets } = await read({ found: subscriptionStatement(id), secrets: secretStatement(id) })
    const [own] = found
    const [held] = secrets
    if (!own || !held) throw webhookProblems.subscription_not_found({ id })
    requireVersion(context, own.version)
    const previousSecretUntil = instantOf(new Date(context.now.getTime() + overlapMilliseconds))
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: own.version }],
      statements: updateRows(webhookSubscriptions, [
        { id, secret, previousSecret: held.secret, previousSecretUntil },
      ]),
      changed: [touched(id, own.version + 1)],
      totals: {},
      result: { parts: { ...own, previousSecretUntil }, secret },
      refusals: {},
      trace: traceStatement(id, sql`secret = ${secret}`),
    }
  })
  return sealedAnswer(context, { ...result, parts: withStamps(result.parts, stamps) }, replayed)
}

/** Has a subscription follow the tenant's default locale where it named one that is on its way out. */
export async function forgetLocaleOfSubscription(
  context: Context,
  id: string,
  locale: string,
): Promise<unknown> {
  return write<null>(context, 'forgetLocale', async (read) => {
    const {
      found: [own],
    } = await read({ found: subscriptionStatement(id) })
    if (!own) return { unchanged: null }
    const { values, translations } = subscriptionState(own)
    if (values.locale !== locale) return { unchanged: null }
    const state = { values: { ...values, locale: null }, translations }
    const document = render(shape, { iri: webhookSubscriptionIri(id), id }, state, context.tenant.locales)
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: own.version }],
      statements: updateRows(webhookSubscriptions, [{ id, locale: null, document }]),
      changed: [touched(id, own.version + 1)],
      totals: {},
      result: null,
      refusals: {},
    }
  })
}
