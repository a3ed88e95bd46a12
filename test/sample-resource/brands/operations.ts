import type { EventedResource } from '../../core/operation.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
import { textsOf } from '../shared/translations.ts'
import { brandKind } from './document.ts'
import { brandProblems } from './problems.ts'
import { brandListParameters, getBrand, listBrands } from './read.ts'
import { brand as shape } from './schema.ts'
import { createBrand, deleteBrand, patchBrand, translateBrand } from './write.ts'

const { listOperation, createOperation, getOperation, patchOperation, deleteOperation } = operationsOf({
  shape,
  notFound: brandProblems.not_found,
  list: '/api/brands',
  item: '/api/brands/{id}',
  readScope: 'brands:read',
  writeScope: 'brands:write',
})

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
  }),
  operations: [
    listOperation({
      name: 'listBrands',
      summary: 'List brands',
      query: brandListParameters,
      run: listBrands,
    }),
    createOperation({
      name: 'createBrand',
      summary: 'Create a brand',
      body: { mode: 'create' },
      emits: ['brand/created'],
      run: createBrand,
    }),
    getOperation({
      name: 'getBrand',
      summary: 'Read a brand',
      run: getBrand,
    }),
    patchOperation({
      name: 'patchBrand',
      summary: 'Change a brand',
      body: { mode: 'patch' },
      emits: ['brand/updated'],
      run: patchBrand,
    }),
    deleteOperation({
      name: 'deleteBrand',
      summary: 'Delete a brand',
      emits: ['brand/deleted'],
      run: deleteBrand,
    }),
  ],
}
