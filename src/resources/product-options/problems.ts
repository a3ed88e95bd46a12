import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken, notFound } from '../shared/problems.ts'

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
