import type { Canaries, Samples } from '../support/sampling.ts'
import { sampleProduct } from './products.ts'

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const { id } = await make('/api/campaigns', { name: 'Winter' })
  const spare = await make('/api/campaigns', { name: 'Spare' })
  const { variants } = await sampleProduct(shop)
  const offer = { variant: variants[0]['@id'], currency: 'EUR', amount: '10.00' }
  await make('/api/sale_offers', { ...offer, campaign: `/api/campaigns/${id}` })
  return {
    listCampaigns: () => ({ params: {} }),
    createCampaign: () => ({ params: {}, body: { name: next() } }),
    getCampaign: () => ({ params: { id } }),
    patchCampaign: () => ({ params: { id }, body: { name: next() } }),
    deleteCampaign: () => ({ params: { id: spare.id } }),
    endCampaign: () => ({ params: { id }, body: { at: '2090-01-01T00:00:00Z' } }),
  }
}

export const canaries: Canaries = async ({ make }) => ({
  campaign: await make('/api/campaigns', { name: 'canary-campaign' }),
})
