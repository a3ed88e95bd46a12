import * as z from 'zod'
import { readBody } from './body.ts'
import type { Json } from './json.ts'
import type { BodyOf } from './operation.ts'
import type { Shape } from './property.ts'
import { shapedBy } from './unwritten.ts'
import { pathSegments, violation } from './violations.ts'

/** Reads objects that are created with the one in whose body they stand, by their shape; their violations join those of that one. */
export function nested<Of extends Shape>(shape: Of) {
  return shapedBy(
    z.unknown().transform((input, check): BodyOf<Of> => {
      const { values, violations } = readBody(input as Json, shape, 'create')
      for (const found of violations) {
        check.addIssue({ code: 'custom', path: pathSegments(found.propertyPath), ...violation(found) })
      }
      // What was read by the shape has its types.
      return values as BodyOf<Of>
    }),
    shape,
  )
}
