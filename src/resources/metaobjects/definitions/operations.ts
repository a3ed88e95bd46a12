import type { EventedResource } from '../../../core/operation.ts'
import { operationsOf } from '../../shared/ordinary-operations.ts'
import { metaobjectDefinitionProblems } from '../problems.ts'
import { definitionListParameters, getDefinition, listDefinitions } from './read.ts'
import { patchedDefinition, metaobjectDefinition as shape } from './schema.ts'
import { createDefinition, deleteDefinition, metaobjectDefinitionKind, patchDefinition } from './write.ts'

const { listOperation, createOperation, getOperation, patchOperation, deleteOperation } = operationsOf({
  shape,
  notFound: metaobjectDefinitionProblems.not_found,
  list: '/api/metaobject_definitions',
  item: '/api/metaobject_definitions/{id}',
  readScope: 'metaobject_definitions:read',
  writeScope: 'metaobject_definitions:write',
})

export const resource: EventedResource = {
  shape,
  kind: metaobjectDefinitionKind,
  problems: Object.values(metaobjectDefinitionProblems),
  operations: [
    listOperation({
      name: 'listMetaobjectDefinitions',
      summary: 'List metaobject definitions',
      query: definitionListParameters,
      run: listDefinitions,
    }),
    createOperation({
      name: 'createMetaobjectDefinition',
      summary: 'Create a metaobject definition',
      body: { mode: 'create' },
      emits: ['metaobject_definition/created'],
      run: createDefinition,
    }),
    getOperation({
      name: 'getMetaobjectDefinition',
      summary: 'Read a metaobject definition',
      run: getDefinition,
    }),
    patchOperation({
      name: 'patchMetaobjectDefinition',
      summary: 'Change a metaobject definition',
      description:
        'Once there are metaobjects, what would invalidate values is refused (409): a field removed, retyped, or given another rule.',
      body: { mode: 'patch', shape: patchedDefinition },
      emits: ['metaobject_definition/updated'],
      run: patchDefinition,
    }),
    deleteOperation({
      name: 'deleteMetaobjectDefinition',
      summary: 'Delete a metaobject definition without metaobjects',
      emits: ['metaobject_definition/deleted'],
      run: deleteDefinition,
    }),
  ],
}
