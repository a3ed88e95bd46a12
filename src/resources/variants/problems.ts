import { declareProblems } from '../../core/problem.ts'
import { archived, externalIdTaken } from '../shared/problems.ts'

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
