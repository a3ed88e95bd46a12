import { inNamesOf } from '../core/expand.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from '../core/json.ts'
import { namesIn, type Operation, type Resource } from '../core/operation.ts'
import type { Shape } from '../core/property.ts'
import { metaOf } from '../core/schema-meta.ts'
import type { Dialect } from '../core/versions.ts'
import { type Schema, schemaOf } from './json-schema.ts'
import { idSchema } from './openapi-schemas.ts'
import type { Publication } from './publication.ts'

/** The parameters in an operation's path. */
export function pathParameters({ path, params }: Operation, { shape }: Resource): Json[] {
  return namesIn(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: params?.[name] ? `The \`${name}\` of the ${shape.type}.` : 'The identifier in the address.',
    schema: params?.[name] ? { type: 'string' } : idSchema,
  }))
}

/** What an operation reads from its query and from the request's headers. */
export function operationParameters(operation: Operation, publication: Publication): Json[] {
  const { method, answers } = operation
  const headers = ['Service-Api-Version', 'Service-Locale', 'Prefer']
  if (method === 'GET') headers.push('If-None-Match')
  else headers.push('Idempotency-Key')
  if (method === 'PATCH' || method === 'PUT' || method === 'DELETE') headers.push('If-Match')
  return [
    ...queryParameters(operation, publication),
    ...(answers === 'empty' ? [] : [parameterReference('properties')]),
    ...headers.map(parameterReference),
  ]
}

function parameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` }
}

function queryParameters(operation: Operation, publication: Publication): Json[] {
  const { query, shape } = operation
  return Object.entries(query).map(([name, schema]) => {
    const { description = meaningOf(name, shape), ...own } = schemaOf(schema, 'write', publication)
    return {
      name,
      in: 'query',
      required: metaOf(schema).mandatory ?? false,
      description,
      ...(name === 'expand' ? expandParameter(own, publication.dialect) : { schema: own }),
    }
  })
}

/** What a filter means: the property of its name tells, or the name itself. */
function meaningOf(name: string, { properties }: Shape): string {
  const property = member(properties, name)
  return `Only those with this \`${name}\`.${property ? ` ${property.description}` : ''}`
}

/** What can be expanded, in the names of the version: several paths stand behind one name, separated by commas. */
function expandParameter(schema: Schema, dialect: Dialect): JsonObject {
  const items = isJsonObject(schema.items) ? schema.items : {}
  const paths = isJsonArray(items.enum) ? items.enum : []
  const choices = paths.map((each) => inNamesOf(String(each), dialect))
  return { style: 'form', explode: false, schema: { ...schema, items: { ...items, enum: choices } } }
}

/** The parameters that many operations share. */
export function headerParameters({ dialect: { version } }: Publication): JsonObject {
  return {
    properties: {
      name: 'properties[]',
      in: 'query',
      required: false,
      description:
        'Reduces the answer to these properties; `properties[variants][]=sku` names one of a nested object. On a list it reduces the members, and what is left counts for how many fit on a page.',
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: true,
      example: ['title'],
    },
    'Service-Api-Version': header(
      'Service-Api-Version',
      'The version of the API; the default of the tenant when absent.',
      { type: 'string', enum: [version.name] },
    ),
    'Service-Locale': header(
      'Service-Locale',
      'The language of texts, read and written. `fallbacks` names texts that are shown in another one; those that are sent back unchanged are not written.',
      {
        type: 'string',
        pattern: '^[a-z]{2,3}-[A-Z]{2}$',
        examples: ['en-US'],
      },
    ),
    Prefer: header('Prefer', '`handling=strict` refuses unknown members and parameters (RFC 7240).', {
      type: 'string',
      examples: ['handling=strict'],
    }),
    'Idempotency-Key': header(
      'Idempotency-Key',
      'Makes a repeated request happen once: a key of your own. The service keeps it for 24 hours for this client and subject, with its locale and version, also for a write that changes nothing.',
      { type: 'string', minLength: 1, maxLength: 255, examples: ['4f2c8a52-order-17'] },
    ),
    'If-Match': header(
      'If-Match',
      'Writes only if the resource still has the version of this entity tag; `W/` and what stands behind the version are ignored.',
      {
        type: 'string',
        examples: ['"3.q1w2e3r4t5y6u7i8"'],
      },
    ),
    'If-None-Match': header('If-None-Match', 'Answers 304 if the entity tag is still this one (RFC 9110).', {
      type: 'string',
      examples: ['"3.q1w2e3r4t5y6u7i8"'],
    }),
  }
}

function header(name: string, description: string, schema: Schema): JsonObject {
  return { name, in: 'header', required: false, description, schema }
}
