import { type Canaries, type Samples, sampleTexts } from '../support/sampling.ts'

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const { id } = await make('/api/brands', { title: 'Acme', website: 'https://www.example.com' })
  const spare = await make('/api/brands', { title: 'Spare' })
  return {
    listBrands: () => ({ params: {} }),
    createBrand: () => ({ params: {}, body: { title: `Globex ${next()}` } }),
    getBrand: () => ({ params: { id } }),
    patchBrand: () => ({ params: { id }, body: { externalId: next() } }),
    deleteBrand: () => ({ params: { id: spare.id } }),
    getBrandTranslations: () => ({ params: { id } }),
    listBrandTranslations: () => ({ params: {}, query: { missing: 'fr-FR' } }),
    putBrandTranslations: () => ({ params: { id }, body: sampleTexts(shop) }),
  }
}

export const canaries: Canaries = async ({ make }) => ({
  brand: await make('/api/brands', { title: 'canary-brand' }),
})
