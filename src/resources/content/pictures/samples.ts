import { smallestPng } from '../../../../test/support/pictures.ts'
import type { Samples } from '../../../../test/support/sampling.ts'

export const samples: Samples = async () => ({
  uploadPicture: () => ({ params: {}, body: smallestPng() }),
})
