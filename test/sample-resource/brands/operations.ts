import { type EventedResource, operation } from '../../core/operation.ts'
import { textsOf } from '../shared/translations.ts'
import { brandKind } from './document.ts'
import { brandProblems } from './problems.ts'
import { brandListParameters, getBrand, listBrands } from './read.ts'
import { brand as shape } from './schema.ts'
import { createBrand, deleteBrand, patchBrand, translateBrand } from './write.ts'

const common = { shape, notFound: brandProblems.not_found }
const list = shape.collection
const item = '/api/brands/{id}'

export const resource: EventedResource = {
  shape,
  kind: brandKind,
  problems: Object.values(brandProblems),
  texts: textsOf(shape, {
    noun: 'a brand',
    scope: 'brands:write',
    emits: ['brand/updated'],
    notFound: brandProblems.not_found,
    translate: translateBrand,
    archivedBy: null,
  }),
  operations: [
    operation({
      ...common,
      name: 'listBrands',
      summary: 'List brands',
      method: 'GET',
      path: list,
      scope: 'brands:read',
      answers: 'collection',
      query: brandListParameters,
      run: listBrands,
    }),
    operation({
      ...common,
      name: 'createBrand',
      summary: 'Create a brand',
      method: 'POST',
      path: list,
      scope: 'brands:write',
      answers: 'item',
      query: {},
      body: { mode: 'create' },
      emits: ['brand/created'],
      run: createBrand,
    }),
    operation({
      ...common,
      name: 'getBrand',
      summary: 'Read a brand',
      method: 'GET',
      path: item,
      scope: 'brands:read',
      answers: 'item',
      query: {},
      run: getBrand,
    }),
    operation({
      ...common,
      name: 'patchBrand',
      summary: 'Change a brand',
      method: 'PATCH',
      path: item,
      scope: 'brands:write',
      answers: 'item',
      query: {},
      body: { mode: 'patch' },
      emits: ['brand/updated'],
      run: patchBrand,
    }),
    operation({
      ...common,
      name: 'deleteBrand',
      summary: 'Delete a brand',
      method: 'DELETE',
      path: item,
      scope: 'brands:write',
      answers: 'empty',
      query: {},
      emits: ['brand/deleted'],
      run: deleteBrand,
    }),
  ],
}
