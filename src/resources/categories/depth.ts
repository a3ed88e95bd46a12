import type { Links } from './links.ts'
import { categoryProblems } from './problems.ts'
import { maximumLevels } from './schema.ts'
import type { Node } from './tree.ts'

/** 422 `category.too_deep` at a path. */
export function tooDeep(path: string): Error {
  const values = { maximum: maximumLevels }
  return categoryProblems.too_deep(values, { violations: [categoryProblems.too_deep.at(path, values)] })
}

/** New categories that would stand below the deepest level. */
export function depthViolations(links: readonly Links[], known: ReadonlyMap<string, Node>) {
  return links.flatMap(({ parentId, at }) => {
    const parent = parentId ? known.get(parentId) : undefined
    return parent && parent.level + 1 >= maximumLevels
      ? [categoryProblems.too_deep.at(at('parent'), { maximum: maximumLevels })]
      : []
  })
}
