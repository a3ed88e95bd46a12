import * as z from 'zod'
import { type EventedResource, operation } from '../../core/operation.ts'
import { metaobjectKind } from './document.ts'
import { getMetaobject, getMetaobjectByHandle, listMetaobjects, metaobjectListParameters } from './list.ts'
import { metaobjectProblems } from './problems.ts'
import { patchedMetaobject, metaobject as shape } from './schema.ts'
import { createMetaobject, deleteMetaobject, forgetLocaleOfMetaobject, patchMetaobject } from './write.ts'

const common = { shape, notFound: metaobjectProblems.not_found }
const list = '/api/metaobjects'
const item = '/api/metaobjects/{id}'

export const resource: EventedResource = {
  shape,
  kind: metaobjectKind,
  problems: Object.values(metaobjectProblems),
  forgetLocale: forgetLocaleOfMetaobject,
  operations: [
    operation({
      ...common,
      name: 'listMetaobjects',
      summary: 'List metaobjects',
      method: 'GET',
      mayBeKept: true,
      path: list,
      scope: 'metaobjects:read',
      answers: 'collection',
      query: metaobjectListParameters,
      run: listMetaobjects,
    }),
    operation({
      ...common,
      name: 'createMetaobject',
      summary: 'Create a metaobject',
      method: 'POST',
      path: list,
      scope: 'metaobjects:write',
      answers: 'item',
      query: {},
      body: { mode: 'create' },
      emits: ['metaobject/created'],
      run: createMetaobject,
    }),
    operation({
      ...common,
      name: 'getMetaobject',
      summary: 'Read a metaobject',
      method: 'GET',
      mayBeKept: true,
      path: item,
      scope: 'metaobjects:read',
      answers: 'item',
      query: {},
      run: getMetaobject,
    }),
    operation({
      ...common,
      name: 'getMetaobjectByHandle',
      summary: 'Read a metaobject by its type and handle',
      method: 'GET',
      mayBeKept: true,
      path: '/api/metaobjects/{type}/{handle}',
      params: { type: z.string(), handle: z.string() },
      scope: 'metaobjects:read',
      answers: 'item',
      query: {},
      run: getMetaobjectByHandle,
    }),
    operation({
      ...common,
      name: 'patchMetaobject',
      summary: 'Change a metaobject, publish it or take it back',
      description:
        'An array of `fields` replaces shared values and those of the written locale; other locales keep theirs.',
      method: 'PATCH',
      path: item,
      scope: 'metaobjects:write',
      answers: 'item',
      query: {},
      body: { mode: 'patch', shape: patchedMetaobject },
      emits: ['metaobject/updated'],
      run: patchMetaobject,
    }),
    operation({
      ...common,
      name: 'deleteMetaobject',
      summary: 'Delete a metaobject',
      description: 'References to it stay as they are and resolve to nothing.',
      method: 'DELETE',
      path: item,
      scope: 'metaobjects:write',
      answers: 'empty',
      query: {},
      emits: ['metaobject/deleted'],
      run: deleteMetaobject,
    }),
  ],
}
