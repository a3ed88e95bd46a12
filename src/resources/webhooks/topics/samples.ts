import type { Samples } from '../../../../test/support/sampling.ts'

export const samples: Samples = async () => ({
  listWebhookTopics: () => ({ params: {} }),
  getWebhookTopic: () => ({ params: { key: 'product.created' } }),
})
