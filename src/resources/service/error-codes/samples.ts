import type { Samples } from '../../../../test/support/sampling.ts'

export const samples: Samples = async () => ({
  listErrorCodes: () => ({ params: {} }),
  getErrorCode: () => ({ params: { code: 'PRD-1001' } }),
})
