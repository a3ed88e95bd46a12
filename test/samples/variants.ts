import type { Canaries, Samples } from '../support/sampling.ts'
import { plainProduct, productCanary, sampleProduct } from './products.ts'

/** A future time at which nothing changes, so that every response is the same. */
const query = {
  'resolveContext[channel]': 'web',
  'resolveContext[country]': 'FR',
  from: '2090-01-01T00:00:00Z',
  until: '2090-07-01T00:00:00Z',
}

export const samples: Samples = async (shop) => {
  const { next } = shop
  const { id: productId, variants } = await plainProduct(shop)
  const params = { productId, variantId: variants[0].id }
  const priced = await sampleProduct(shop)
  const pricedParams = { productId: priced.id, variantId: priced.variants[0].id }
  return {
    listVariants: () => ({ params: { productId } }),
    createVariants: () => ({
      params: { productId },
      body: { optionValues: [{ option: 'Colour', value: 'Blue' }] },
    }),
    getVariant: () => ({ params }),
    patchVariant: () => ({ params, body: { sku: next() } }),
    patchVariants: () => ({
      params: { productId },
      body: [{ '@id': `/api/products/${productId}/variants/${variants[0].id}`, sku: next() }],
    }),
    deleteVariant: () => ({ params }),
    listPriceTimelines: () => ({ params: { id: priced.id }, query }),
    getPriceTimeline: () => ({ params: pricedParams, query }),
  }
}

export const canaries: Canaries = async (shop) => {
  const { variants } = await productCanary(shop)
  return { variant: variants[0] }
}
