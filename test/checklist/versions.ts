/** The versions, and what each calls the children of a category. */
export const versions = [
  { version: '2026-01', children: 'childrens', other: 'children' },
  { version: '2026-04', children: 'childrens', other: 'children' },
  { version: '2026-07', children: 'children', other: 'childrens' },
  { version: '2026-10', children: 'children', other: 'childrens' },
  { version: 'unstable', children: 'children', other: 'childrens' },
] as const
