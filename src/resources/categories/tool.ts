import type { Tool } from '../../core/operation.ts'
import { maximumItemsPerPage, standardItemsPerPage } from '../../core/page.ts'

export const listCategoriesTool: Tool = {
  name: 'list_categories',
  title: 'List categories',
  description:
    'Lists the categories of the product catalogue, newest first, or those below one parent in their order. ' +
    'Begin with parent "null" for the roots and go down with the @id of a category as parent, or read several ' +
    'levels at once with expand. When nextPage is not null there is more: ask again with it as page.',
  inputs: {
    page: { type: 'integer', minimum: 1, default: 1, description: 'The page, from 1.' },
    itemsPerPage: {
      type: 'integer',
      minimum: 0,
      maximum: maximumItemsPerPage,
      default: standardItemsPerPage,
      description: 'How many categories a page holds; 0 asks for totalItems alone.',
    },
    parent: {
      type: 'string',
      description:
        'Only the categories directly below this one: its @id (/api/categories/…) or its id; the text "null" for the roots.',
    },
    expand: {
      type: 'string',
      description:
        'Embeds the categories below each one, one to three levels deep, in place of their @id: one of the first three values. ' +
        'The others are the same in the names of other versions, and members that are shown anyway.',
    },
  },
}
