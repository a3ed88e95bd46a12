import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { stamped } from '../../../core/stamped.ts'
import { created, render, type State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { insertRows } from '../../../db/rows.ts'
import { callbackHost } from './callback-address.ts'
import { type SubscriptionParts, subscriptionDocument } from './document.ts'
import { webhookSubscriptionIri } from './iri.ts'
import { demandRoom, limitRefusals, lockCount, roomAtHost } from './limits.ts'
import { webhookSubscription as shape } from './schema.ts'
import { decryptSecret, encryptSecret, mintSecret } from './secret.ts'
import { traceStatement } from './store.ts'
import { webhookSubscriptions } from './table.ts'
import { demandReachable, ownHostStatement, termsOf } from './terms.ts'

/** What is kept of a write that made a secret: the secret only as ciphertext, also for replays. */
export type Sealed = { readonly parts: SubscriptionParts; readonly secret: string }

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
  refuse(terms.violations)
  const row = subscriptionRow(context, id, { ...state, values: terms.values })
  const { limits } = context.tenant
  const written = await write<Sealed>(context, 'createSubscription', async (read) => {
    const { hosts } = await read({ hosts: ownHostStatement(row.callbackUrl) })
    if (row.callbackUrl !== null) await demandReachable(row.callbackUrl, hosts, context)
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
        demandRoom(limits),
        ...roomAtHost(limits, row.callbackHost, id),
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
      refusals: limitRefusals(limits, row.callbackHost),
      trace: traceStatement(id, sql`true`),
    }
  })
  const { result: sealed, stamps, replayed } = written
  const parts = stamped(sealed.parts, stamps)
  return {
    ...(await sealedAnswer(context, { ...sealed, parts }, replayed)),
    location: iriOf(parts.id),
  }
}

/** A subscription with its secret. */
export async function sealedAnswer(
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
export function subscriptionRow(context: Context, id: string, state: State<typeof shape>) {
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
