import { operation, type Resource } from '../../../core/operation.ts'
import { webhookProblems } from '../problems.ts'
import { deliveryListParameters, getDelivery, getDeliveryBody, listDeliveries } from './read.ts'
import { replayEvents, retryDelivery } from './reopen.ts'
import { previewWebhook, testWebhook } from './sample.ts'
import { webhookDelivery, webhookDeliveryBody, webhookPreview, webhookReplay, webhookTest } from './schema.ts'

const subscription = '/api/webhook_subscriptions/{id}'
const list = `${subscription}/deliveries` as const
const item = `${list}/{deliveryId}` as const
const reading = { method: 'GET', scope: 'webhook_subscriptions:read' } as const
const acting = {
  method: 'POST',
  scope: 'webhook_subscriptions:write',
  alsoTakes: 'Takes every scope that reads what the topic tells of.',
  answers: 'item',
  query: {},
  notFound: webhookProblems.subscription_not_found,
} as const

export const resource: Resource = {
  shape: webhookDelivery,
  problems: [],
  operations: [
    operation({
      ...reading,
      shape: webhookDelivery,
      name: 'listWebhookDeliveries',
      summary: 'List what was sent to a webhook subscription, and what came of it',
      path: list,
      answers: 'collection',
      query: deliveryListParameters,
      notFound: webhookProblems.subscription_not_found,
      run: listDeliveries,
    }),
    operation({
      ...reading,
      shape: webhookDelivery,
      name: 'getWebhookDelivery',
      summary: 'Read a delivery with the log of its attempts',
      description: 'An attempt is logged when it begins; one that was cut off has no outcome.',
      path: item,
      answers: 'item',
      query: {},
      notFound: webhookProblems.delivery_not_found,
      run: getDelivery,
    }),
    operation({
      ...acting,
      shape: webhookDelivery,
      name: 'retryWebhookDelivery',
      summary: 'Send a delivery once more, under the same webhook-id',
      description:
        'Answers 202. The numbers of its attempts go on, with a schedule of its own. Where nothing was ever sent of it, it is sent as the subscription is now.',
      path: `${item}/retry` as const,
      status: 202,
      notFound: webhookProblems.delivery_not_found,
      run: retryDelivery,
    }),
  ],
}

export const bodies: Resource = {
  shape: webhookDeliveryBody,
  problems: [],
  operations: [
    operation({
      ...reading,
      shape: webhookDeliveryBody,
      name: 'getWebhookDeliveryBody',
      summary: 'Read the body of a delivery, rendered anew',
      description:
        "No body is kept: it is rendered from the delivery's own event, as at each attempt, whatever happened to the resource since. To whoever may read all of it, it is the body that was sent, to the byte.",
      path: `${item}/body` as const,
      answers: 'item',
      query: {},
      notFound: webhookProblems.delivery_not_found,
      run: getDeliveryBody,
    }),
  ],
}

export const replays: Resource = {
  shape: webhookReplay,
  problems: [],
  operations: [
    operation({
      ...acting,
      shape: webhookReplay,
      name: 'replayWebhookEvents',
      summary: 'Send past events to a webhook subscription, those already sent under the same webhook-id',
      description:
        'Events after a sequence, in a window of time, or both: up to 5,000 a call (continue at `lastSequence` until `complete`), also those from before the subscription. Events of more than 30 days ago are 410 `event.expired`.',
      path: `${subscription}/replay`,
      status: 202,
      body: { mode: 'create' },
      run: replayEvents,
    }),
  ],
}

export const previews: Resource = {
  shape: webhookPreview,
  problems: [],
  operations: [
    operation({
      ...acting,
      shape: webhookPreview,
      name: 'previewWebhook',
      summary: 'Show what would be sent of a resource, without sending it',
      description:
        "The resource's last event with the settings of now, also of a resource that the topic does not tell of; no more than the caller may read. 409 `webhook.withheld` or `event.too_large` where it would not be sent.",
      path: `${subscription}/preview`,
      status: 200,
      body: { mode: 'create' },
      run: previewWebhook,
    }),
  ],
}

export const tests: Resource = {
  shape: webhookTest,
  problems: [],
  operations: [
    operation({
      ...acting,
      shape: webhookTest,
      name: 'testWebhook',
      summary: 'Send a signed sample now and tell what came of it',
      description:
        "Sent within the request: the topic's last event or a made-up document, under an id of its own. It keeps no delivery, and reaches paused and disabled subscriptions as well.",
      path: `${subscription}/test`,
      status: 200,
      run: testWebhook,
    }),
  ],
}
