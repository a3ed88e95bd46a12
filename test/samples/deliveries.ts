import type { Samples } from '../support/sampling.ts'
import { sampleCategory } from './categories.ts'
import { sampleSubscription } from './subscriptions.ts'

export const samples: Samples = async (shop) => {
  const category = await sampleCategory(shop)
  const { '@id': subscription, id } = await sampleSubscription(shop)
  const replay = { afterSequence: 0 }
  const replayed = await shop.post(`${subscription}/replay`, { body: replay })
  if (replayed.status !== 202) throw new Error(`POST replay → ${replayed.status}`)
  // Those of one replay are as old as each other: the first event's is the same in every shop.
  const made: { id: string; sequence: number }[] = (
    await shop.get(`${subscription}/deliveries?itemsPerPage=100`)
  ).body.member
  const [delivery] = made.toSorted((a, b) => a.sequence - b.sequence)
  if (!delivery) throw new Error('the replay made no delivery')
  const params = { id, deliveryId: delivery.id }
  return {
    listWebhookDeliveries: () => ({ params: { id } }),
    getWebhookDelivery: () => ({ params }),
    getWebhookDeliveryBody: () => ({ params }),
    retryWebhookDelivery: () => ({ params }),
    replayWebhookEvents: () => ({ params: { id }, body: replay }),
    previewWebhook: () => ({ params: { id }, body: { resource: category['@id'] } }),
    testWebhook: () => ({ params: { id } }),
  }
}
