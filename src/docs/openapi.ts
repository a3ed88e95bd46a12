import { demandsOf } from '../core/demands.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Operation, Resource } from '../core/operation.ts'
import { reference } from './json-schema.ts'
import { limits } from './limits.ts'
import { componentExamples, writtenExamples } from './openapi-examples.ts'
import { failureResponses } from './openapi-failures.ts'
import { responseHeaders } from './openapi-headers.ts'
import { headerParameters, operationParameters, pathParameters } from './openapi-parameters.ts'
import { responsesOf } from './openapi-responses.ts'
import { componentSchemas, writtenName } from './openapi-schemas.ts'
import { deliveryHeaders, webhooks } from './openapi-webhooks.ts'
import { allOperations, type Publication } from './publication.ts'

/** `/api/openapi.json`: every operation of a version (OpenAPI 3.1). */
export function openApi(publication: Publication): JsonObject {
  const schemas = componentSchemas(publication)
  const { dialect, origin, resources } = publication
  const paths: Record<string, Record<string, Json>> = {}
  for (const { resource, operation } of allOperations(publication)) {
    const item = (paths[operation.path] ??= { parameters: pathParameters(operation, resource) })
    item[operation.method.toLowerCase()] = described(operation, resource, publication)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product catalogue',
      version: dialect.version.name,
      summary: 'Products, variants and prices, each tenant on its own host.',
      description,
      contact: { name: 'Product catalogue', url: origin },
      license: { name: 'Proprietary', url: `${origin}/docs` },
      'x-limits': limits,
    },
    servers: [{ url: origin, description: 'This tenant.' }],
    security: [{ bearer: [] }],
    tags: resources
      .filter(({ operations }) => operations.length > 0)
      .map(({ shape }) => ({ name: shape.type, description: shape.description })),
    paths,
    webhooks: webhooks(publication),
    components: usedOnly(paths, {
      schemas,
      examples: componentExamples(schemas, publication),
      parameters: { ...headerParameters(publication), ...deliveryHeaders },
      headers: responseHeaders,
      responses: failureResponses(publication),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'An OAuth 2.0 access token. `/.well-known/oauth-protected-resource` names the issuer and the scopes.',
        },
      },
    }),
  }
}

/** Leaves out the answers that no operation of the version refers to. */
function usedOnly(paths: JsonObject, components: { responses: JsonObject } & JsonObject): JsonObject {
  const text = JSON.stringify(paths)
  const used = Object.entries(components.responses).filter(([name]) =>
    text.includes(`"#/components/responses/${name}"`),
  )
  return { ...components, responses: Object.fromEntries(used) }
}

const description = [
  'Answers are JSON-LD documents; lists are Hydra collections whose `view` leads from page to page.',
  'Errors are problem documents (RFC 9457), each catalogued at `/api/error-codes`.',
  'Unknown members and parameters are ignored and named in a header; `Prefer: handling=strict` refuses them.',
].join('\n\n')

function described(operation: Operation, resource: Resource, publication: Publication): JsonObject {
  const { name, summary, description: more, shape, scope, alsoScopes = [], body, upload, emits } = operation
  const events = emits?.length ? `Records ${emits.map((topic) => `\`${topic}\``).join(', ')}.` : null
  const scopes = scope === null ? alsoScopes : [scope, ...alsoScopes]
  const own =
    scopes.length === 0
      ? 'Any valid token will do.'
      : `Needs the scope${scopes.length > 1 ? 's' : ''} ${scopes.map((each) => `\`${each}\``).join(' and ')}.`
  const { dialect } = publication
  const { query, body: members } = demandsOf(operation)
  const names = dialect.renames.get((body?.shape ?? shape).type)
  const written = [...members].map(([member, demand]) => [names?.get(member) ?? member, demand] as const)
  const demanded = [...query, ...written].map(
    ([name, { described }]) => ` With \`${name}\`, ${described} as well.`,
  )
  const stored = operation.alsoTakes === undefined ? '' : ` ${operation.alsoTakes}`
  const needs = `${own}${demanded.join('')}${stored}`
  return {
    operationId: name,
    summary,
    description: [`${summary}.`, more, needs, events].filter((each) => each != null).join(' '),
    tags: [resource.shape.type],
    security: [{ bearer: scopes }],
    parameters: operationParameters(operation, publication),
    ...(body && { requestBody: requestBody(operation, body, resource) }),
    ...(upload && { requestBody: fileBody(upload) }),
    responses: responsesOf(operation, resource),
    externalDocs: { description: shape.type, url: `${publication.origin}/api/docs.jsonld#${shape.type}` },
  }
}

const mediaTypes = {
  create: ['application/ld+json', 'application/json'],
  patch: ['application/merge-patch+json'],
}

/** A body that is a file has no schema: its media type says all (OpenAPI 3.1, “Considerations for File Uploads”). */
function fileBody({ types }: NonNullable<Operation['upload']>): JsonObject {
  return { required: true, content: Object.fromEntries(types.map((type) => [type, {}])) }
}

function requestBody(
  operation: Operation,
  { mode, bulk }: NonNullable<Operation['body']>,
  resource: Resource,
): JsonObject {
  const name = writtenName(operation, resource)
  const one = reference(name)
  const several = { type: 'array', items: one, minItems: 1, maxItems: bulk ?? 1 }
  const schema = bulk === undefined ? one : { anyOf: [one, several] }
  const content = { schema, examples: writtenExamples(name, mode) }
  return {
    required: true,
    content: Object.fromEntries(mediaTypes[mode].map((type) => [type, content])),
  }
}
