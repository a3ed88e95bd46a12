import { declareProblems } from '../../core/problem.ts'

export const pictureProblems = declareProblems('picture', {
  not_found: {
    code: 'PIC-1001',
    status: 404,
    description: 'No picture of this tenant has this address. A picture of another tenant answers the same.',
    message: 'The picture {id} does not exist.',
  },
  no_bucket: {
    code: 'PIC-1002',
    status: 409,
    description:
      'The operator has bound no bucket for pictures, so none can be uploaded. Give pictures of products by their addresses elsewhere.',
    message: 'Pictures cannot be uploaded here. Please give the address of the picture instead.',
  },
  unknown_format: {
    code: 'PIC-1003',
    status: 422,
    description:
      'The first bytes of the body are of no format that is taken, whatever its Content-Type says: PNG, JPEG, WebP, AVIF, GIF. SVG is not taken, because it can hold scripts.',
    message: 'This file is not a picture that can be used. Please choose PNG, JPEG, WebP, AVIF or GIF.',
  },
  wrong_length: {
    code: 'PIC-1004',
    status: 400,
    description:
      'The body has more or fewer bytes than its Content-Length announced. Nothing was stored. Send the complete picture again.',
    message: 'The picture did not arrive whole. Please try again.',
  },
  storage_unavailable: {
    code: 'PIC-1005',
    status: 503,
    description: 'The bucket of pictures cannot be reached. Retry after the time in Retry-After.',
    message: 'Pictures are temporarily unavailable. Please try again shortly.',
  },
})
