import * as z from 'zod'
import { type EventedResource, operation, type Tool } from '../../core/operation.ts'
import { maximumItemsPerPage, standardItemsPerPage } from '../../core/paging.ts'
import { operationsOf, upsertDescription } from '../shared/ordinary-operations.ts'
import { textsOf } from '../shared/translations.ts'
import { categoryKind } from './document.ts'
import { categoryProblems } from './problems.ts'
import { categoryListParameters, getCategory, listCategories } from './read.ts'
import { readParameters, category as shape } from './schema.ts'
import {
  createCategories,
  deleteCategory,
  patchCategory,
  translateCategory,
  upsertCategory,
} from './write.ts'

const listCategoriesTool: Tool = {
  path: '/mcp',
  name: 'list_categories',
  title: 'List categories',
  description:
    'Lists the categories of the product catalogue, newest first, or those below one parent in their order. ' +
    'Begin with parent "null" for the roots and go down with the @id of a category as parent, or read several ' +
    'levels at once with expand. When nextPage is not null there is more: ask again with it as page.',
  inputs: {
    page: { schema: { type: 'integer', minimum: 1, default: 1, description: 'The page, from 1.' } },
    itemsPerPage: {
      schema: {
        type: 'integer',
        minimum: 0,
        maximum: maximumItemsPerPage,
        default: standardItemsPerPage,
        description: 'How many categories a page holds; 0 asks for totalItems alone.',
      },
    },
    parent: {
      schema: {
        type: 'string',
        description:
          'Only the categories directly below this one: its @id (/api/categories/…) or its id; the text "null" for the roots.',
      },
    },
    expand: {
      schema: {
        type: 'string',
        description:
          'Embeds the categories below each one, one to three levels deep, instead of their @id: one of the first three values. ' +
          'The others are the same in the names of other versions, and members that are shown anyway.',
      },
    },
  },
}

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
  notFound: categoryProblems.not_found,
  list: '/api/categories',
  item: '/api/categories/{id}',
  readScope: 'categories:read',
  writeScope: 'categories:write',
})

export const resource: EventedResource = {
  shape,
  kind: categoryKind,
  problems: Object.values(categoryProblems),
  texts: textsOf(shape, {
    noun: 'a category',
    scope: 'categories:write',
    emits: ['category/updated'],
    notFound: categoryProblems.not_found,
    translate: translateCategory,
  }),
  operations: [
    listOperation({
      name: 'listCategories',
      summary: 'List categories',
      description: 'Below one parent they are ordered by `position`, otherwise newest first.',
      query: categoryListParameters,
      tool: listCategoriesTool,
      run: listCategories,
    }),
    createOperation({
      name: 'createCategories',
      summary: 'Create a category, or up to 250',
      description:
        'Recorded for the new category alone; where sub-categories are written, for those that get another parent as well.',
      query: { expand: readParameters.expand },
      body: { mode: 'create', bulk: 250 },
      emits: ['category/created', 'category/updated'],
      run: createCategories,
    }),
    getOperation({
      name: 'getCategory',
      summary: 'Read a category',
      query: readParameters,
      run: getCategory,
    }),
    operation({
      shape,
      notFound: categoryProblems.not_found,
      name: 'getCategoryByPath',
      summary: 'Read a category by its path',
      description:
        'The path has the handles of the categories above it and its own, the root first: `women/shoes`. The slashes may be encoded (`women%2Fshoes`). Only the complete path finds the category.',
      method: 'GET',
      isCacheable: true,
      path: '/api/categories/by-path/{path}',
      params: { path: z.string() },
      scope: 'categories:read',
      answers: 'item',
      query: readParameters,
      alsoHeaders: ['Content-Location'],
      run: getCategory,
    }),
    patchOperation({
      name: 'patchCategory',
      summary: 'Change a category, move it, or set its children',
      description:
        'Moving a category records an event for it alone; writing its sub-categories records one for it and for each whose parent changed. Those that are dropped become roots.',
      query: { expand: readParameters.expand },
      body: { mode: 'patch' },
      emits: ['category/updated'],
      run: patchCategory,
    }),
    batchOperation({
      name: 'patchCategories',
      summary: 'Change several categories',
      query: { expand: readParameters.expand },
      emits: ['category/updated'],
    }),
    upsertOperation({
      name: 'upsertCategory',
      summary: 'Create or change the category with an external id',
      description: upsertDescription,
      query: { expand: readParameters.expand },
      body: { mode: 'patch' },
      emits: ['category/created', 'category/updated'],
      run: upsertCategory,
    }),
    deleteOperation({
      name: 'deleteCategory',
      summary: 'Delete a category without children',
      description:
        'Products that are not archived keep it from being deleted (409); archived ones leave it without a version or an event.',
      emits: ['category/deleted'],
      run: deleteCategory,
    }),
  ],
}
