import type { Canaries, Samples } from '../support/sampling.ts'
import { productCanary, sampleProduct } from './products.ts'

export const samples: Samples = async (shop) => {
  const { make, count } = shop
  const { variants } = await sampleProduct(shop)
  const offer = { variant: variants[0]['@id'], supplier: 'acme', currency: 'EUR' }
  const { id } = await make('/api/purchase_offers', { ...offer, cost: '4.00' })
  await make('/api/purchase_offers', { ...offer, cost: '4.20', externalId: 'keyed' })
  return {
    listPurchaseOffers: () => ({ params: {} }),
    createPurchaseOffers: () => ({ params: {}, body: { ...offer, cost: '4.50' } }),
    getPurchaseOffer: () => ({ params: { id } }),
    upsertPurchaseOffer: () => ({ params: { externalId: 'keyed' }, body: { leadTimeDays: count() } }),
    patchPurchaseOffer: () => ({ params: { id }, body: { leadTimeDays: count() } }),
    patchPurchaseOffers: () => ({
      params: {},
      body: [{ '@id': `/api/purchase_offers/${id}`, leadTimeDays: count() }],
    }),
    deletePurchaseOffer: () => ({ params: { id } }),
  }
}

export const canaries: Canaries = async (shop) => {
  const { variants } = await productCanary(shop)
  const offer = { variant: variants[0]['@id'], currency: 'EUR', cost: '4.00' }
  return {
    purchase_offer: await shop.make('/api/purchase_offers', { ...offer, supplier: 'canary-purchase_offer' }),
  }
}
