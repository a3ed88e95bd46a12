/** What can go wrong with an operation, by status, with the errors of the catalogue that it can be. */
import type { Json, JsonObject } from '../core/json.ts'
import { namesIn, type Operation, type Resource } from '../core/operation.ts'
import { type CataloguedProblem, localizedMessage } from '../core/problem.ts'
import { coreProblems } from '../core/problems/index.ts'
import { reference } from './json-schema.ts'
import { commonHeaders, headersNamed } from './openapi-headers.ts'
import { allOperations, type Publication } from './publication.ts'

/** The statuses of errors, in ascending order. */
export function failureStatuses({ method, scope, answers, body, upload }: Operation): number[] {
  const writes = method !== 'GET'
  return [
    400,
    401,
    ...(scope === null ? [] : [403]),
    404,
    ...(answers === 'empty' ? [] : [406]),
    ...(writes ? [409] : []),
    410,
    ...(upload ? [411] : []),
    ...(writes && method !== 'POST' ? [412] : []),
    ...(body || upload ? [413] : []),
    414,
    ...(body || upload ? [415] : []),
    422,
    429,
    500,
    503,
  ]
}

/** The answer of an operation to what goes wrong. */
export function failure(status: number, { notFound, path }: Operation, { shape, problems }: Resource): Json {
  const own = status === 404 ? path.includes('{') : problems.some((each) => each.status === status)
  const name = !own ? status : status === 404 ? `404.${notFound.slug}` : `${status}.${shape.type}`
  return { $ref: `#/components/responses/${name}` }
}

/** The answers to what goes wrong: by status, and where a resource has errors of its own by status and resource. */
export function failureResponses(publication: Publication): JsonObject {
  const responses: Record<string, Json> = {}
  const add = (name: string, status: number, own: readonly CataloguedProblem[]) => {
    const known = coreProblems.filter((each) => each.status === status)
    responses[name] = problemResponse(status, [...own, ...known], own.length > 0 ? own : known.slice(0, 1))
  }
  for (const status of Object.keys(phrases)) add(status, Number(status), [])
  for (const { shape, problems } of publication.resources) {
    for (const [status, own] of Map.groupBy(problems, (each) => each.status)) {
      if (status !== 404) add(`${status}.${shape.type}`, status, own)
    }
  }
  for (const { operation } of allOperations(publication)) {
    add(`404.${operation.notFound.slug}`, 404, [operation.notFound])
  }
  return responses
}

function problemResponse(
  status: number,
  known: readonly CataloguedProblem[],
  shown: readonly CataloguedProblem[],
): JsonObject {
  const slugs = [...new Set(known.map(({ slug }) => `\`${slug}\``))]
  const type = status === 422 ? 'ConstraintViolation' : 'Error'
  return {
    description: `${phrases[status]} ${slugs.join(', ')}`,
    headers: headersNamed([...commonHeaders, ...(more[status] ?? [])]),
    content: {
      'application/problem+json': {
        // What is invalid lists its violations; a key that was used for another body has none.
        schema: status === 422 ? { anyOf: [reference(type), reference('Error')] } : reference(type),
        examples: Object.fromEntries(
          shown.map((problem) => [
            problem.slug,
            { summary: problem.description, value: example(problem, type) },
          ]),
        ),
      },
    },
  }
}

const instance = '/api/requests/019aa000-0000-7000-8000-00000000abcd'

function example(problem: CataloguedProblem, type: string): JsonObject {
  const { code, slug, status, description } = problem
  const message = localizedMessage(problem, 'en-US', sampleValues(problem))
  return {
    '@context': '/api/contexts/Error',
    '@id': instance,
    '@type': type,
    type: `/api/error-codes/${code}`,
    title: slug,
    status,
    detail: description,
    instance,
    code,
    slug,
    message,
    description,
    ...(type === 'ConstraintViolation' && {
      violations: [{ propertyPath: 'title', message, code, slug }],
      violationsTotal: 1,
    }),
  }
}

/** Something to stand where a message names a value. */
function sampleValues({ message }: CataloguedProblem): Record<string, string> {
  const names = namesIn(message['en-US'])
  return Object.fromEntries(names.map((name) => [name, '…']))
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Malformed body or header.',
  401: 'No token, or one that is not good.',
  403: 'The token lacks a scope, or its person a permission.',
  404: 'No such resource.',
  406: 'None of the accepted media types is served.',
  409: 'In conflict with what there is.',
  410: 'No longer available.',
  411: 'The length of the body is not told.',
  412: 'The resource has changed meanwhile.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The body has a media type that is not read.',
  422: 'The body or the query is invalid; every violation is listed.',
  429: 'Too many requests.',
  500: 'A defect of the service.',
  503: 'The storage cannot be reached; nothing was changed.',
}

const more: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  415: ['Accept', 'Accept-Patch', 'Accept-Post'],
  429: ['RateLimit', 'Retry-After'],
  503: ['Retry-After'],
}
