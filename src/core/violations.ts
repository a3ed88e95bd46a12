import type * as z from 'zod'
import { Problem, type Violation } from './problem.ts'
import { validationProblems } from './problems/validation.ts'

/** Where in a body: names and indices. */
export type Path = readonly (string | number)[]

/** Names of ours are far shorter: a longer one is cut, since it stands in the path of everything below it. */
const longestName = 255

/** A path as a client writes it: `variants[0].sku`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`
    const name = segment.length > longestName ? `${segment.slice(0, longestName)}…` : segment
    return text === '' ? name : `${text}.${name}`
  }, '')
}

/** Segments of a path text, the inverse of `pathText`. */
export function pathSegments(text: string): (string | number)[] {
  return text
    .split(/\.|(?=\[)/)
    .filter((part) => part !== '')
    .map((part) => (/^\[\d+\]$/.test(part) ? Number(part.slice(1, -1)) : part))
}

/**
 * How many violations are counted: reading ends there, so that a refusal costs little whatever is wrong. The first
 * hundred are told, with their number.
 */
export const maximumViolations = 1000

/** How many violations have been found in what is being read; what is read within it goes on counting. */
let counted = 0

/** Reads something whose faults are counted from none. */
export function countingViolations<Result>(read: () => Result): Result {
  const before = counted
  counted = 0
  try {
    return read()
  } finally {
    counted = before
  }
}

/** Violations in the order in which they are found, up to as many as are counted. */
export class ViolationList {
  readonly found: Violation[] = []
  private readonly before = counted

  /** Whether looking for more is of no use. */
  get areEnough(): boolean {
    return counted >= maximumViolations
  }

  add(...violations: readonly Violation[]): void {
    this.found.push(...violations)
    counted = this.before + this.found.length
  }
}

/**
 * Throws all violations at once: as the first one's problem when they are of one kind or all conflicts (a 409 stays a
 * 409 when two names are taken), else as `validation.failed`.
 */
export function throwViolations(violations: readonly [Violation, ...Violation[]]): never
export function throwViolations(violations: readonly Violation[]): void
export function throwViolations(violations: readonly Violation[]): void {
  const [first] = violations
  if (!first) return
  const one = violations.every(
    ({ problem }) => problem === first.problem || (problem.status === 409 && first.problem.status === 409),
  )
  const told = violations.slice(0, maximumViolations)
  throw one
    ? new Problem(first.problem, first.values, { ...first.occurrence, violations: told })
    : validationProblems.failed({ count: told.length }, { violations: told })
}

/** A zod refinement that fails with a catalogued violation. */
export function violation(found: Violation): { params: { violation: Violation } } {
  return { params: { violation: found } }
}

/** What zod found wrong, as violations below `base`, up to as many as are counted. */
export function violationsOf(error: z.ZodError, base: Path = []): Violation[] {
  return error.issues.slice(0, maximumViolations).flatMap((issue) => fromIssue(issue, base))
}

const v = validationProblems

function fromIssue(issue: z.core.$ZodIssue, base: Path): Violation[] {
  const path = pathText([...base, ...issue.path.filter((each) => typeof each !== 'symbol')])
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return [v.required.at(path)]
      if (issue.expected === 'int') return [v.not_integer.at(path)]
      return [v.type.at(path, { expected: issue.expected })]
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
      return [v.pattern.at(path, { format: issue.format === 'regex' ? String(issue.pattern) : issue.format })]
    case 'custom': {
      const found: Violation | undefined = issue.params?.violation
      return [found ? { ...found, propertyPath: path } : v.pattern.at(path, { format: 'valid' })]
    }
    case 'invalid_union': {
      const options = issue.errors.map((issues) =>
        issues.map((each) => ({ ...each, path: [...issue.path, ...each.path] })),
      )
      // The branch that came furthest says what is wrong: one whose type fitted.
      const closest =
        options.find((issues) =>
          issues.every(({ code, path }) => code !== 'invalid_type' || path.length > issue.path.length),
        ) ??
        options[0] ??
        []
      return closest.flatMap((each) => fromIssue(each, base))
    }
    default:
      return [v.pattern.at(path, { format: issue.code })]
  }
}
