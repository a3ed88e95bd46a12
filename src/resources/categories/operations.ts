import { operation, type Recorded } from '../../core/operation.ts'
import { textsOf } from '../translations.ts'
import { patchCategory, translateCategory } from './change.ts'
import { createCategories } from './create.ts'
import { deleteCategory } from './delete.ts'
import { expandParameter } from './expand.ts'
import { categoryKind } from './kind.ts'
import { categoryListParameters, getCategory, listCategories } from './list.ts'
import { categoryProblems } from './problems.ts'
import { category as shape } from './schema.ts'
import { listCategoriesTool } from './tool.ts'

const expand = { expand: expandParameter }
const common = { shape, notFound: categoryProblems.not_found }
const list = '/api/categories'
const item = '/api/categories/{id}'

export const resource: Recorded = {
  shape,
  kind: categoryKind,
  problems: Object.values(categoryProblems),
  texts: textsOf(shape, {
    noun: 'a category',
    scope: 'categories:write',
    emits: ['category/updated'],
    notFound: categoryProblems.not_found,
    archivedBy: null,
    translate: translateCategory,
  }),
  operations: [
    operation({
      ...common,
      name: 'listCategories',
      summary: 'List categories',
      description: 'Below one parent they are ordered by `position`, otherwise newest first.',
      method: 'GET',
      mayBeKept: true,
      path: list,
      scope: 'categories:read',
      answers: 'collection',
      query: categoryListParameters,
      tool: listCategoriesTool,
      run: listCategories,
    }),
    operation({
      ...common,
      name: 'createCategories',
      summary: 'Create a category, or up to 250',
      description:
        'Recorded for the new category alone; where sub-categories are written, for those that get another parent as well.',
      method: 'POST',
      path: list,
      scope: 'categories:write',
      answers: 'item',
      query: expand,
      body: { mode: 'create', bulk: 250 },
      emits: ['category/created', 'category/updated'],
      run: createCategories,
    }),
    operation({
      ...common,
      name: 'getCategory',
      summary: 'Read a category',
      method: 'GET',
      mayBeKept: true,
      path: item,
      scope: 'categories:read',
      answers: 'item',
      query: expand,
      run: getCategory,
    }),
    operation({
      ...common,
      name: 'patchCategory',
      summary: 'Change a category, move it, or set its children',
      description:
        'Moving a category records an event for it alone; writing its sub-categories records one for it and for each whose parent changed. Those that are dropped become roots.',
      method: 'PATCH',
      path: item,
      scope: 'categories:write',
      answers: 'item',
      query: expand,
      body: { mode: 'patch' },
      emits: ['category/updated'],
      run: patchCategory,
    }),
    operation({
      ...common,
      name: 'deleteCategory',
      summary: 'Delete a category without children',
      description:
        'Products that are not archived keep it from being deleted (409); archived ones leave it without a version or an event.',
      method: 'DELETE',
      path: item,
      scope: 'categories:write',
      answers: 'empty',
      query: {},
      emits: ['category/deleted'],
      run: deleteCategory,
    }),
  ],
}
