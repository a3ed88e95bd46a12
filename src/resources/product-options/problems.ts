import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on product options. */
export const productOptionProblems = declareProblems('product_option', {
  not_found: {
    code: 'OPT-1001',
    status: 404,
    description: 'No product option of this tenant has this id. An id of another tenant answers the same.',
    message: 'The option {id} does not exist.',
  },
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
  external_id_taken: {
    code: 'OPT-1005',
    status: 409,
    description:
      'Another product option has this externalId. Send another one, or write to that product option.',
    message: 'Another option already has the external ID “{externalId}”.',
  },
})

/** The problems of operations on option values. */
export const optionValueProblems = declareProblems('option_value', {
  not_found: {
    code: 'OVL-1001',
    status: 404,
    description: 'No option value of this tenant has this id. An id of another tenant answers the same.',
    message: 'The option value {id} does not exist.',
  },
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
  external_id_taken: {
    code: 'OVL-1005',
    status: 409,
    description: 'Another option value has this externalId. Send another one, or write to that option value.',
    message: 'Another option value already has the external ID “{externalId}”.',
  },
})
