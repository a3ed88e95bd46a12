import type { Version } from '../core/versions.ts'

export const version: Version = {
  name: '2026-07',
  released: '2026-07-01',
  sunset: '2028-01-01',
  breakingChanges: [
    {
      description: 'Read and write the sub-categories of a category as children; before, they are childrens.',
      type: 'Category',
      renames: { children: 'childrens' },
    },
  ],
}
