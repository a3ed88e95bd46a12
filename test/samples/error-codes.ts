import type { Samples } from '../support/sampling.ts'

export const samples: Samples = async () => ({
  listErrorCodes: () => ({ params: {} }),
  getErrorCode: () => ({ params: { code: 'PRD-1001' } }),
})
