import type { JsonObject } from '../core/json.ts'
import type { Operation } from '../core/operation.ts'

const actions = {
  GET: 'schema:FindAction',
  POST: 'schema:CreateAction',
  PATCH: 'schema:UpdateAction',
  PUT: 'schema:ReplaceAction',
  DELETE: 'schema:DeleteAction',
} as const

/** An operation in Hydra: its method, what it expects and what it returns. */
export function hydraOperation({
  method,
  summary,
  description,
  shape,
  answers,
  body,
}: Operation): JsonObject {
  return {
    '@type': ['Operation', actions[method]],
    method,
    title: summary,
    label: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    ...(body && { expects: `#${(body.shape ?? shape).type}` }),
    returns:
      answers === 'empty' ? 'owl:Nothing' : answers === 'collection' ? 'hydra:Collection' : `#${shape.type}`,
  }
}
