import { type EventedResource, operation } from '../../../core/operation.ts'
import { metaobjectDefinitionProblems } from './problems.ts'
import { definitionListParameters, getDefinition, listDefinitions } from './read.ts'
import { patchedDefinition, metaobjectDefinition as shape } from './schema.ts'
import { createDefinition, deleteDefinition, metaobjectDefinitionKind, patchDefinition } from './write.ts'

const common = { shape, notFound: metaobjectDefinitionProblems.not_found }
const list = '/api/metaobject_definitions'
const item = '/api/metaobject_definitions/{id}'

export const resource: EventedResource = {
  shape,
  kind: metaobjectDefinitionKind,
  problems: Object.values(metaobjectDefinitionProblems),
  operations: [
    operation({
      ...common,
      name: 'listMetaobjectDefinitions',
      summary: 'List metaobject definitions',
      method: 'GET',
      mayBeKept: true,
      path: list,
      scope: 'metaobject_definitions:read',
      answers: 'collection',
      query: definitionListParameters,
      run: listDefinitions,
    }),
    operation({
      ...common,
      name: 'createMetaobjectDefinition',
      summary: 'Create a metaobject definition',
      method: 'POST',
      path: list,
      scope: 'metaobject_definitions:write',
      answers: 'item',
      query: {},
      body: { mode: 'create' },
      emits: ['metaobject_definition/created'],
      run: createDefinition,
    }),
    operation({
      ...common,
      name: 'getMetaobjectDefinition',
      summary: 'Read a metaobject definition',
      method: 'GET',
      mayBeKept: true,
      path: item,
      scope: 'metaobject_definitions:read',
      answers: 'item',
      query: {},
      run: getDefinition,
    }),
    operation({
      ...common,
      name: 'patchMetaobjectDefinition',
      summary: 'Change a metaobject definition',
      description:
        'Once there are metaobjects, what would invalidate values is refused (409): a field removed, retyped, or given another rule.',
      method: 'PATCH',
      path: item,
      scope: 'metaobject_definitions:write',
      answers: 'item',
      query: {},
      body: { mode: 'patch', shape: patchedDefinition },
      emits: ['metaobject_definition/updated'],
      run: patchDefinition,
    }),
    operation({
      ...common,
      name: 'deleteMetaobjectDefinition',
      summary: 'Delete a metaobject definition without metaobjects',
      method: 'DELETE',
      path: item,
      scope: 'metaobject_definitions:write',
      answers: 'empty',
      query: {},
      emits: ['metaobject_definition/deleted'],
      run: deleteDefinition,
    }),
  ],
}
