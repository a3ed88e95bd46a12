import { once, type Samples } from '../support/sampling.ts'
import { sampleCategory } from './categories.ts'

const collection = '/api/webhook_subscriptions'

/** A subscription to the topics of the sample category. */
export const sampleSubscription = once(async (shop) => {
  await sampleCategory(shop)
  return shop.make(collection, { topic: 'category/created', callbackUrl: 'http://127.0.0.1:9/webhooks' })
})

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const { id } = await sampleSubscription(shop)
  const spare = await make(collection, { topic: '*', callbackUrl: 'http://127.0.0.1:9/spare' })
  const callbackUrl = () => `http://127.0.0.1:9/${next()}`
  return {
    listWebhookSubscriptions: () => ({ params: {} }),
    createWebhookSubscription: () => ({
      params: {},
      body: { topic: 'product/*', callbackUrl: callbackUrl() },
    }),
    getWebhookSubscription: () => ({ params: { id } }),
    patchWebhookSubscription: () => ({ params: { id }, body: { callbackUrl: callbackUrl() } }),
    deleteWebhookSubscription: () => ({ params: { id: spare.id } }),
    rotateWebhookSecret: () => ({ params: { id } }),
  }
}
