import { operation, type Resource } from '../../../core/operation.ts'
import { webhookProblems } from '../problems.ts'
import { getSubscription, listSubscriptions, subscriptionListParameters } from './read.ts'
import { webhookSubscription as shape } from './schema.ts'
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
      summary: 'Subscribe to a topic; the answer alone shows the signing secret',
      description:
        "It keeps what its writer may read: payloads show no more. Without a topic or an address nothing is sent. Paths that name nothing in the topic's documents are kept, select nothing, and are named in `Service-Ignored-Properties`.",
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
      onlyIn: 'unstable',
      run: getSubscription,
    }),
    operation({
      ...writing,
      name: 'patchWebhookSubscription',
      summary: 'Change, pause or enable a webhook subscription',
      description:
        'A body with `callbackUrl`, `topic`, `version` and `includeFields` that changes any of them stores what its writer may read; one that changes some of them stores what both writers may read. Enabled again or moved to another address, the record of failures is empty. Its `version` is its pin; its ETag tells how often it was written.',
      alsoTakes:
        'To change what is sent where, or to enable it, takes every scope that reads what the topic tells of.',
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
      summary: 'Replace the signing secret and show the new one; the old one signs beside it for 24 hours',
      description: 'Replaced twice within 24 hours, the oldest one ends: two sign at most.',
      method: 'POST',
      path: `${item}/rotate_secret`,
      answers: 'item',
      status: 200,
      query: {},
      run: rotateSecret,
    }),
  ],
}
