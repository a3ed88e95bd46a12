import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Members } from '../../../core/document.ts'
import { jsonObject } from '../../../core/json.ts'
import type { Answer, Context, Input, ItemInput } from '../../../core/operation.ts'
import { scopeText } from '../../../core/scopes.ts'
import type { SelectedMembers } from '../../../core/select.ts'
import { type State, stateOf } from '../../../core/state.ts'
import { documentColumn, instantText, stampedRow } from '../../../db/columns.ts'
import { columnsOf, type RowOf, type Statement, statement } from '../../../db/query.ts'
import { parseStored } from '../../../db/row-types.ts'
import { liveApiVersion } from '../../../versions/index.ts'
import { listing, listParameters, listRows } from '../../shared/list.ts'
import { readItem } from '../../shared/ordinary-operations.ts'
import { shortText } from '../../shared/properties.ts'
import { webhookProblems } from '../problems.ts'
import { pathsToVersion } from './include-fields.ts'
import { webhookSubscription as shape, statuses, webhookSubscriptions } from './schema.ts'
import { secretRow } from './secrets.ts'

/** A subscription's row without its secrets, as plain JSON. */
export type SubscriptionParts = RowOf<typeof subscriptionRow>
const subscriptionRow = {
  id: z.string(),
  document: z.string(),
  status: z.enum(statuses),
  ...columnsOf(z.string().nullable(), 'failingSince', 'disabledReason', 'previousSecretUntil'),
  /** `version` is the version of the row, which its ETag contains. The document's `version` is the pinned version. */
  ...stampedRow,
}

/**
 * The writable state of a subscription. The service changes the status too, so the column overrides the
 * document.
 */
export function subscriptionState(parts: SubscriptionParts): State<typeof shape> {
  const { values, translations } = stateOf(shape, parts)
  return { values: { ...values, status: parts.status }, translations }
}

/** The document of a subscription. Only the response to its creation contains `secret`. */
export function subscriptionDocument(parts: SubscriptionParts, context: Context, secret?: string): Members {
  const terms = parseStored(subscriptionTerms, parts.document)
  const { status, failingSince, disabledReason, previousSecretUntil, createdAt, updatedAt } = parts
  const isOverlapping =
    previousSecretUntil !== null && Date.parse(previousSecretUntil) > context.now.getTime()
  return {
    ...terms,
    includeFields: includeFieldsInVersion(terms, context),
    // Documents from before this property lack it.
    recordResponses: terms.recordResponses ?? false,
    status,
    failingSince,
    disabledReason,
    previousSigningUntil: isOverlapping ? previousSecretUntil : null,
    secret,
    createdAt,
    updatedAt,
  }
}

/**
 * The settings that determine the members of payloads. If the document is reduced, only its selected members
 * are present.
 */
type PayloadTerms = z.infer<typeof payloadTerms>
const payloadTerms = z.object({
  includeFields: z.array(z.string()).nullish(),
  topic: z.string().nullish(),
  version: z.string().nullish(),
})
const subscriptionTerms = z.intersection(
  payloadTerms.extend({ recordResponses: z.boolean().nullish() }),
  jsonObject,
)

/** The paths of `includeFields` in the names of the payload version. */
export function includeFieldsInVersion(
  { includeFields, topic, version }: PayloadTerms,
  context: Context,
): string[] | null {
  if (!includeFields) return null
  const apiVersion = liveApiVersion(version ?? context.tenant.defaultApiVersion, context.now)
  return pathsToVersion(includeFields, topic, apiVersion)
}

/** The columns of the table `webhook_subscriptions` for a subscription's document. */
const subscriptionColumns = selectedColumns(null)

/** The columns of a document that contains only the selected members. */
function selectedColumns(outline: SelectedMembers): SQL {
  return sql`id, ${documentColumn(sql`document`, outline)}, status, ${instantText(sql`failing_since`)} as "failingSince",
  disabled_reason as "disabledReason", ${instantText(sql`previous_secret_until`)} as "previousSecretUntil", version,
  coalesce(${instantText(sql`created_at`)}, '') as "createdAt", coalesce(${instantText(sql`updated_at`)}, '') as "updatedAt"`
}

/** A subscription with its topic, its URL, and the scopes of the caller that set them. */
export type StoredSubscription = RowOf<typeof storedRow>
const storedRow = {
  ...subscriptionRow,
  topic: z.string().nullable(),
  callbackUrl: z.string().nullable(),
  scopes: z.array(scopeText).readonly(),
}

export function subscriptionStatement(id: string): Statement<StoredSubscription> {
  return statement(storedRow)`select ${subscriptionColumns}, topic, callback_url as "callbackUrl",
    to_jsonb(scopes) as scopes ${fromSubscription(id)}`
}

/** The columns that sending to a subscription needs. */
export type Sender = RowOf<typeof senderRow>
const { id, topic, callbackUrl, scopes } = storedRow
const senderRow = {
  id,
  topic,
  callbackUrl,
  scopes,
  ...secretRow,
  status: z.string(),
  payloadVersion: z.string().nullable(),
  locale: z.string().nullable(),
  /** Dot paths in current names. */
  includeFields: z.array(z.string()).readonly().nullable(),
  recordResponses: z.boolean(),
}

/** Selects the columns that sending to a subscription needs. */
export function senderStatement(id: string): Statement<Sender> {
  return statement(senderRow)`
    select id, topic, status, callback_url as "callbackUrl", payload_version as "payloadVersion", locale,
    include_fields as "includeFields", coalesce((document::json ->> 'recordResponses')::boolean, false) as "recordResponses", to_jsonb(scopes) as scopes, secret, previous_secret as "previousSecret",
    ${instantText(sql`previous_secret_until`)} as "previousSecretUntil" ${fromSubscription(id)}`
}

function fromSubscription(id: string): SQL {
  return sql`from webhook_subscriptions where tenant_id = current_tenant() and id = ${id}::uuid`
}

const list = listing(webhookSubscriptions, {
  orders: ['createdAt', 'updatedAt', 'id'],
  equal: ['topic', 'status'],
})

export const subscriptionListParameters = listParameters(list, {
  topic: shortText.optional(),
  status: z.enum(statuses).optional(),
})

type Query = { query: typeof subscriptionListParameters }

/** Lists subscriptions: newest first, or ascending by `updatedAt` for clients that follow changes. */
export function listSubscriptions(context: Context, { query }: Input<Query>): Promise<Answer> {
  return listRows(context, query, {
    row: subscriptionRow,
    list,
    columns: selectedColumns(context.selectedMembers),
    document: (row) => subscriptionDocument(row, context),
  })
}

export function getSubscription(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  return readItem(
    context,
    subscriptionStatement(id),
    (row) => subscriptionDocument(row, context),
    () => webhookProblems.subscription_not_found({ id }),
  )
}
