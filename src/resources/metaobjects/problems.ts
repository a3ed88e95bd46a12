import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken } from '../shared/problems.ts'

export const metaobjectProblems = declareProblems('metaobject', {
  not_found: {
    code: 'MOB-1001',
    status: 404,
    description:
      'No metaobject of this tenant has this id, or type and handle, or it is a draft that the caller may not see. An id of another tenant answers the same.',
    message: 'The entry {id} does not exist.',
  },
  handle_taken: {
    code: 'MOB-1002',
    status: 409,
    description:
      'Another metaobject of the same type has this handle. Send another one, or write to that metaobject.',
    message: 'Another entry of this type already uses the handle “{handle}”.',
    takenName: 'handle',
  },
  field_invalid: {
    code: 'MOB-1003',
    status: 422,
    description:
      'The value of a field does not fit the type or the validations of its definition. Send a value as the metafield definition type describes it.',
    message: 'The content of the field “{key}” is not valid ({rule}).',
  },
  incomplete: {
    code: 'MOB-1004',
    status: 422,
    description:
      'A metaobject becomes or stays ACTIVE only when its required fields have valid values. Send those that the message names, or keep it as DRAFT.',
    message: 'Please complete these fields before publishing: {keys}.',
  },
  definition_immutable: {
    code: 'MOB-1005',
    status: 422,
    description:
      'The definition of a metaobject is set at creation. Create a new metaobject of the other definition.',
    message: 'The type of this entry cannot be changed. Please create a new entry instead.',
  },
  external_id_taken: externalIdTaken('MOB-1006', 'metaobject', 'entry', 'metaobject that is not archived'),
})
