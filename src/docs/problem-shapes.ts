/** The error documents (RFC 9457) as shapes, so that they are documented like resources. */
import * as z from 'zod'
import { byteLimits } from '../core/limits.ts'
import { anyType, readOnly, type Shape } from '../core/schema.ts'
import { maximumViolations } from '../core/violations.ts'

const uri = z.string().meta({ format: 'uri-reference' })

const members = {
  type: readOnly(uri, 'The kind of problem: its entry in the error catalogue.', {
    isLink: true,
    targetType: 'ErrorCode',
  }),
  title: readOnly(z.string().nullable(), 'The slug of the error.'),
  status: readOnly(z.int().nullable(), 'The HTTP status.'),
  detail: readOnly(
    z.string().nullable(),
    'What happened this time, and what to do, in English. For logs: it needs neither `message` nor `description`.',
  ),
  instance: readOnly(uri.nullable(), 'This occurrence, by the id of its request.', {
    isLink: true,
    targetType: 'Error',
  }),
  code: readOnly(z.string(), 'The stable identifier of the error in the catalogue.'),
  slug: readOnly(z.string(), 'The stable readable key of the error.'),
  message: readOnly(z.string(), 'The text for an end user, in the requested language.'),
  description: readOnly(z.string().nullable(), 'When the error occurs and what to do, in English.'),
  missingPermissions: readOnly(
    z.array(z.string()),
    'The identity permissions that the caller lacks; only where one was denied.',
  ),
  supportedVersions: readOnly(z.array(z.string()), 'The versions that can be requested.'),
  availableIn: readOnly(z.array(z.string()), 'The versions that have the operation.'),
  conflictingResource: readOnly(uri, 'The resource that has the name, if the caller may read it.', {
    isLink: true,
    targetType: anyType,
  }),
  hint: readOnly(
    z.string(),
    'The failed check of a rejected token and the command for a valid one; only in a local service.',
  ),
  currentVersion: readOnly(z.int(), 'The version that the resource has by now.'),
  sequence: readOnly(z.int(), 'The sequence of the last event.'),
}

const violation = z.object({
  propertyPath: z.string().describe('Where in the body or the query, in the names of the version in use.'),
  message: z.string().describe('The text for an end user, in the requested language.'),
  detail: z
    .string()
    .describe('The place, the rule with its values, the received value and what to do, in English.'),
  conflictingResource: uri.optional().describe('The resource that has the name, if the caller may read it.'),
  code: z.string().describe('The identifier of the violation in the catalogue.'),
  slug: z.string().describe('The readable key of the violation.'),
})

const violations = {
  violations: readOnly(
    z.array(violation).max(byteLimits.violations),
    `The violations, each with its place: the first ${byteLimits.violations}.`,
  ),
  violationsTotal: readOnly(
    z.int().min(1).max(maximumViolations),
    `The number of violations. Counting stops at ${maximumViolations}, so there may be more.`,
  ),
}

export const errorShape: Shape = {
  type: 'Error',
  description: 'An error: a problem document (RFC 9457).',
  collection: '/api/requests',
  readWith: null,
  properties: { ...members, ...violations },
}

export const constraintViolationShape: Shape = {
  type: 'ConstraintViolation',
  description: 'What is wrong with a body or a query: an error that lists every violation at once.',
  collection: '/api/requests',
  readWith: null,
  properties: { ...members, ...violations },
}

export const problemShapes: readonly Shape[] = [errorShape, constraintViolationShape]
