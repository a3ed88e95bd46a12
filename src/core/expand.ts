import type { Violation } from './problem.ts'
import { validationProblems } from './problems/index.ts'
import type { Dialect } from './version.ts'

/** `expand` in today's names: `childrens.childrens` of an older version is `children.children`. */
export function expandToday(value: string, dialect: Dialect): { value: string; fault: Violation | null } {
  const all = [...dialect.renames.values()].flatMap((names) => [...names])
  const path = value.split('.')
  const renamed = path.some((segment) => all.some(([now]) => now === segment))
  if (renamed) return { value, fault: validationProblems.expand.at('expand', { path: value }) }
  const today = path.map((segment) => all.find(([, before]) => before === segment)?.[0] ?? segment)
  return { value: today.join('.'), fault: null }
}
