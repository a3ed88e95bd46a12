import { type Canaries, once, type Samples, sampleTexts } from '../support/sampling.ts'

/** The category that other samples are in. */
export const sampleCategory = once(({ make }) =>
  make('/api/categories', { title: 'Shoes', fields: { season: 'winter' } }),
)

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const { id, handle } = await sampleCategory(shop)
  const spare = await make('/api/categories', { title: 'Spare' })
  await make('/api/categories', { title: 'Keyed', externalId: 'keyed' })
  return {
    listCategories: () => ({ params: {} }),
    createCategories: () => ({ params: {}, body: { title: `Hats ${next()}` } }),
    getCategory: () => ({ params: { id } }),
    getCategoryByPath: () => ({ params: { path: String(handle) } }),
    upsertCategory: () => ({ params: { externalId: 'keyed' }, body: { description: next() } }),
    patchCategory: () => ({ params: { id }, body: { description: next() } }),
    patchCategories: () => ({ params: {}, body: [{ '@id': `/api/categories/${id}`, description: next() }] }),
    deleteCategory: () => ({ params: { id: spare.id } }),
    getCategoryTranslations: () => ({ params: { id } }),
    listCategoryTranslations: () => ({ params: {}, query: { missing: 'fr-FR' } }),
    putCategoryTranslations: () => ({ params: { id }, body: sampleTexts(shop) }),
  }
}

export const canaries: Canaries = async ({ make }) => ({
  category: await make('/api/categories', { title: 'canary-category', handle: 'food' }),
})
