import { type Canaries, type Samples, sampleTexts } from '../support/sampling.ts'
import { sampleProduct } from './products.ts'

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const product = await sampleProduct(shop)
  const { id } = await make('/api/collections', { title: 'Summer' })
  const spare = await make('/api/collections', { title: 'Spare' })
  await make(`/api/collections/${id}/products`, { product: product['@id'] })
  const loose = await make('/api/products', { title: 'Loose' })
  await make('/api/collections', { title: 'Keyed', externalId: 'keyed' })
  return {
    listCollections: () => ({ params: {} }),
    createCollection: () => ({ params: {}, body: { title: `Winter ${next()}` } }),
    getCollection: () => ({ params: { id } }),
    upsertCollection: () => ({ params: { externalId: 'keyed' }, body: { description: next() } }),
    patchCollection: () => ({ params: { id }, body: { description: next() } }),
    patchCollections: () => ({
      params: {},
      body: [{ '@id': `/api/collections/${id}`, description: next() }],
    }),
    deleteCollection: () => ({ params: { id: spare.id } }),
    countCollectionProducts: () => ({
      params: {},
      body: {
        rules: { conditions: [{ field: 'createdAt', operator: 'AFTER', value: '2020-01-01T00:00:00Z' }] },
      },
    }),
    listCollectionProducts: () => ({ params: { id } }),
    addCollectionProducts: () => ({ params: { id }, body: { product: loose['@id'] } }),
    removeCollectionProduct: () => ({ params: { id, productId: product.id } }),
    getProductCollectionTranslations: () => ({ params: { id } }),
    listProductCollectionTranslations: () => ({ params: {}, query: { missing: 'fr-FR' } }),
    putProductCollectionTranslations: () => ({ params: { id }, body: sampleTexts(shop) }),
  }
}

export const canaries: Canaries = async ({ make }) => ({
  collection: await make('/api/collections', { title: 'canary-collection' }),
})
