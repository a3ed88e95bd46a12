import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { type Topic, topics } from '../events/topics.ts'
import { publicRead } from '../shared/ordinary-operations.ts'

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

const common = { ...publicRead, shape: webhookTopic } as const

export const resource: Resource = {
  shape: webhookTopic,
  problems: [],
  operations: [
    operation({
      ...common,
      name: 'listWebhookTopics',
      summary: 'List the topics of events and webhooks',
      path: '/api/webhook_topics',
      answers: 'collection',
      run: listWebhookTopics,
    }),
    operation({
      ...common,
      name: 'getWebhookTopic',
      summary: 'Read a topic',
      path: '/api/webhook_topics/{key}',
      params: { key: z.string() },
      answers: 'item',
      run: getWebhookTopic,
    }),
  ],
}

async function listWebhookTopics(): Promise<Answer> {
  return { kind: 'collection', members: topics.map(document), total: topics.length }
}

async function getWebhookTopic(_: Context, { params }: Input<{ params: 'key' }>): Promise<Answer> {
  const topic = topics.find((candidate) => keyOf(candidate) === params.key)
  if (!topic) throw publicRead.notFound()
  return { kind: 'item', document: document(topic), version: null }
}

/**
 * The key of a topic in paths. A path segment contains no slash, so `product.created` means
 * `product/created`.
 */
function keyOf({ name }: Topic): string {
  return name.replace('/', '.')
}

function document(topic: Topic): Value {
  const { name, description } = topic
  return {
    '@id': `${webhookTopic.collection}/${keyOf(topic)}`,
    '@type': webhookTopic.type,
    topic: name,
    description,
  }
}
