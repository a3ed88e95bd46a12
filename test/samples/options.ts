import { type Canaries, once, type Samples, sampleTexts } from '../support/sampling.ts'
import { productCanary, sampleProduct } from './products.ts'

/** An option that no variant uses. */
export const spareOption = once(async (shop) => {
  const product = await sampleProduct(shop)
  return shop.make(`${product['@id']}/product_options`, { title: 'Spare' })
})

export const samples: Samples = async (shop) => {
  const { next } = shop
  const { id: productId } = await sampleProduct(shop)
  const { id } = await spareOption(shop)
  return {
    listProductOptions: () => ({ params: { productId } }),
    createProductOption: () => ({ params: { productId }, body: { title: next() } }),
    getProductOption: () => ({ params: { id } }),
    patchProductOption: () => ({ params: { id }, body: { title: next() } }),
    deleteProductOption: () => ({ params: { id } }),
    getProductOptionTranslations: () => ({ params: { id } }),
    listProductOptionTranslations: () => ({ params: {}, query: { missing: 'fr-FR' } }),
    putProductOptionTranslations: () => ({ params: { id }, body: sampleTexts(shop) }),
  }
}

export const canaries: Canaries = async (shop) => {
  const { options } = await productCanary(shop)
  return { product_option: options[0] }
}
