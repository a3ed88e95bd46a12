import { operation, type Resource } from '../../../core/operation.ts'
import { webhookProblems } from '../problems.ts'
import { getSubscription, listSubscriptions, subscriptionListParameters } from './read.ts'
import { webhookSubscription as shape, versionWithItem } from './schema.ts'
import { createSubscription, deleteSubscription, patchSubscription, rotateSecret } from './write.ts'

const common = { shape, notFound: webhookProblems.subscription_not_found }
const reading = { ...common, method: 'GET', scope: 'webhook_subscriptions:read' } as const
const writing = { ...common, scope: 'webhook_subscriptions:write' } as const
const list = '/api/webhook_subscriptions'
const item = `${list}/{id}` as const

export const resource: Resource = {
  shape,
  problems: Object.values(webhookProblems),
  operations: [
    operation({
      ...reading,
      name: 'listWebhookSubscriptions',
      summary: 'List webhook subscriptions',
      path: list,
      answers: 'collection',
      query: subscriptionListParameters,
      run: listSubscriptions,
    }),
    operation({
      ...writing,
      name: 'createWebhookSubscription',
      summary: 'Subscribe to a topic; only this response shows the signing secret',
      description:
        "The subscription stores the scopes of the caller, and payloads contain only data that these can read. Without a topic or an address, the service sends nothing. Paths that match nothing in the topic's documents are stored, select nothing, and are listed in `Service-Ignored-Properties`.",
      method: 'POST',
      path: list,
      answers: 'item',
      query: {},
      body: { mode: 'create' },
      run: createSubscription,
    }),
    operation({
      ...reading,
      name: 'getWebhookSubscription',
      summary: 'Read a webhook subscription',
      path: item,
      answers: 'item',
      query: {},
      onlyIn: versionWithItem,
      run: getSubscription,
    }),
    operation({
      ...writing,
      name: 'patchWebhookSubscription',
      summary: 'Change, pause or enable a webhook subscription',
      description:
        'A body with all of `callbackUrl`, `topic`, `version` and `includeFields` that changes any of them stores the scopes of the caller. A body with only some of them that changes any stores the scopes that both writers have. Enabling it again or changing its address clears the record of failures. `version` is the pinned API version; the ETag contains the number of writes.',
      alsoTakes:
        'To change the target or the content of payloads, or to enable it, requires every scope that reads the resources of the topic.',
      method: 'PATCH',
      path: item,
      answers: 'item',
      query: {},
      body: { mode: 'patch' },
      run: patchSubscription,
    }),
    operation({
      ...writing,
      name: 'deleteWebhookSubscription',
      summary: 'Delete a webhook subscription with its deliveries',
      method: 'DELETE',
      path: item,
      answers: 'empty',
      query: {},
      run: deleteSubscription,
    }),
    operation({
      ...writing,
      name: 'rotateWebhookSecret',
      summary: 'Replace the signing secret and show the new one; the old one also signs for 24 hours',
      description: 'At most two secrets sign. If it is replaced twice within 24 hours, the oldest one ends.',
      method: 'POST',
      path: `${item}/rotate_secret`,
      answers: 'item',
      status: 200,
      query: {},
      run: rotateSecret,
    }),
  ],
}
