import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on a brand. */
export const brandProblems = declareProblems('brand', {
  not_found: {
    code: 'BRD-1001',
    status: 404,
    description: 'No brand of this tenant has this id. An id of another tenant answers the same.',
    message: 'The brand {id} does not exist.',
  },
  handle_taken: {
    code: 'BRD-1002',
    status: 409,
    description:
      'Another brand has this handle. Send another one, or none to have a free one derived from the title.',
    message: 'Another brand already uses the handle “{handle}”.',
    takenName: 'handle',
  },
  external_id_taken: {
    code: 'BRD-1003',
    status: 409,
    description: 'Another brand has this externalId. Send another one, or write to that brand.',
    message: 'Another brand already has the external ID “{externalId}”.',
    takenName: 'externalId',
  },
})
