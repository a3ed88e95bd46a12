import { declareProblems } from '../../core/problem.ts'
import { archived, externalIdTaken, notFound } from '../shared/problems.ts'

const {
  not_found,
  archived: archivedOffer,
  limit,
  ...others
} = offerProblems('sale offer', {
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
  archived: archivedOffer,
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

/** The problems that both kinds of offers have. */
function offerProblems<Noun extends 'sale offer' | 'purchase offer'>(
  noun: Noun,
  codes: Readonly<
    Record<
      'notFound' | 'archived' | 'limit' | 'windowReversed' | 'externalIdTaken' | 'variantImmutable',
      string
    >
  >,
) {
  return {
    not_found: notFound(codes.notFound, noun, noun),
    archived: archived(codes.archived, noun),
    limit: {
      code: codes.limit,
      status: 422,
      description: `The variant already has as many ${noun}s as a variant can have. Archive some before adding others.`,
      message: `A variant cannot have any more ${noun}s. Maximum: {maximum}.`,
    },
    window_reversed: {
      code: codes.windowReversed,
      status: 422,
      description:
        'validUntil is not later than validFrom. Send a window whose end lies after its start, or null for an open end.',
      message: 'The end of the validity period must be later than its start.',
    },
    external_id_taken: externalIdTaken(codes.externalIdTaken, noun, noun, `${noun} that is not archived`),
    variant_immutable: {
      code: codes.variantImmutable,
      status: 422,
      description: `The variant of a ${noun} is set at creation. Archive this offer and create one for the other variant.`,
      message: `The variant of this ${noun} cannot be changed. Please create a new one instead.`,
    },
  } as const
}
