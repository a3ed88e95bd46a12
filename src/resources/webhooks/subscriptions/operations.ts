import { operation, type Resource } from '../../../core/operation.ts'
import { operationsOf } from '../../shared/ordinary-operations.ts'
import { webhookProblems } from '../problems.ts'
import { getSubscription, listSubscriptions, subscriptionListParameters } from './read.ts'
import { webhookSubscription as shape, versionWithItem } from './schema.ts'
import { createSubscription, deleteSubscription, patchSubscription, rotateSecret } from './write.ts'

const list = '/api/webhook_subscriptions'
const item = `${list}/{id}` as const
const common = { shape, notFound: webhookProblems.subscription_not_found }
const writeScope = 'webhook_subscriptions:write'

const { listOperation, createOperation, getOperation, patchOperation, deleteOperation } = operationsOf({
  ...common,
  list,
  item,
  readScope: 'webhook_subscriptions:read',
  writeScope,
  // Deliveries change subscriptions without a commit that moves the tenant's clock.
  isCacheable: false,
})

export const resource: Resource = {
  shape,
  problems: Object.values(webhookProblems),
  operations: [
    listOperation({
      name: 'listWebhookSubscriptions',
      summary: 'List webhook subscriptions',
      query: subscriptionListParameters,
      run: listSubscriptions,
    }),
    createOperation({
      name: 'createWebhookSubscription',
      summary: 'Subscribe to a topic; only this response shows the signing secret',
      description:
        "The subscription stores the scopes of the caller, and payloads contain only data that these can read. Without a topic or an address, the service sends nothing. Paths that match nothing in the topic's documents are stored, select nothing, and are listed in `Service-Ignored-Properties`.",
      body: { mode: 'create' },
      run: createSubscription,
    }),
    getOperation({
      name: 'getWebhookSubscription',
      summary: 'Read a webhook subscription',
      onlyIn: versionWithItem,
      run: getSubscription,
    }),
    patchOperation({
      name: 'patchWebhookSubscription',
      summary: 'Change, pause or enable a webhook subscription',
      description:
        'A body with all of `callbackUrl`, `topic`, `version` and `includeFields` that changes any of them stores the scopes of the caller. A body with only some of them that changes any stores the scopes that both writers have. Enabling it again or changing its address clears the record of failures. `version` is the pinned API version; the ETag contains the number of writes.',
      alsoTakes:
        'To change the target or the content of payloads, or to enable it, requires every scope that reads the resources of the topic.',
      body: { mode: 'patch' },
      run: patchSubscription,
    }),
    deleteOperation({
      name: 'deleteWebhookSubscription',
      summary: 'Delete a webhook subscription with its deliveries',
      run: deleteSubscription,
    }),
    operation({
      ...common,
      scope: writeScope,
      name: 'rotateWebhookSecret',
      summary: 'Replace the signing secret and show the new one; the old one also signs for 24 hours',
      description: 'At most two secrets sign. If it is replaced twice within 24 hours, the oldest one ends.',
      method: 'POST',
      path: `${item}/rotate_secret`,
      answers: 'item',
      status: 200,
      comparesIfMatch: true,
      run: rotateSecret,
    }),
  ],
}
