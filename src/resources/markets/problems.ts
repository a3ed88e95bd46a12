import { declareProblems } from '../../core/problem.ts'
import { notFound } from '../shared/problems.ts'

export const marketProblems = declareProblems('market', {
  not_found: notFound('MKT-1001', 'market', 'market'),
  key_taken: {
    code: 'MKT-1002',
    status: 409,
    description: 'Another market has this key. Send another key, or write to that market.',
    message: 'Another market already uses the key “{key}”.',
    takenName: 'key',
  },
  limit: {
    code: 'MKT-1003',
    status: 422,
    description: 'The tenant has reached the maximum number of markets. Delete one before adding another.',
    message: 'No more markets can be created. Maximum: {maximum}.',
  },
})
