import * as z from 'zod'
import { readOnly, type Shape } from '../../../core/property.ts'

export const webhookTopic = {
  type: 'WebhookTopic',
  description: 'What can happen to resources: what events and webhook subscriptions are about.',
  collection: '/api/webhook_topics',
  readWith: null,
  properties: {
    topic: readOnly(z.string(), 'The name of the topic, as events and subscriptions have it.', {
      example: 'product/created',
    }),
    description: readOnly(z.string(), 'What has happened, in English.', {
      example: 'A product was created.',
    }),
  },
} satisfies Shape
