import { declareProblems } from '../../core/problem.ts'
import { offerProblems } from '../offers/problems.ts'

export const purchaseOfferProblems = declareProblems(
  'purchase_offer',
  offerProblems('purchase offer', {
    notFound: 'POF-1001',
    archived: 'POF-1002',
    limit: 'POF-1003',
    windowReversed: 'POF-1004',
    externalIdTaken: 'POF-1005',
    variantImmutable: 'POF-1006',
  }),
)
