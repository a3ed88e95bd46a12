import type { JsonObject } from '../core/json.ts'
import { type Topic, topics } from '../resources/events/index.ts'
import { reference } from './json-schema.ts'
import { exampleNamed } from './openapi-examples.ts'
import { camelCase, type Publication } from './publication.ts'

/** The deliveries that a subscription receives: one for each topic. */
export function webhooks({ resources }: Publication): JsonObject {
  return Object.fromEntries(
    topics.flatMap((topic) => {
      const { name, subject } = topic
      const resource = resources.find(({ operations }) =>
        operations.some(({ emits }) => emits?.[0]?.startsWith(`${subject}/`)),
      )
      if (!resource) return []
      return [[name, { post: delivery(topic, resource.shape.type) }]]
    }),
  )
}

const asChanged = 'The resource as it was after the change'
const asRecorded =
  'The resource as it was when the event was recorded, with its state at the moment that the event tells of'
const fields = 'Without `includeFields` the whole document, with it the paths that it names.'

function delivery({ name, description, isBoundary }: Topic, type: string): JsonObject {
  return {
    operationId: `receive_${camelCase(name.replace('/', '_'))}`,
    summary: description,
    description: `${isBoundary ? asRecorded : asChanged}, in the version and locale of the subscription, signed as Standard Webhooks say. ${fields}`,
    tags: ['WebhookTopic'],
    security: [],
    parameters: Object.keys(deliveryHeaders)
      .filter((name) => isBoundary || name !== `delivery.${effectiveAt}`)
      .map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: reference(type), examples: exampleNamed(type) } },
    },
    responses: {
      '2XX': { description: 'Received. Anything else, and no answer within 15 seconds, is tried again.' },
      '410': { description: 'Not wanted any more: the subscription is disabled at once.' },
      '4XX': { description: 'Not received; it is tried again.' },
    },
  }
}

const effectiveAt = 'Service-Effective-At'

const headers = {
  'webhook-id': 'The same on every attempt of one event for one subscription: tell repetitions by it.',
  'webhook-timestamp': 'Seconds since 1970 at this attempt.',
  'webhook-signature': '`v1,` and the base64 HMAC-SHA256 of id.timestamp.body, one for each living secret.',
  'Service-Topic': 'The topic.',
  'Service-Api-Version': 'The version of the payload.',
  'Service-Sequence': 'The place of the event in the changes of the tenant.',
  'Service-Resource-Version': 'The version of the resource after the change.',
  [effectiveAt]:
    'The moment at which an offer began to apply or ceased to; absent where the event is of a change.',
  'Service-Delivery-Attempt': 'Which attempt this is, from 1.',
  traceparent:
    'W3C Trace Context: the trace of the request that made the change, with a span of this attempt’s own.',
}

/** The headers of a delivery, as parameters that every webhook refers to. */
export const deliveryHeaders: JsonObject = Object.fromEntries(
  Object.entries(headers).map(([name, description]) => [
    `delivery.${name}`,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ]),
)
