import type { Canaries, Samples } from '../../../../test/support/sampling.ts'
import { plainProduct, productCanary } from '../samples.ts'

export const samples: Samples = async (shop) => {
  const { next } = shop
  const { id: productId, variants } = await plainProduct(shop)
  const params = { productId, variantId: variants[0].id }
  return {
    listVariants: () => ({ params: { productId } }),
    createVariants: () => ({
      params: { productId },
      body: { optionValues: [{ option: 'Colour', value: 'Blue' }] },
    }),
    getVariant: () => ({ params }),
    patchVariant: () => ({ params, body: { sku: next() } }),
    deleteVariant: () => ({ params }),
    getVariantMatrix: () => ({ params: { id: productId } }),
  }
}

export const canaries: Canaries = async (shop) => {
  const { variants } = await productCanary(shop)
  return { variant: variants[0] }
}
