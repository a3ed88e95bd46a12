import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { type CataloguedProblem, localizedMessage, type Messages } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import { publicRead } from '../shared/ordinary-operations.ts'

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

const common = { ...publicRead, shape: errorCode, scope: 'error_codes:read' } as const

/** The resource that lists all problems of the service, by code. */
export function errorCodesOf(problems: readonly CataloguedProblem[]): Resource {
  const sortedProblems = problems.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  return {
    shape: errorCode,
    problems: [],
    operations: [
      operation({
        ...common,
        name: 'listErrorCodes',
        summary: 'List the error codes',
        description: 'The whole catalogue, never paged.',
        path: '/api/error-codes',
        answers: 'collection',
        query: listParameters,
        run: listOf(sortedProblems),
      }),
      operation({
        ...common,
        name: 'getErrorCode',
        summary: 'Read an error code',
        path: '/api/error-codes/{code}',
        params: { code: z.string() },
        answers: 'item',
        run: itemOf(sortedProblems),
      }),
    ],
  }
}

function listOf(problems: readonly CataloguedProblem[]) {
  return async function listErrorCodes(
    context: Context,
    { query }: Input<{ query: typeof listParameters }>,
  ): Promise<Answer> {
    const { domain, slug, httpStatus: status } = query
    const matches = problems.filter(
      (problem) =>
        (domain === undefined || problem.domain === domain) &&
        (slug === undefined || problem.slug === slug) &&
        (status === undefined || problem.status === status),
    )
    const messages = await context.messages()
    return {
      kind: 'collection',
      members: matches.map((problem) => document(problem, messages)),
      total: matches.length,
    }
  }
}

function itemOf(problems: readonly CataloguedProblem[]) {
  return async function getErrorCode(
    context: Context,
    { params }: Input<{ params: 'code' }>,
  ): Promise<Answer> {
    const problem = problems.find(({ code }) => code === params.code)
    if (!problem) throw publicRead.notFound()
    return { kind: 'item', document: document(problem, await context.messages()), version: null }
  }
}

function document(problem: CataloguedProblem, messages: Messages): Value {
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
