import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { irisUnder } from '../../../core/iri.ts'
import type { Json } from '../../../core/json.ts'
import { localePattern } from '../../../core/locale.ts'
import { formats, validationProblems } from '../../../core/problems/validation.ts'
import { readOnly, type Shape, writable } from '../../../core/schema.ts'
import type { Scope } from '../../../core/scopes.ts'
import { violation } from '../../../core/violations.ts'
import { instant, resourceColumns } from '../../../db/columns.ts'
import { versions } from '../../../versions/index.ts'
import { scopesOfTopic, topicsMatching } from '../../events/topics.ts'
import { shortText, stamps } from '../../shared/properties.ts'
import { webhookProblems } from '../problems.ts'

/** Maximum number of subscriptions of a tenant, and of those with one callback host. */
export const maximumSubscriptions = 100
export const maximumPerHost = 20

/** Maximum number of paths in `includeFields`. */
export const maximumPaths = 100

export const statuses = ['ACTIVE', 'PAUSED', 'DISABLED'] as const

/** A topic, `product/*` or `*`. */
export const topicText = shortText.transform((text, check) => {
  if (topicsMatching(text).length > 0) return text
  check.addIssue({ code: 'custom', ...violation(webhookProblems.topic_unknown.at('', { topic: text })) })
  return z.NEVER
})

function scopesOfInput(topic: Json): Scope[] {
  return typeof topic === 'string' ? scopesOfTopic(topic) : []
}

const locale = z
  .string()
  .refine(
    (text) => localePattern.test(text),
    violation(validationProblems.pattern.at('', { format: formats.locale })),
  )

const { createdAt, updatedAt } = stamps()

/** The version with the operation that reads a single subscription. */
export const versionWithItem = 'unstable'

export const webhookSubscription = {
  type: 'WebhookSubscription',
  description: 'A callback URL to which the service sends the events of a topic.',
  collection: '/api/webhook_subscriptions',
  readWith: 'webhook_subscriptions:read',
  properties: {
    topic: writable(
      topicText,
      'The topic of the events: a topic, product/* or *. While it is null, the service sends nothing.',
      {
        example: 'product/*',
        neededScopes: {
          scopes: scopesOfInput,
          described: 'every scope that reads the resources of the topic',
        },
      },
    ),
    callbackUrl: writable(
      z.string(),
      'The https address of the receiver, on port 443 or 8443. While it is null, the service sends nothing. A local service also accepts `http://localhost` with any port.',
      {
        example: 'https://hooks.example.com/catalogue',
      },
    ),
    version: writable(
      z.enum(versions.map(({ name }) => name)),
      "The API version of the payloads; null means the tenant's current default.",
      { example: '2026-10' },
    ),
    locale: writable(locale, "The language of the payloads; null means the tenant's default.", {
      example: 'en-US',
    }),
    includeFields: writable(
      z.array(z.string()).max(maximumPaths),
      'Dot paths of the properties in payloads, in the names of the payload version. * matches any one name or element. Null or an empty list selects everything. `@id`, `@type` and `id` are always included, and a change of other properties is sent as well.',
      { dependsOnOthers: true, example: ['title', 'variants.sku'] },
    ),
    recordResponses: writable(
      z.boolean(),
      'Whether deliveries have the start of responses, as `response`. Only the scope `webhook_responses:read` shows it.',
      { defaultValue: false, example: true },
    ),
    status: writable(z.enum(statuses), 'Whether it receives webhooks. The service can set DISABLED.', {
      defaultValue: 'ACTIVE',
      example: 'ACTIVE',
    }),
    failingSince: readOnly(z.string().nullable(), 'The moment since which every attempt has failed, UTC.'),
    disabledReason: readOnly(z.string().nullable(), 'The reason why the service disabled the subscription.'),
    previousSigningUntil: readOnly(
      z.string().nullable(),
      'The moment until which the previous secret also signs deliveries, UTC.',
    ),
    secret: readOnly(z.string(), 'The secret that signs deliveries; only shown when it is created.'),
    createdAt,
    updatedAt,
  },
} satisfies Shape

const { externalId: _, ...columns } = resourceColumns

export const webhookSubscriptions = pgTable('webhook_subscriptions', {
  ...columns,
  /** While the topic or the URL is null, nothing is sent. */
  topic: text('topic'),
  callbackUrl: text('callback_url'),
  callbackHost: text('callback_host'),
  /** Null means the tenant's default. */
  payloadVersion: text('payload_version'),
  locale: text('locale'),
  /** Dot paths in current names. */
  includeFields: jsonb('include_fields').$type<readonly string[] | null>(),
  status: text('status').notNull(),
  /** Encrypted: see `secrets.ts`. */
  secret: text('secret').notNull(),
  previousSecret: text('previous_secret'),
  previousSecretUntil: instant('previous_secret_until'),
  /** The scopes of the caller that set the target: see `scopes.ts`. */
  scopes: text('scopes').array().notNull(),
  failingSince: instant('failing_since'),
  disabledReason: text('disabled_reason'),
})

export const webhookSubscriptionIri = irisUnder('/api/webhook_subscriptions')
