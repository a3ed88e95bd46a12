import type { Canaries, Samples } from '../support/sampling.ts'

export const samples: Samples = async ({ make, count, next }) => {
  // Other samples of the same shop have other regions.
  const region = () => String(100 + Math.floor(Math.random() * 900))
  const { id } = await make('/api/search_synonyms', { locale: `sv-${region()}` })
  const spare = await make('/api/search_synonyms', { locale: `da-${region()}` })
  return {
    listSearchSynonyms: () => ({ params: {} }),
    createSearchSynonyms: () => ({
      params: {},
      body: { locale: `${['en', 'de', 'fr', 'es'][count() % 4]}-${region()}`, sets: [['sofa', 'couch']] },
    }),
    getSearchSynonyms: () => ({ params: { id } }),
    patchSearchSynonyms: () => ({ params: { id }, body: { sets: [['sofa', next().replaceAll(' ', '-')]] } }),
    deleteSearchSynonyms: () => ({ params: { id: spare.id } }),
  }
}

export const canaries: Canaries = async ({ make }) => {
  const sets = [['sofa', 'canary-search_synonyms']]
  return { search_synonyms: await make('/api/search_synonyms', { locale: 'nl-NL', sets }) }
}
