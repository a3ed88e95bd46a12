import * as z from 'zod'
import type { Resource } from '../../core/operation.ts'
import { type CataloguedProblem, localizedMessage, type Messages } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import { serviceResource } from '../shared/service-resource.ts'

const errorCode = {
  type: 'ErrorCode',
  description: 'An error that the service can answer with.',
  collection: '/api/error-codes',
  readWith: 'error_codes:read',
  properties: {
    code: readOnly(z.string(), 'The stable identifier of the error; published, never reused.', {
      example: 'PRD-1001',
    }),
    slug: readOnly(z.string(), 'The stable readable key: domain and name.', {
      example: 'product.handle_taken',
    }),
    domain: readOnly(z.string(), 'The subject of the error.', { example: 'product' }),
    httpStatus: readOnly(z.int(), 'The HTTP status that it is answered with.', { example: 409 }),
    message: readOnly(
      z.string(),
      'The message for end users in the language asked for, with the names of its values in braces.',
    ),
    description: readOnly(z.string(), 'When it occurs and what to do, for developers, in English.'),
  },
} satisfies Shape

const httpStatus = z
  .string()
  .refine((text) => /^[0-9]{1,9}$/.test(text), violation(validationProblems.not_integer.at('')))
  .transform(Number)
  .meta({ type: 'integer', examples: [404] })

const listParameters = {
  domain: z.string().optional(),
  httpStatus: httpStatus.optional(),
  slug: z.string().optional(),
}

/** The resource that lists all problems of the service, by code. */
export function errorCodesOf(problems: readonly CataloguedProblem[]): Resource {
  const sortedProblems = problems.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  return serviceResource({
    shape: errorCode,
    scope: 'error_codes:read',
    list: {
      name: 'listErrorCodes',
      summary: 'List the error codes',
      description: 'The whole catalogue, never paged.',
    },
    query: listParameters,
    item: { name: 'getErrorCode', summary: 'Read an error code' },
    key: 'code',
    async documents(context) {
      const messages = await context.messages()
      return sortedProblems.map((problem) => document(problem, messages))
    },
  })
}

function document(problem: CataloguedProblem, messages: Messages) {
  const { code, slug, domain, status, description } = problem
  return {
    '@id': `${errorCode.collection}/${code}`,
    '@type': errorCode.type,
    code,
    slug,
    domain,
    httpStatus: status,
    message: localizedMessage(problem, messages),
    description,
  }
}
