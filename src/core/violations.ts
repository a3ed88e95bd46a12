import type * as z from 'zod'
import { isJsonArray, isJsonObject, type Json, member } from './json.ts'
import { Problem, type Violation } from './problem.ts'
import { formats, validationProblems } from './problems/validation.ts'
import { truncate } from './sizes.ts'

/** A path in a body: names and indices. */
export type Path = readonly (string | number)[]

/** Longer names are cut, because a name is repeated in the path of everything below it. Names of the service are far shorter. */
const maximumNameLength = 255

/** A path in the notation of clients: `variants[0].sku`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`
    const name = segment.length > maximumNameLength ? `${segment.slice(0, maximumNameLength)}…` : segment
    return text === '' ? name : `${text}.${name}`
  }, '')
}

/** The segments of a path string, the inverse of `pathText`. */
export function pathSegments(text: string): (string | number)[] {
  return text
    .split(/\.|(?=\[)/)
    .filter((part) => part !== '')
    .map((part) => (/^\[\d+\]$/.test(part) ? Number(part.slice(1, -1)) : part))
}

const secretName = /secret|token|password|authorization|api.?key/i

/** The value at the path of a violation in received JSON; undefined if it does not exist or is a secret. */
export function valueAt(path: string, received: Json | undefined): Json | undefined {
  if (path === '' || secretName.test(path)) return undefined
  return pathSegments(path).reduce<Json | undefined>((value, segment) => {
    if (isJsonArray(value)) return value[Number(segment)]
    return isJsonObject(value) ? member(value, String(segment)) : undefined
  }, received)
}

/** A received value as JSON of about 100 characters, without secrets. */
export function shortJson(received: Json): string {
  const text = JSON.stringify(received, (name, value) => {
    if (secretName.test(name)) return '…'
    return typeof value === 'string' ? withoutSecrets(truncate(value, 300)) : value
  })
  return text.length > 100 ? `${truncate(text, 100)}…` : text
}

/** A text without signing secrets, JSON Web Tokens, and the user info and query of addresses. */
function withoutSecrets(text: string): string {
  return text
    .replace(/\b(?:whsec_|eyJ[\w-]{10})\S*/g, '…')
    .replace(/(:\/\/)[^\s/?#@]*@/g, '$1…@')
    .replace(/(:\/\/[^\s?]*\?)\S+/g, '$1…')
}

/** The maximum number of reported violations. The response contains the first hundred and the total. */
export const maximumViolations = 1000

/**
 * Throws all violations at once. If all are of one kind or all are conflicts, the first one's problem is thrown (a 409
 * stays a 409 when two names are taken), else `validation.failed`.
 */
export function throwViolations(violations: readonly [Violation, ...Violation[]]): never
export function throwViolations(violations: readonly Violation[]): void
export function throwViolations(violations: readonly Violation[]): void {
  const [first] = violations
  if (!first) return
  const isOneKind = violations.every(
    ({ problem }) => problem === first.problem || (problem.status === 409 && first.problem.status === 409),
  )
  const reported = violations.slice(0, maximumViolations)
  throw isOneKind
    ? new Problem(first.problem, first.values, { advice: first.advice, violations: reported })
    : validationProblems.failed({ count: reported.length }, { violations: reported })
}

/** The problem of a single violation. */
export function problemOfViolation(violation: Violation): Problem {
  return new Problem(violation.problem, violation.values, { violations: [violation] })
}

/** A zod refinement that fails with a catalogued violation. */
export function violation(catalogued: Violation): { params: { violation: Violation } } {
  return { params: { violation: catalogued } }
}

/** Converts zod's issues into violations below `base`, up to the maximum. */
type Issues = { readonly issues: readonly z.core.$ZodIssue[] }

export function violationsOf(error: Issues, base: Path = []): Violation[] {
  return error.issues.slice(0, maximumViolations).flatMap((issue) => fromIssue(issue, base))
}

const v = validationProblems

function fromIssue(issue: z.core.$ZodIssue, base: Path): Violation[] {
  const path = pathText([...base, ...issue.path.filter((segment) => typeof segment !== 'symbol')])
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return [v.required.at(path)]
      if (issue.expected === 'int') return [v.not_integer.at(path)]
      return [v.type.at(path, { expected: issue.expected === 'record' ? 'object' : issue.expected })]
    case 'too_small':
      if (issue.origin === 'string') {
        return [
          issue.minimum === 1 ? v.blank.at(path) : v.too_short.at(path, { minimum: Number(issue.minimum) }),
        ]
      }
      if (issue.origin === 'array') return [v.too_few_items.at(path, { minimum: Number(issue.minimum) })]
      return [v.too_small.at(path, { minimum: Number(issue.minimum) })]
    case 'too_big':
      if (issue.origin === 'string') return [v.too_long.at(path, { maximum: Number(issue.maximum) })]
      if (issue.origin === 'array') return [v.too_many_items.at(path, { maximum: Number(issue.maximum) })]
      return [v.too_big.at(path, { maximum: Number(issue.maximum) })]
    case 'invalid_value':
      return [v.choice.at(path, { choices: issue.values.join(', ') })]
    case 'invalid_format':
      return [v.pattern.at(path, { format: formats.documented })]
    case 'custom': {
      const custom: Violation | undefined = issue.params?.violation
      return [custom ? { ...custom, propertyPath: path } : v.pattern.at(path, { format: formats.documented })]
    }
    case 'invalid_union': {
      const branches = issue.errors.map((issues) =>
        issues.map((branchIssue) => ({ ...branchIssue, path: [...issue.path, ...branchIssue.path] })),
      )
      // The branch whose type matched reports the most precise error.
      const closest =
        branches.find((issues) =>
          issues.every(({ code, path }) => code !== 'invalid_type' || path.length > issue.path.length),
        ) ??
        branches[0] ??
        []
      return closest.flatMap((branchIssue) => fromIssue(branchIssue, base))
    }
    default:
      return [v.pattern.at(path, { format: formats.documented })]
  }
}
