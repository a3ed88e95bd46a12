import type { Json, JsonObject } from '../core/json.ts'
import type { Operation, Resource } from '../core/operation.ts'
import { reference } from './json-schema.ts'
import { exampleNamed } from './openapi-examples.ts'
import { failure, failureStatuses } from './openapi-failures.ts'
import { commonHeaders, headersNamed } from './openapi-headers.ts'
import { listName } from './openapi-schemas.ts'

/** Every status that an operation can answer. */
export function responsesOf(operation: Operation, resource: Resource): JsonObject {
  const responses: Record<string, Json> = success(operation)
  if (operation.method === 'GET') {
    responses['304'] = {
      description: 'Unchanged since the entity tag.',
      headers: headersNamed([...commonHeaders, 'ETag', 'Service-Ignored-Parameters', 'Service-Sequence']),
    }
  }
  for (const status of failureStatuses(operation)) {
    responses[status] = failure(status, operation, resource)
  }
  return responses
}

function success(operation: Operation): Record<string, Json> {
  const { method, answers, shape, body } = operation
  const headers = [...commonHeaders]
  if (method !== 'GET') headers.push('Idempotency-Replayed')
  if (answers === 'empty') return { 204: { description: 'Done.', headers: headersNamed(headers) } }
  headers.push('ETag', 'Service-Ignored-Parameters')
  if (method === 'GET') headers.push('Service-Sequence')
  if (body) headers.push('Service-Ignored-Properties')
  if (method === 'POST') headers.push('Location')
  const list = reference(listName(operation))
  const one = reference(shape.type)
  const schema = answers === 'collection' ? list : body?.bulk ? { anyOf: [one, list] } : one
  return {
    [method === 'POST' ? (operation.status ?? 201) : 200]: {
      description: `${operation.summary}.`,
      headers: headersNamed(headers),
      content: {
        'application/ld+json': {
          schema,
          examples: exampleNamed(answers === 'collection' ? listName(operation) : shape.type),
        },
      },
    },
  }
}
