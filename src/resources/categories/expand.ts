import { expandable } from '../../core/expand.ts'

const levels = ['children', 'children.children', 'children.children.children'] as const

const described = 'Embeds the children of categories in place of their IRIs, one to three levels deep.'

/** What operations that show categories can expand. */
export const expandParameter = expandable(levels, described)

/** The same of operations that can expand something else as well. */
export function expandParameterWith(more: string, description: string) {
  return expandable([...levels, more], `${described} ${description}`)
}

/** How deep children are embedded: 1 for `children`, up to 3 for `children.children.children`, 0 where none are asked for. */
export function levelsOf(expand: readonly string[] | undefined): number {
  const paths = new Set(expand)
  return levels.findLastIndex((each) => paths.has(each)) + 1
}
