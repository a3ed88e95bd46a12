import * as z from 'zod'
import { readOnly, type Shape } from '../../core/schema.ts'
import { topics } from '../events/topics.ts'
import { serviceResource } from '../shared/service-resource.ts'

const webhookTopic = {
  type: 'WebhookTopic',
  description: 'A kind of event. Each event has a topic, and webhook subscriptions select topics.',
  collection: '/api/webhook_topics',
  readWith: null,
  properties: {
    topic: readOnly(z.string(), 'The name of the topic in events and subscriptions.', {
      example: 'product/created',
    }),
    description: readOnly(z.string(), 'The meaning of the topic, in English.', {
      example: 'A product was created.',
    }),
  },
} satisfies Shape

/** A path segment contains no slash, so the key of `product/created` is `product.created`. */
const documents = topics.map(({ name, description }) => ({
  '@id': `${webhookTopic.collection}/${name.replace('/', '.')}`,
  '@type': webhookTopic.type,
  topic: name,
  description,
}))

export const resource = serviceResource({
  shape: webhookTopic,
  list: { name: 'listWebhookTopics', summary: 'List the topics of events and webhooks' },
  item: { name: 'getWebhookTopic', summary: 'Read a topic' },
  key: 'key',
  documents: () => documents,
})
