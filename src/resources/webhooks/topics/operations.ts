import * as z from 'zod'
import type { Value } from '../../../core/document.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../../core/operation.ts'
import { type Topic, topics } from '../../events/index.ts'
import { fixed } from '../../fixed.ts'
import { webhookTopic as shape } from './schema.ts'

const common = { ...fixed, shape } as const

export const resource: Resource = {
  shape,
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
  const found = topics.find((each) => keyOf(each) === params.key)
  if (!found) throw fixed.notFound()
  return { kind: 'item', document: document(found), version: null }
}

/** A path segment has no slash: `product.created` stands for `product/created`. */
function keyOf({ name }: Topic): string {
  return name.replace('/', '.')
}

function document(topic: Topic): Value {
  const { name, description } = topic
  return { '@id': `${shape.collection}/${keyOf(topic)}`, '@type': shape.type, topic: name, description }
}
