import type { Samples } from '../support/sampling.ts'

export const samples: Samples = async () => ({
  listWebhookTopics: () => ({ params: {} }),
  getWebhookTopic: () => ({ params: { key: 'product.created' } }),
})
