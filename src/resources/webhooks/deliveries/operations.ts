import { operation, resourceOf } from '../../../core/operation.ts'
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
  alsoTakes: 'Requires every scope that reads the resources of the topic.',
  answers: 'item',
  notFound: webhookProblems.subscription_not_found,
} as const

export const resource = resourceOf(
  operation({
    ...reading,
    shape: webhookDelivery,
    name: 'listWebhookDeliveries',
    summary: 'List the deliveries to a webhook subscription with their results',
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
    description: 'An attempt is logged when it begins. An interrupted attempt has no outcome.',
    path: item,
    answers: 'item',
    notFound: webhookProblems.delivery_not_found,
    run: getDelivery,
  }),
  operation({
    ...acting,
    shape: webhookDelivery,
    name: 'retryWebhookDelivery',
    summary: 'Send a delivery again with the same webhook-id',
    description:
      'Returns 202. The numbers of its attempts continue, on a new schedule. If it was never sent, it uses the current settings of the subscription.',
    path: `${item}/retry` as const,
    status: 202,
    notFound: webhookProblems.delivery_not_found,
    run: retryDelivery,
  }),
)

export const bodies = resourceOf(
  operation({
    ...reading,
    shape: webhookDeliveryBody,
    name: 'getWebhookDeliveryBody',
    summary: 'Read the body of a delivery, rendered again',
    description:
      "Bodies are not stored. As at each attempt, the body is rendered from the delivery's event, whatever happened to the resource since. If the caller may read all of it, it equals the sent body byte for byte.",
    path: `${item}/body` as const,
    answers: 'item',
    notFound: webhookProblems.delivery_not_found,
    run: getDeliveryBody,
  }),
)

export const replays = resourceOf(
  operation({
    ...acting,
    shape: webhookReplay,
    name: 'replayWebhookEvents',
    summary: 'Send past events to a webhook subscription, with the same webhook-id if already sent',
    description:
      'Sends events after a sequence or from a time on, up to `until`, including those from before the subscription. One call sends up to 5,000; continue with `afterSequence` = `lastSequence` until `complete`. For events older than 30 days it returns 410 `event.expired`.',
    path: `${subscription}/replay`,
    status: 202,
    body: { mode: 'create' },
    run: replayEvents,
  }),
)

export const previews = resourceOf(
  operation({
    ...acting,
    shape: webhookPreview,
    name: 'previewWebhook',
    summary: 'Show the webhook of a resource without sending it',
    description:
      "Renders the resource's last event with the current settings, even if the topic does not match. It contains only data that the caller may read. Returns 409 `webhook.withheld` or `event.too_large` if the service would not send it.",
    path: `${subscription}/preview`,
    status: 200,
    body: { mode: 'create' },
    run: previewWebhook,
  }),
)

export const tests = resourceOf(
  operation({
    ...acting,
    shape: webhookTest,
    name: 'testWebhook',
    summary: 'Send a signed sample now and return the result',
    description:
      "Sends the topic's last event, or a sample document, within the request and under a new id. It stores no delivery, and also sends to paused and disabled subscriptions.",
    path: `${subscription}/test`,
    status: 200,
    run: testWebhook,
  }),
)
