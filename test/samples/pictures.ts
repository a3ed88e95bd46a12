import { smallestPng } from '../support/pictures.ts'
import type { Samples } from '../support/sampling.ts'

export const samples: Samples = async () => ({
  uploadPicture: () => ({ params: {}, body: smallestPng() }),
})
