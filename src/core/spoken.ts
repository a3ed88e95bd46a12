import { Problem, type Violation } from './problem.ts'
import type { Shape } from './property.ts'
import type { Dialect } from './version.ts'
import { spokenText, translatePath } from './version-path.ts'
import { pathSegments, pathText } from './violations.ts'

/** Turns paths of today's names into those of a caller's version, and texts that stand there into its own. */
export type Spoken = {
  (path: string): string
  readonly text: (path: string, text: string) => string
}

/** Paths into documents of a shape, as a version calls them; those of query parameters stay as they are. */
export function spokenIn(dialect: Dialect, shape: Shape, shapes: ReadonlyMap<string, Shape>): Spoken {
  const spoken = (path: string) => {
    if (dialect.breakingChanges.size === 0) return path
    const segments = pathSegments(path)
    if (pathText(segments) !== path) return path
    return pathText(translatePath(segments, shape, shapes, dialect, 'version'))
  }
  const text = (path: string, each: string) => spokenText(each, pathSegments(path), shape, shapes, dialect)
  return Object.assign(spoken, { text })
}

/** A violation with its path, and the choices that it tells, in the caller's version. */
export function spokenViolation(violation: Violation, spoken: Spoken): Violation {
  const { propertyPath, values } = violation
  const { choices } = values
  const path = spoken(propertyPath)
  if (typeof choices !== 'string') return { ...violation, propertyPath: path }
  const told = { ...values, choices: spokenChoices(choices, propertyPath, spoken) }
  return { ...violation, propertyPath: path, values: told }
}

function spokenChoices(choices: string, path: string, spoken: Spoken): string {
  return choices
    .split(', ')
    .map((each) => spoken.text(path, each))
    .join(', ')
}

/** The error with its violations' paths spoken; anything but a problem with violations is given back as it is. */
export function spokenError(error: unknown, spoken: Spoken): unknown {
  if (!(error instanceof Problem) || !error.extras.violations) return error
  const violations = error.extras.violations.map((each) => spokenViolation(each, spoken))
  // Told as its violations are, where it is of their kind.
  const values = violations.find(({ problem }) => problem.slug === error.kind.slug)?.values ?? error.values
  return new Problem(error.kind, values, { ...error.extras, violations })
}
