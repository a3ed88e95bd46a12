import { sql } from 'drizzle-orm'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { sameJson } from '../../../core/patch.ts'
import { stamped } from '../../../core/stamped.ts'
import { merged } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { type Changed, demandVersion, type Plan, write } from '../../../core/write.ts'
import { type Session, statement } from '../../../db/client.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { scopesOfTopic } from '../../events/index.ts'
import { callbackHost } from './callback-address.ts'
import { subscriptionRow } from './create.ts'
import { type SubscriptionParts, shownFields, subscriptionDocument, subscriptionState } from './document.ts'
import { grantsAfter, isAimed } from './grants.ts'
import { limitRefusals, lockCount, roomAtHost } from './limits.ts'
import { webhookProblems } from './problems.ts'
import { webhookSubscription as shape } from './schema.ts'
import { subscriptionStatement, traceStatement } from './store.ts'
import { webhookSubscriptions } from './table.ts'
import { demandReachable, ownHostStatement, settled, type Values } from './terms.ts'

/** Merges a patch into a subscription. Enabled again or moved elsewhere, it starts with a clean record. */
export async function patchSubscription(context: Context, { params, bodies }: Input): Promise<Answer> {
  const [body = {}] = bodies
  const { result, stamps, replayed } = await write<Json>(context, 'patchSubscription', (read) =>
    change(context, read, params.id!, body),
  )
  const parts = stamped(result as SubscriptionParts, stamps)
  return {
    kind: 'item',
    document: subscriptionDocument(parts, context),
    version: parts.version,
    replayed,
  }
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Values,
): Promise<Plan<Json>> {
  const asked = typeof body.callbackUrl === 'string' ? body.callbackUrl : null
  const [[found], hosts] = await read(subscriptionStatement(id), ownHostStatement(asked))
  if (!found) throw webhookProblems.subscription_not_found({ id })
  const { topic: _, callbackUrl: was, scopes, ...own } = found
  const before = subscriptionState(own)
  const { state, violations } = merged(shape, before, body, context.locale)
  const written = Object.hasOwn(body, 'includeFields') || !sameTerms(before.values, state.values)
  const fields = fieldsAfter(before.values, state.values, body, context)
  const terms = settled(state.values, fields, context, written)
  const row = subscriptionRow(context, id, { ...state, values: terms.values })
  const turned = row.status !== own.status
  const enabled = turned && row.status === 'ACTIVE'
  if (row.topic !== null && (enabled || isAimed(before.values, terms.values))) {
    context.demand(scopesOfTopic(row.topic))
  }
  demandVersion(context, own.version)
  refuse([...violations, ...terms.violations])
  if (enabled && (row.topic === null || row.callbackUrl === null)) throw webhookProblems.incomplete()
  if (sameJson(before.values, terms.values)) return { unchanged: own }
  const moved = row.callbackUrl !== was
  if (moved && row.callbackUrl !== null) await demandReachable(row.callbackUrl, hosts, context)
  // Only what this write changes: deliveries write to the rest meanwhile.
  const { status, ...changed } = row
  const standing = {
    ...(turned && { status, disabledReason: null }),
    ...((moved || enabled) && { failingSince: null }),
  }
  const grants = grantsAfter({ values: before.values, scopes }, terms.values, body, context)
  const sameHost = row.callbackHost === (was === null ? null : callbackHost(was))
  return {
    guard: [{ kind: 'webhook_subscriptions', id, version: own.version }],
    statements: [
      ...(sameHost ? [] : [lockCount, ...roomAtHost(row.callbackHost, id)]),
      ...updateRows(webhookSubscriptions, [{ ...changed, ...standing, scopes: [...grants] }]),
    ],
    changed: [touched(id, own.version + 1)],
    totals: {},
    result: { ...own, ...standing, document: row.document },
    refusals: limitRefusals(row.callbackHost),
    trace: traceStatement(id, sql`version = ${own.version + 1} and document = ${row.document}`),
  }
}

/** Whether paths mean after a write what they meant before it. */
function sameTerms(before: Values, after: Values): boolean {
  return before.topic === after.topic && before.version === after.version
}

/** The paths as this write means them: its own, or those that are kept, as they are called after it. */
function fieldsAfter(before: Values, after: Values, body: Values, context: Context): string[] | null {
  if (Object.hasOwn(body, 'includeFields')) return (after.includeFields as string[] | null) ?? null
  return shownFields({ ...after, includeFields: before.includeFields ?? null }, context)
}

/** A change of a subscription: nobody is told of it. */
export function touched(id: string, version: number, action: Changed['action'] = 'updated'): Changed {
  return { kind: 'webhook_subscriptions', id, version, action, topic: null, document: '', changes: [] }
}

/** Deletes a subscription with its deliveries: what is on its way to it is not sent any more. */
export async function deleteSubscription(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteSubscription', async (read) => {
    const [[own]] = await read(subscriptionStatement(id))
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
