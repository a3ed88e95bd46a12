import type { Canaries, Samples } from '../support/sampling.ts'

const market = { channel: 'web', country: 'FR', currency: 'EUR' }

export const samples: Samples = async ({ make, count, next }) => {
  const { id } = await make('/api/markets', { ...market, key: 'sample' })
  const spare = await make('/api/markets', { ...market, key: 'spare' })
  return {
    listMarkets: () => ({ params: {} }),
    createMarket: () => ({ params: {}, body: { ...market, key: `market-${count()}` } }),
    getMarket: () => ({ params: { id } }),
    patchMarket: () => ({ params: { id }, body: { name: next() } }),
    deleteMarket: () => ({ params: { id: spare.id } }),
  }
}

export const canaries: Canaries = async ({ make }) => ({
  market: await make('/api/markets', { ...market, key: 'canary', name: 'canary-market' }),
})
