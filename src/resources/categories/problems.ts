import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken, notFound } from '../shared/problems.ts'

export const categoryProblems = declareProblems('category', {
  not_found: notFound('CAT-1001', 'category', 'category'),
  handle_taken: {
    code: 'CAT-1002',
    status: 409,
    description:
      'Another category has this handle. Send another one, or none to have a free one derived from the title.',
    message: 'Another category already uses the handle “{handle}”.',
    takenName: 'handle',
  },
  cycle: {
    code: 'CAT-1003',
    status: 422,
    description:
      'The category would become its own ancestor through parent or children. Choose a parent outside of its own subtree.',
    message: 'A category cannot be placed below itself.',
  },
  too_deep: {
    code: 'CAT-1004',
    status: 422,
    description:
      'The category, or one below it, would be deeper in the tree than is allowed. Choose a parent nearer to the root.',
    message: 'The category tree would become too deep. Maximum number of levels: {maximum}.',
  },
  has_children: {
    code: 'CAT-1005',
    status: 409,
    description: 'The category has child categories, so it cannot be deleted. Move or delete those first.',
    message: 'This category contains other categories and cannot be deleted.',
  },
  in_use: {
    code: 'CAT-1006',
    status: 409,
    description:
      'Products that are not archived are still in the category, so it cannot be deleted. Take them out of it first.',
    message: 'This category is still in use and cannot be deleted.',
  },
  external_id_taken: externalIdTaken('CAT-1007', 'category', 'category', 'category that is not archived'),
})
