import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on sale offers. */
export const saleOfferProblems = declareProblems('sale_offer', {
  not_found: {
    code: 'SOF-1001',
    status: 404,
    description: 'No sale offer of this tenant has this id. An id of another tenant answers the same.',
    message: 'The sale offer {id} does not exist.',
  },
  archived: {
    code: 'SOF-1002',
    status: 409,
    description:
      'The sale offer is archived and takes no other write. Restore it first with a PATCH of its status.',
    message: 'This sale offer is archived. Please restore it before making changes.',
  },
  limit: {
    code: 'SOF-1003',
    status: 422,
    description:
      'The variant already has as many sale offers as a variant can have. Archive some before adding others.',
    message: 'A variant cannot have any more sale offers. Maximum: {maximum}.',
  },
  compare_at_not_above: {
    code: 'SOF-1004',
    status: 422,
    description:
      'compareAtAmount is not above amount. Send a higher one, or null when there is no price to compare with.',
    message: 'The comparison price must be higher than the price.',
  },
  window_reversed: {
    code: 'SOF-1005',
    status: 422,
    description:
      'validUntil is not later than validFrom. Send a window whose end lies after its start, or null for an open end.',
    message: 'The end of the validity period must be later than its start.',
  },
  external_id_taken: {
    code: 'SOF-1006',
    status: 409,
    description:
      'Another sale offer that is not archived has this externalId. Send another one, or write to that sale offer.',
    message: 'Another sale offer already has the external ID “{externalId}”.',
  },
  variant_immutable: {
    code: 'SOF-1007',
    status: 422,
    description:
      'The variant of a sale offer is set at creation. Archive this offer and create one for the other variant.',
    message: 'The variant of this sale offer cannot be changed. Please create a new one instead.',
  },
})
