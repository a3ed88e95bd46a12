import * as z from 'zod'
import { type EventedResource, operation } from '../../core/operation.ts'
import { operationsOf, upsertDescription } from '../shared/ordinary-operations.ts'
import { metaobjectKind } from './document.ts'
import { getMetaobject, getMetaobjectByHandle, listMetaobjects, metaobjectListParameters } from './list.ts'
import { metaobjectProblems } from './problems.ts'
import { patchedMetaobject, metaobject as shape } from './schema.ts'
import {
  createMetaobject,
  deleteMetaobject,
  forgetLocaleOfMetaobject,
  patchMetaobject,
  upsertMetaobject,
} from './write.ts'

const {
  listOperation,
  createOperation,
  getOperation,
  patchOperation,
  batchOperation,
  upsertOperation,
  deleteOperation,
} = operationsOf({
  shape,
  notFound: metaobjectProblems.not_found,
  list: '/api/metaobjects',
  item: '/api/metaobjects/{id}',
  readScope: 'metaobjects:read',
  writeScope: 'metaobjects:write',
})

export const resource: EventedResource = {
  shape,
  kind: metaobjectKind,
  problems: Object.values(metaobjectProblems),
  forgetLocale: forgetLocaleOfMetaobject,
  operations: [
    listOperation({
      name: 'listMetaobjects',
      summary: 'List metaobjects',
      query: metaobjectListParameters,
      run: listMetaobjects,
    }),
    createOperation({
      name: 'createMetaobject',
      summary: 'Create a metaobject',
      body: { mode: 'create' },
      emits: ['metaobject/created'],
      run: createMetaobject,
    }),
    getOperation({
      name: 'getMetaobject',
      summary: 'Read a metaobject',
      run: getMetaobject,
    }),
    operation({
      shape,
      notFound: metaobjectProblems.not_found,
      name: 'getMetaobjectByHandle',
      summary: 'Read a metaobject by its type and handle',
      method: 'GET',
      isCacheable: true,
      path: '/api/metaobjects/{type}/{handle}',
      params: { type: z.string(), handle: z.string() },
      scope: 'metaobjects:read',
      answers: 'item',
      run: getMetaobjectByHandle,
    }),
    patchOperation({
      name: 'patchMetaobject',
      summary: 'Change a metaobject, publish it or take it back',
      description:
        'An array of `fields` replaces shared values and those of the written locale; other locales keep theirs.',
      body: { mode: 'patch', shape: patchedMetaobject },
      emits: ['metaobject/updated'],
      run: patchMetaobject,
    }),
    batchOperation({
      name: 'patchMetaobjects',
      summary: 'Change several metaobjects',
      emits: ['metaobject/updated'],
    }),
    upsertOperation({
      name: 'upsertMetaobject',
      summary: 'Create or change the metaobject with an external id',
      description: upsertDescription,
      body: { mode: 'patch', shape: patchedMetaobject },
      emits: ['metaobject/created', 'metaobject/updated'],
      run: upsertMetaobject,
    }),
    deleteOperation({
      name: 'deleteMetaobject',
      summary: 'Delete a metaobject',
      description: 'References to it stay as they are and resolve to nothing.',
      emits: ['metaobject/deleted'],
      run: deleteMetaobject,
    }),
  ],
}
