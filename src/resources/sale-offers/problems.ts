import { declareProblems } from '../../core/problem.ts'
import { offerProblems } from '../offers/problems.ts'

const { not_found, archived, limit, ...others } = offerProblems('sale offer', {
  notFound: 'SOF-1001',
  archived: 'SOF-1002',
  limit: 'SOF-1003',
  windowReversed: 'SOF-1005',
  externalIdTaken: 'SOF-1006',
  variantImmutable: 'SOF-1007',
})

/** The documentation lists them in this order. */
export const saleOfferProblems = declareProblems('sale_offer', {
  not_found,
  archived,
  limit,
  compare_at_not_above: {
    code: 'SOF-1004',
    status: 422,
    description:
      'compareAtAmount is not above amount. Send a higher one, or null when there is no price to compare with.',
    message: 'The comparison price must be higher than the price.',
  },
  ...others,
})
