import { z } from 'zod'
import { validationProblems } from '../../core/problems/index.ts'
import { violation } from '../../core/violations.ts'

const deepest = /^children(?:\.children){0,2}$/

/** How deep children are embedded: 1 for `expand=children`, up to 3 for `children.children.children`, 0 when absent. */
export const expandParameter = z
  .string()
  .optional()
  .transform((path, check) => {
    if (path === undefined) return 0
    if (deepest.test(path)) return path.split('.').length
    check.addIssue({ code: 'custom', ...violation(validationProblems.expand.at('', { path })) })
    return z.NEVER
  })
  .meta({
    type: 'string',
    enum: ['children', 'children.children', 'children.children.children'],
    description: 'Embeds the children of categories in place of their IRIs, one to three levels deep.',
  })
