import { differingVersions } from '../support/differing-versions.ts'

/** The versions that differ, and what each calls the children of a category. */
export const versions = differingVersions.map((version) =>
  version < '2026-07'
    ? ({ version, children: 'childrens', other: 'children' } as const)
    : ({ version, children: 'children', other: 'childrens' } as const),
)
