import type { Canaries, Samples } from '../support/sampling.ts'
import { productCanary, sampleProduct } from './products.ts'

export const samples: Samples = async (shop) => {
  const { make, count } = shop
  const { variants } = await sampleProduct(shop)
  const offer = { variant: variants[0]['@id'], currency: 'EUR' }
  const changing = { key: 'changing', channel: 'web', country: 'FR', currency: 'EUR' }
  const market = await make('/api/markets', changing)
  // Offers of before the market's prices were complete are no changes.
  while (!(await shop.get(market['@id'])).body.pricesCompleteAt);
  const { id } = await make('/api/sale_offers', { ...offer, amount: '10.00' })
  await make('/api/sale_offers', { ...offer, amount: '11.00', externalId: 'keyed' })
  // Reduced from its first moment, which the policy of Germany does not allow.
  const reduced = { currency: 'EUR', amount: '8.00', compareAtAmount: '10.00' }
  await make('/api/products', { title: 'Reduced', status: 'ACTIVE', variants: [{ saleOffers: [reduced] }] })
  return {
    getMarketSuggestions: () => ({ params: {} }),
    previewPrices: () => ({
      params: {},
      body: {
        saleOffers: [{ ...offer, amount: '9.00', compareAtAmount: '10.00' }],
        contexts: [{ channel: 'web', country: 'DE' }],
      },
    }),
    listPriceChanges: () => ({ params: {}, query: { market: changing.key } }),
    listPriceAnnouncements: () => ({
      params: {},
      query: {
        'resolveContext[channel]': 'web',
        'resolveContext[country]': 'DE',
        'resolveContext[at]': '2090-10-01T00:00:00Z',
      },
    }),
    listPricePolicies: () => ({ params: {} }),
    getPricePolicy: () => ({ params: { country: 'DE' } }),
    choosePricePolicy: () => ({ params: { country: 'SE' }, body: { days: 30 + count() } }),
    removePricePolicy: () => ({ params: { country: 'NO' } }),
    listSaleOffers: () => ({ params: {} }),
    createSaleOffers: () => ({ params: {}, body: { ...offer, amount: '12.50' } }),
    getSaleOffer: () => ({ params: { id } }),
    upsertSaleOffer: () => ({ params: { externalId: 'keyed' }, body: { priority: count() } }),
    patchSaleOffer: () => ({ params: { id }, body: { priority: count() } }),
    patchSaleOffers: () => ({ params: {}, body: [{ '@id': `/api/sale_offers/${id}`, priority: count() }] }),
    deleteSaleOffer: () => ({ params: { id } }),
  }
}

export const canaries: Canaries = async (shop) => {
  const { variants } = await productCanary(shop)
  const offer = { variant: variants[0]['@id'], currency: 'EUR', amount: '10.00' }
  return { sale_offer: await shop.make('/api/sale_offers', { ...offer, channel: 'canary-sale_offer' }) }
}
