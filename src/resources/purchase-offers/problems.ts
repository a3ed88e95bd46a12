import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on purchase offers. */
export const purchaseOfferProblems = declareProblems('purchase_offer', {
  not_found: {
    code: 'POF-1001',
    status: 404,
    description: 'No purchase offer of this tenant has this id. An id of another tenant answers the same.',
    message: 'The purchase offer {id} does not exist.',
  },
  archived: {
    code: 'POF-1002',
    status: 409,
    description:
      'The purchase offer is archived and takes no other write. Restore it first with a PATCH of its status.',
    message: 'This purchase offer is archived. Please restore it before making changes.',
  },
  limit: {
    code: 'POF-1003',
    status: 422,
    description:
      'The variant already has as many purchase offers as a variant can have. Archive some before adding others.',
    message: 'A variant cannot have any more purchase offers. Maximum: {maximum}.',
  },
  window_reversed: {
    code: 'POF-1004',
    status: 422,
    description:
      'validUntil is not later than validFrom. Send a window whose end lies after its start, or null for an open end.',
    message: 'The end of the validity period must be later than its start.',
  },
  external_id_taken: {
    code: 'POF-1005',
    status: 409,
    description:
      'Another purchase offer that is not archived has this externalId. Send another one, or write to that purchase offer.',
    message: 'Another purchase offer already has the external ID “{externalId}”.',
  },
  variant_immutable: {
    code: 'POF-1006',
    status: 422,
    description:
      'The variant of a purchase offer is set at creation. Archive this offer and create one for the other variant.',
    message: 'The variant of this purchase offer cannot be changed. Please create a new one instead.',
  },
})
