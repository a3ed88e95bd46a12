import { declareProblems } from '../../core/problem.ts'
import { archived, externalIdTaken, notFound } from '../shared/problems.ts'

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

/** The problems of operations on product options. */
export const productOptionProblems = declareProblems('product_option', {
  not_found: notFound('OPT-1001', 'product option', 'option'),
  title_taken: {
    code: 'OPT-1002',
    status: 409,
    description:
      'Another option of the same product has this title in this locale. Send another title, or write to that option.',
    message: 'This product already has an option called “{title}”.',
  },
  in_use: {
    code: 'OPT-1003',
    status: 409,
    description:
      'An active variant has a value of this option, so it cannot be deleted. Archive those variants first.',
    message: 'This option is used by variants of the product and cannot be deleted.',
  },
  limit: {
    code: 'OPT-1004',
    status: 422,
    description:
      'The product already has as many options as a product can have. Delete one that is not in use before adding another.',
    message: 'A product cannot have any more options. Maximum: {maximum}.',
  },
  external_id_taken: externalIdTaken('OPT-1005', 'product option', 'option'),
})

/** The problems of operations on option values. */
export const optionValueProblems = declareProblems('option_value', {
  not_found: notFound('OVL-1001', 'option value', 'option value'),
  title_taken: {
    code: 'OVL-1002',
    status: 409,
    description:
      'Another value of the same option has this title in this locale. Send another title, or write to that value.',
    message: 'This option already has a value called “{title}”.',
  },
  in_use: {
    code: 'OVL-1003',
    status: 409,
    description:
      'An active variant has this option value, so it cannot be deleted. Archive those variants first.',
    message: 'This value is used by variants of the product and cannot be deleted.',
  },
  limit: {
    code: 'OVL-1004',
    status: 422,
    description:
      'The option already has as many values as an option can have. Delete one that is not in use before adding another.',
    message: 'An option cannot have any more values. Maximum: {maximum}.',
  },
  external_id_taken: externalIdTaken('OVL-1005', 'option value', 'option value'),
})

/** The problems of operations on variants. */
export const variantProblems = declareProblems('variant', {
  not_found: {
    code: 'VAR-1001',
    status: 404,
    description: 'No variant of this product has this id. An id of another tenant answers the same.',
    message: 'The variant {id} does not exist.',
  },
  sku_taken: {
    code: 'VAR-1002',
    status: 409,
    description:
      'Another variant that is not archived has this SKU, on this or another product. Send another one, or archive that variant.',
    message: 'Another variant already has the SKU “{sku}”.',
    takenName: 'sku',
  },
  combination_exists: {
    code: 'VAR-1003',
    status: 409,
    description:
      'Another active variant of the product has the same option values. Send other values, or change the variant that has these.',
    message: 'This product already has a variant with this combination of options.',
  },
  option_values_incomplete: {
    code: 'VAR-1004',
    status: 422,
    description:
      'optionValues does not have exactly one value for each option of the product. Send one value per option.',
    message: 'Please choose exactly one value for each option of the product.',
  },
  option_value_foreign: {
    code: 'VAR-1005',
    status: 422,
    description:
      'The option value does not exist, or belongs to an option of another product. Send a value of an option of this product.',
    message: 'This option value does not belong to this product.',
  },
  limit: {
    code: 'VAR-1006',
    status: 422,
    description:
      'The product already has as many active variants as a product can have. Archive some before adding others.',
    message: 'A product cannot have any more variants. Maximum: {maximum}.',
  },
  archived: archived('VAR-1007', 'variant'),
  external_id_taken: externalIdTaken('VAR-1008', 'variant', 'variant', 'variant that is not archived'),
})
