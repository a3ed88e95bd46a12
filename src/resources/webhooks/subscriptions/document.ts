import type { Members } from '../../../core/document.ts'
import { parsed } from '../../../core/json.ts'
import type { Context } from '../../../core/operation.ts'
import { type State, stateOf } from '../../../core/state.ts'
import { standingDialect } from '../../../versions/index.ts'
import { pathsToVersion, topicOrAny } from './include-fields.ts'
import { type Status, webhookSubscription as shape } from './schema.ts'

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
  const dialect = standingDialect(version ?? context.tenant.defaultApiVersion, context.now)
  return pathsToVersion(includeFields, topicOrAny(topic), dialect)
}
