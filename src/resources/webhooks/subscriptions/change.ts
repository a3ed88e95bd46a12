import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import type { Scope } from '../../../core/scopes.ts'
import { stamped } from '../../../core/stamped.ts'
import { merged } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { type Changed, demandVersion, type Plan, write } from '../../../core/write.ts'
import { type Session, statement } from '../../../db/client.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { scopesOfTopic } from '../../events/index.ts'
import { callbackHost } from './callback-address.ts'
import { subscriptionRow } from './create.ts'
import { type SubscriptionParts, shownPaths, subscriptionDocument, subscriptionState } from './document.ts'
import { grantsAfter, isAimed } from './grants.ts'
import { limitRefusals, lockCount, roomAtHost } from './limits.ts'
import { webhookProblems } from './problems.ts'
import { webhookSubscription as shape } from './schema.ts'
import { type StoredSubscription, subscriptionStatement, traceStatement } from './store.ts'
import { webhookSubscriptions } from './table.ts'
import { demandReachable, ownHostStatement, type Terms, termsOf, type WrittenTerms } from './terms.ts'

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
  const parts = stamped(result, stamps)
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
  demandVersion(context, parts.version)
  refuse([...violations, ...terms.violations])
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
  if (moved && row.callbackUrl !== null) await demandReachable(row.callbackUrl, hosts, context)
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
      ...(sameHost ? [] : [lockCount, ...roomAtHost(limits, row.callbackHost, id)]),
      ...updateRows(webhookSubscriptions, [{ ...changed, ...standing, scopes: [...grants] }]),
    ],
    changed: [touched(id, version + 1)],
    totals: {},
    result: { ...parts, ...standing, document: row.document },
    refusals: limitRefusals(limits, row.callbackHost),
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
export function touched(id: string, version: number, action: Changed['action'] = 'updated'): Changed {
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
    demandVersion(context, own.version)
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
