import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { instant, resourceColumns } from '../../../db/columns.ts'

const { externalId: _, ...columns } = resourceColumns

export const webhookSubscriptions = pgTable('webhook_subscriptions', {
  ...columns,
  /** While this or the address is null, nothing is sent. */
  topic: text('topic'),
  callbackUrl: text('callback_url'),
  callbackHost: text('callback_host'),
  /** Null is the tenant's default. */
  payloadVersion: text('payload_version'),
  locale: text('locale'),
  /** Dot paths in today's names. */
  includeFields: jsonb('include_fields').$type<readonly string[] | null>(),
  status: text('status').notNull(),
  /** Encrypted: `secret.ts`. */
  secret: text('secret').notNull(),
  previousSecret: text('previous_secret'),
  previousSecretUntil: instant('previous_secret_until'),
  /** The grants of whoever aimed it: `grants.ts`. */
  scopes: text('scopes').array().notNull(),
  failingSince: instant('failing_since'),
  disabledReason: text('disabled_reason'),
})
