import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken, notFound } from '../shared/problems.ts'

/** The advice for a write that an archived product or variant does not take. */
export function restoreHelp(iri: string): string {
  return `${iri} is archived. Restore it first: PATCH it with {"status": "ACTIVE"}.`
}

/** The errors of operations on products. */
export const productProblems = declareProblems('product', {
  not_found: notFound('PRD-1001', 'product', 'product'),
  handle_taken: {
    code: 'PRD-1002',
    status: 409,
    description:
      'Another product has this handle. Send another one, or omit it, so that the service derives a free one from the title.',
    message: 'Another product already uses the handle “{handle}”.',
    takenName: 'handle',
  },
  archived: {
    code: 'PRD-1003',
    status: 409,
    description:
      'The product is archived, so nothing on it or below it can be written. Restore it first with a PATCH of its status.',
    message: 'This product is archived. Please restore it before making changes.',
  },
  external_id_taken: externalIdTaken('PRD-1004', 'product', 'product', 'product that is not archived'),
  options_required: {
    code: 'PRD-1005',
    status: 422,
    description:
      'A product without options can have only one variant, and the request adds another. Send `options` with the new product or create them first. Each variant then names one value of each.',
    message: 'A product without options can have only one variant. Please add an option first.',
  },
})
