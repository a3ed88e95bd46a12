import { Problem, type Violation } from './problem.ts'
import type { Shape } from './property.ts'
import { type Dialect, translatePath } from './version.ts'
import { pathSegments, pathText } from './violations.ts'

/** Turns a path of today's names into those of a caller's version. */
export type Spoken = (path: string) => string

/** Paths into documents of a shape, as a version calls them; those of query parameters stay as they are. */
export function spokenIn(dialect: Dialect, shape: Shape, shapes: ReadonlyMap<string, Shape>): Spoken {
  return (path) => {
    if (dialect.renames.size === 0) return path
    const segments = pathSegments(path)
    if (pathText(segments) !== path) return path
    return pathText(translatePath(segments, shape, shapes, dialect, 'version'))
  }
}

/** A violation with its path in the caller's version. */
export function spokenViolation(violation: Violation, spoken: Spoken): Violation {
  return { ...violation, propertyPath: spoken(violation.propertyPath) }
}

/** The error with its violations' paths spoken; anything but a problem with violations is given back as it is. */
export function spokenError(error: unknown, spoken: Spoken): unknown {
  if (!(error instanceof Problem) || !error.extras.violations) return error
  const violations = error.extras.violations.map((each) => spokenViolation(each, spoken))
  return new Problem(error.kind, error.values, { ...error.extras, violations })
}
