import { type Locale, localeOf, localePattern } from '../core/locale.ts'
import type { Problem } from '../core/problem.ts'
import { localeProblems } from '../core/problems/index.ts'

/**
 * The locale that a request speaks. A malformed one is answered in the default, and its problem is kept for later: a bad
 * token is told first.
 */
export function askedLocale(
  headers: Headers,
  declared: readonly [string, ...string[]],
): { locale: Locale; problem: Problem | null } {
  const asked = headers.get('service-locale')
  if (asked === null || localePattern.test(asked)) return { locale: localeOf(declared, asked), problem: null }
  return { locale: localeOf(declared, null), problem: localeProblems.malformed({ locale: asked }) }
}
