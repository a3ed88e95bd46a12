import type { Samples } from '../support/sampling.ts'

export const samples: Samples = async () => ({
  listVersions: () => ({ params: {} }),
  getVersion: () => ({ params: { name: '2026-10' } }),
})
