import { declareProblems } from '../../core/problem.ts'

/** The advice for a write that an archived product or variant does not take. */
export function restoreHelp(iri: string): string {
  return `${iri} is archived. Restore it first: PATCH it with {"status": "ACTIVE"}.`
}

/** The errors of operations on products. */
export const productProblems = declareProblems('product', {
  not_found: {
    code: 'PRD-1001',
    status: 404,
    description: 'No product of this tenant has this id. An id of another tenant answers the same.',
    message: 'The product {id} does not exist.',
  },
  handle_taken: {
    code: 'PRD-1002',
    status: 409,
    description:
      'Another product has this handle. Send another one, or omit it, so that the service derives a free one from the title.',
    message: 'Another product already uses the handle “{handle}”.',
  },
  archived: {
    code: 'PRD-1003',
    status: 409,
    description:
      'The product is archived, so nothing on it or below it can be written. Restore it first with a PATCH of its status.',
    message: 'This product is archived. Please restore it before making changes.',
  },
  external_id_taken: {
    code: 'PRD-1004',
    status: 409,
    description:
      'Another product that is not archived has this externalId. Send another one, or write to that product.',
    message: 'Another product already has the external ID “{externalId}”.',
  },
  options_required: {
    code: 'PRD-1005',
    status: 422,
    description:
      'A product without options can have only one variant, and the request adds another. Send `options` with the new product or create them first. Each variant then names one value of each.',
    message: 'A product without options can have only one variant. Please add an option first.',
  },
})
