import { expandable } from '../../core/expand.ts'

const levels = ['children', 'children.children', 'children.children.children'] as const

/** What operations that show categories can expand. */
export const expandParameter = expandable(
  levels,
  'Embeds the children of categories in place of their IRIs, one to three levels deep.',
)

/** How deep children are embedded: 1 for `children`, up to 3 for `children.children.children`, 0 where none are asked for. */
export function levelsOf(expand: readonly string[] | undefined): number {
  const paths = new Set(expand)
  return levels.findLastIndex((each) => paths.has(each)) + 1
}
