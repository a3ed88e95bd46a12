import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Members } from '../../../core/document.ts'
import { parsed } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../../core/paging.ts'
import type { Scope } from '../../../core/scopes.ts'
import type { SelectedMembers } from '../../../core/select.ts'
import { type State, stateOf } from '../../../core/state.ts'
import { documentColumn, instantText } from '../../../db/columns.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { withSequence } from '../../../db/sql.ts'
import { liveApiVersion } from '../../../versions/index.ts'
import { listRows } from '../../shared/list.ts'
import { shortText } from '../../shared/properties.ts'
import { webhookProblems } from '../problems.ts'
import { pathsToVersion, topicOrAny } from './include-fields.ts'
import { type Status, webhookSubscription as shape, statuses } from './schema.ts'
import type { SecretColumns } from './secrets.ts'

/** A subscription's row without its secrets. Plain JSON. */
export type SubscriptionParts = {
  readonly id: string
  readonly document: string
  readonly status: Status
  readonly failingSince: string | null
  readonly disabledReason: string | null
  readonly previousSecretUntil: string | null
  /** The row's own, which its ETag shows; the document's `version` is the pin. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** What is written of a subscription. The service changes its status too, so the row's is the one that counts. */
export function subscriptionState(parts: SubscriptionParts): State<typeof shape> {
  const { values, translations } = stateOf(shape, parts)
  return { values: { ...values, status: parts.status }, translations }
}

/** A subscription as it is shown; `secret` only in the answer to the call that made it. */
export function subscriptionDocument(parts: SubscriptionParts, context: Context, secret?: string): Members {
  const stored = parsed<PayloadTerms>(parts.document)
  const { status, failingSince, disabledReason, previousSecretUntil, createdAt, updatedAt } = parts
  const overlaps = previousSecretUntil !== null && Date.parse(previousSecretUntil) > context.now.getTime()
  return {
    ...stored,
    includeFields: shownPaths(stored, context),
    status,
    failingSince,
    disabledReason,
    previousSigningUntil: overlaps ? previousSecretUntil : null,
    secret,
    createdAt,
    updatedAt,
  }
}

/** What tells which members payloads have; of a document that is reduced to an outline, as far as it holds them. */
type PayloadTerms = {
  readonly includeFields?: readonly string[] | null
  readonly topic?: string | null
  readonly version?: string | null
}

/** The paths of `includeFields` in the names of the version that payloads have. */
export function shownPaths(
  { includeFields, topic, version }: PayloadTerms,
  context: Context,
): string[] | null {
  if (!includeFields) return null
  const dialect = liveApiVersion(version ?? context.tenant.defaultApiVersion, context.now)
  return pathsToVersion(includeFields, topicOrAny(topic), dialect)
}

/** The columns of a subscription's row that are shown, of the table `webhook_subscriptions`. */
const subscriptionColumns = outlinedColumns(null)

/** The same columns where documents are reduced to an outline. */
function outlinedColumns(outline: SelectedMembers): SQL {
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

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

export const subscriptionListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  topic: shortText.optional(),
  status: z.enum(statuses).optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Query = { query: typeof subscriptionListParameters }

function conditions(query: Input<Query>['query']): SQL[] {
  return [
    ...(query.topic === undefined ? [] : [sql`topic = ${query.topic}`]),
    ...(query.status === undefined ? [] : [sql`status = ${query.status}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists subscriptions: newest first, or by `updatedAt` upwards for those who follow changes. */
export function listSubscriptions(context: Context, { query }: Input<Query>): Promise<Answer> {
  return listRows<SubscriptionParts>(context, query, {
    table: 'webhook_subscriptions',
    orders,
    standard: [['createdAt', 'desc']],
    conditions: conditions(query),
    columns: outlinedColumns(context.outline),
    document: (row) => subscriptionDocument(row, context),
  })
}

/** Reads one subscription. */
export async function getSubscription(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { found } = await context.db.read({ found: withSequence(subscriptionStatement(id)) })
  const {
    rows: [own],
    sequence,
  } = found
  if (!own) throw webhookProblems.subscription_not_found({ id })
  return { kind: 'item', document: subscriptionDocument(own, context), version: own.version, sequence }
}
