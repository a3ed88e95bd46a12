import { declareProblems } from '../../core/problem.ts'
import { externalIdTaken, notFound } from '../shared/problems.ts'

export const metaobjectDefinitionProblems = declareProblems('metaobject_definition', {
  not_found: notFound('MOD-1001', 'metaobject definition', 'content definition'),
  type_taken: {
    code: 'MOD-1002',
    status: 409,
    description:
      'Another metaobject definition has this type. Send another type, or write to that definition.',
    message: 'Another content definition already uses the type “{type}”.',
    takenName: 'type',
  },
  type_immutable: {
    code: 'MOD-1003',
    status: 422,
    description:
      'The type of a metaobject definition is set at creation. Create a new definition with the other type.',
    message: 'The type of a content definition cannot be changed. Please create a new definition instead.',
  },
  in_use: {
    code: 'MOD-1004',
    status: 409,
    description:
      'Metaobjects of this definition exist, so it cannot be deleted, nor can a field change in a way that their values do not fit. Delete those metaobjects first.',
    message: 'This content definition is in use, so this change is not possible.',
  },
  field_key_taken: {
    code: 'MOD-1005',
    status: 422,
    description:
      'Two entries of fieldDefinitions have the same key. Give each field of a definition a key of its own.',
    message: 'This definition already has a field with the key “{key}”.',
  },
  display_name_field: {
    code: 'MOD-1006',
    status: 422,
    description:
      'displayNameField does not name a field of fieldDefinitions whose type can serve as a name. Send the key of such a field, or null.',
    message: 'Please choose a text field of this definition as the display name.',
  },
  external_id_taken: externalIdTaken('MOD-1007', 'metaobject definition', 'content definition'),
})

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
