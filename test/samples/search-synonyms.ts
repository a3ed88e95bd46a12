import type { Canaries, Samples } from '../support/sampling.ts'

export const samples: Samples = async ({ make, count, next }) => {
  const { id } = await make('/api/search_synonyms', { locale: 'en-US' })
  const spare = await make('/api/search_synonyms', { locale: 'de-DE' })
  return {
    listSearchSynonyms: () => ({ params: {} }),
    createSearchSynonyms: () => ({
      params: {},
      body: { locale: `en-${String(count()).padStart(3, '0')}`, sets: [['sofa', 'couch']] },
    }),
    getSearchSynonyms: () => ({ params: { id } }),
    patchSearchSynonyms: () => ({ params: { id }, body: { sets: [['sofa', next().replaceAll(' ', '-')]] } }),
    deleteSearchSynonyms: () => ({ params: { id: spare.id } }),
  }
}

export const canaries: Canaries = async ({ make }) => {
  const sets = [['sofa', 'canary-search_synonyms']]
  return { search_synonyms: await make('/api/search_synonyms', { locale: 'en-US', sets }) }
}
