import type { Samples } from '../support/sampling.ts'
import { sampleCategory } from './categories.ts'
import { sampleProduct } from './products.ts'

export const samples: Samples = async (shop) => {
  await sampleCategory(shop)
  const [event] = (await shop.get('/api/events?topic=category/created')).body.member
  const product = await sampleProduct(shop)
  return {
    listEvents: () => ({ params: {} }),
    getEvent: () => ({ params: { id: event.id } }),
    compareCopy: () => ({ params: {}, body: { type: 'Product', sums: { '': [0, 0] } } }),
    listAuditTrail: () => ({ params: { id: product.id } }),
  }
}
