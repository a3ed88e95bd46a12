import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken, notFound } from '../shared/problems.ts'

export const campaignProblems = declareProblems('campaign', {
  not_found: notFound('CMP-1001', 'campaign', 'campaign'),
  external_id_taken: externalIdTaken('CMP-1002', 'campaign', 'campaign'),
  window_reversed: {
    code: 'CMP-1003',
    status: 422,
    description:
      'The campaign would end at or before its start. Send a validUntil after validFrom, or null for no end.',
    message: 'The end of the campaign must be after its start.',
  },
  in_use: {
    code: 'CMP-1004',
    status: 409,
    description:
      'Sale offers, also archived ones, refer to the campaign. Give those of GET /api/sale_offers?campaign=… another campaign or null first. An archived offer has to be restored for that.',
    message: 'The campaign still has sale offers and cannot be deleted.',
  },
})
