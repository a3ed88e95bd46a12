import { type SQL, sql } from 'drizzle-orm'
import type { Outline } from '../../../core/outline.ts'
import type { Scope } from '../../../core/scopes.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { documentColumn, instantText } from '../../../db/columns.ts'
import type { SubscriptionParts } from './document.ts'
import type { SecretColumns } from './secret.ts'

/** The columns of a subscription's row that are shown, of the table `webhook_subscriptions`. */
const subscriptionColumns = outlinedColumns(null)

/** The same columns where documents are reduced to an outline. */
export function outlinedColumns(outline: Outline): SQL {
  return sql`id, ${documentColumn(sql`document`, outline)}, status, ${instantText(sql`failing_since`)} as "failingSince",
  disabled_reason as "disabledReason", ${instantText(sql`previous_secret_until`)} as "previousSecretUntil", version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** A subscription with what is sent where, and the grants of whoever decided that. */
export type StoredSubscription = SubscriptionParts & {
  readonly topic: string | null
  readonly callbackUrl: string | null
  readonly scopes: readonly Scope[]
}

/** Selects a subscription. */
export function subscriptionStatement(id: string): Statement<StoredSubscription> {
  return statement<StoredSubscription>(sql`select ${subscriptionColumns}, topic, callback_url as "callbackUrl",
    to_jsonb(scopes) as scopes ${own(id)}`)
}

/** What sending to a subscription takes. */
export type Sender = SecretColumns & {
  readonly id: string
  readonly topic: string | null
  readonly status: string
  readonly callbackUrl: string | null
  readonly payloadVersion: string | null
  readonly locale: string | null
  /** Dot paths in today's names. */
  readonly includeFields: readonly string[] | null
  readonly scopes: readonly Scope[]
}

/** Selects a subscription as whoever sends to it needs it. */
export function senderStatement(id: string): Statement<Sender> {
  return statement<Sender>(sql`select id, topic, status, callback_url as "callbackUrl", payload_version as "payloadVersion", locale,
    include_fields as "includeFields", to_jsonb(scopes) as scopes, secret, previous_secret as "previousSecret",
    ${instantText(sql`previous_secret_until`)} as "previousSecretUntil" ${own(id)}`)
}

/** Selects a subscription's current secret, encrypted. */
export function secretStatement(id: string): Statement<{ secret: string }> {
  return statement<{ secret: string }>(sql`select secret ${own(id)}`)
}

/** Selects the stamps that a batch gave a subscription, when a condition shows that the batch has committed. */
export function traceStatement(id: string, condition: SQL) {
  return statement<{ id: string; version: number; at: string; sequence: number }>(sql`
    select id, version, ${instantText(sql`updated_at`)} as at, 
           (select sequence::float8 from tenant_clock where tenant_id = current_tenant()) as sequence ${own(id)} and ${condition}`)
}

function own(id: string): SQL {
  return sql`from webhook_subscriptions where tenant_id = current_tenant() and id = ${id}::uuid`
}
