import { globSync, readFileSync } from 'node:fs'
import { toVersionNames } from '../core/expand.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from '../core/json.ts'
import { localePattern } from '../core/locale.ts'
import {
  bodyTypesOf,
  comparesIfMatch,
  isPublic,
  namesIn,
  type Operation,
  type Resource,
} from '../core/operation.ts'
import type { CataloguedProblem } from '../core/problem.ts'
import { coreProblems } from '../core/problems/index.ts'
import { scopesByNameOf } from '../core/required-scopes.ts'
import type { Shape } from '../core/schema.ts'
import type { ApiVersion } from '../core/versions.ts'
import { metaOf } from '../core/zod.ts'
import { kindOf, type Topic, topics } from '../resources/events/topics.ts'
import {
  componentExamples,
  exampleOf,
  examplesKeyword,
  problemExamples,
  receiverName,
  webhookHeaderExample,
} from './examples.ts'
import { reference, type Schema, schemaOf } from './json-schema.ts'
import { limits } from './limits.ts'
import { bodyName, componentSchemas, idSchema, listName, webhookSchema } from './openapi-schemas.ts'
import { allOperations, type Publication } from './publication.ts'

const text = { type: 'string' }

const responseHeaders: JsonObject = Object.fromEntries(
  Object.entries<readonly [description: string, schema?: JsonObject]>({
    Link: ['First the Hydra documentation; in an old version where its end is announced.'],
    'Service-Api-Version': ['The version that answered.'],
    'Service-Sequence': ['How far the events of the tenant were when this was read.', { type: 'integer' }],
    'Service-Priced-At': [
      'The moment of the prices in the response: the requested one, or the moment at which the service answered `now`.',
      { type: 'string', format: 'date-time' },
    ],
    'Service-Prices-Until': [
      'The first moment after `Service-Priced-At` at which a price in the response changes without a write. The header is absent if no price will change.',
      { type: 'string', format: 'date-time' },
    ],
    'Service-Ignored-Properties': [
      'Members of the body that were not written: unknown ones, and those whose value in the response differs. These are read-only members, and members next to the `@id` of a relation.',
    ],
    'Service-Ignored-Parameters': [
      'Parameters of the query that the operation does not read, and those of `properties[]` that name no property.',
    ],
    'Content-Language': ['The requested locale; of an error, the language of its message.'],
    ETag: ['The entity tag: version and fingerprint.'],
    'Content-Location': [
      'The address of the product with its present handle, or of the category with its path. It differs from the requested one if that has a former handle.',
      { type: 'string', format: 'uri-reference' },
    ],
    Location: ['Where the created resource is.', { type: 'string', format: 'uri-reference' }],
    'Service-Changed': [
      'Whether the request created or changed the resource. If `false`, it was equal, and has no new version and no event.',
      { type: 'string', enum: ['true', 'false'] },
    ],
    'Idempotency-Replayed': [
      '`true` where the answer to an earlier request with the same key is repeated.',
      { type: 'string', enum: ['true'] },
    ],
    'Service-Dry-Run': ['`true` if nothing was stored.', { type: 'string', enum: ['true'] }],
    'X-Request-Id': [
      'The id of the request; name it when you ask for help.',
      { type: 'string', format: 'uuid' },
    ],
    'RateLimit-Policy': ['How many requests a client may make, and in how many seconds.'],
    RateLimit: ['The remaining quota.'],
    'Retry-After': ['Seconds to wait before trying again.', { type: 'integer' }],
    'WWW-Authenticate': ['What the token lacks (RFC 6750), and where to get one (RFC 9728).'],
    Accept: ['The media types that the operation takes.'],
    'Accept-Patch': ['The media types that a PATCH takes.'],
    'Accept-Post': ['The media types that a POST takes.'],
    Deprecation: ['Since when the version is deprecated (RFC 9745); only on old versions.'],
    Sunset: ['When the version ends (RFC 8594); only on old versions.'],
  }).map(([name, [description, schema = text]]) => [name, { description, schema }]),
)

function headersNamed(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const commonHeaders = [
  'Link',
  'Service-Api-Version',
  'Content-Language',
  'X-Request-Id',
  'RateLimit-Policy',
  'Deprecation',
  'Sunset',
]

/** The statuses of an operation's errors, in ascending order. */
function failureStatuses({ method, scope, body, upload, alsoFails = [] }: Operation): number[] {
  const writes = method !== 'GET'
  return [
    400,
    401,
    ...(scope === null ? [] : [403]),
    404,
    406,
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
    ...alsoFails,
  ].toSorted((a, b) => a - b)
}

function failure(status: number, { notFound, path }: Operation, { shape, problems }: Resource): Json {
  const hasOwnResponse =
    status === 404 ? path.includes('{') : problems.some((problem) => problem.status === status)
  const name = !hasOwnResponse ? status : status === 404 ? `404.${notFound.slug}` : `${status}.${shape.type}`
  return { $ref: `#/components/responses/${name}` }
}

/**
 * The error responses, by status. A resource that declares errors has its own response for their statuses.
 */
function failureResponses(publication: Publication): JsonObject {
  const responses: Record<string, Json> = {}
  const add = (name: string, status: number, resourceProblems: readonly CataloguedProblem[]) => {
    const sharedProblems = coreProblems.filter((problem) => problem.status === status)
    responses[name] = problemResponse(
      status,
      [...resourceProblems, ...sharedProblems],
      resourceProblems.length > 0 ? resourceProblems : sharedProblems,
    )
  }
  for (const status of Object.keys(phrases)) add(status, Number(status), [])
  for (const { shape, problems } of publication.resources) {
    for (const [status, statusProblems] of Map.groupBy(problems, (problem) => problem.status)) {
      if (status !== 404) add(`${status}.${shape.type}`, status, statusProblems)
    }
  }
  for (const { operation } of allOperations(publication)) {
    add(`404.${operation.notFound.slug}`, 404, [operation.notFound])
  }
  return responses
}

function problemResponse(
  status: number,
  problems: readonly CataloguedProblem[],
  exampleProblems: readonly CataloguedProblem[],
): JsonObject {
  const slugs = [...new Set(problems.map(({ slug }) => `\`${slug}\``))]
  const type = status === 422 ? 'ConstraintViolation' : 'Error'
  return {
    description: `${phrases[status]} ${slugs.join(', ')}`,
    headers: headersNamed([...commonHeaders, ...(headersByStatus[status] ?? [])]),
    content: {
      'application/problem+json': {
        // An invalid body lists its violations. An idempotency key that was used for another body has none.
        schema: status === 422 ? { anyOf: [reference(type), reference('Error')] } : reference(type),
        ...problemExamples(exampleProblems),
      },
    },
  }
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Malformed body or header.',
  401: 'No token, or one that is not good.',
  403: 'The token lacks a scope, or its person a permission.',
  404: 'No such resource.',
  406: 'None of the accepted media types is served.',
  409: 'In conflict with existing data.',
  410: 'No longer available.',
  411: 'Content-Length is missing.',
  412: 'The resource has changed meanwhile.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The body has a media type that is not read.',
  422: 'The body or the query is invalid; every violation is listed.',
  429: 'Too many requests.',
  500: 'A defect of the service.',
  503: 'The service is unavailable. A write may have been stored: repeat it with the same Idempotency-Key.',
}

const headersByStatus: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  415: ['Accept', 'Accept-Patch', 'Accept-Post'],
  429: ['RateLimit', 'Retry-After'],
  503: ['Retry-After'],
}

function pathParameters(operation: Operation, { shape }: Resource): Json[] {
  const { path, params } = operation
  return namesIn(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: params?.[name] ? `The \`${name}\` of the ${shape.type}.` : 'The identifier in the address.',
    schema: params?.[name] ? { type: 'string' } : idSchema,
    ...exampleIn(exampleOf(operation).params, name),
  }))
}

/** The keyword `example` of a parameter that the documented request has. */
function exampleIn(values: JsonObject | undefined, name: string): JsonObject {
  const example = values && member(values, name)
  return example === undefined ? {} : { example }
}

function operationParameters(operation: Operation, resource: Resource, publication: Publication): Json[] {
  const { method, answers, isUpsert } = operation
  const headers = ['Service-Api-Version', 'Service-Locale', 'Prefer']
  if (method === 'GET' || isUpsert) headers.push('If-None-Match')
  if (method !== 'GET') headers.push('Idempotency-Key')
  if (hasDryRun(operation)) headers.push('Service-Dry-Run')
  if (comparesIfMatch(operation) && method !== 'POST') headers.push('If-Match')
  return [
    ...pathParameters(operation, resource),
    ...queryParameters(operation, publication),
    ...(answers === 'empty' ? [] : [parameterReference('properties')]),
    ...headers.map(parameterReference),
  ]
}

/** Whether an operation can be a dry run: a write whose body is no file. */
function hasDryRun({ method, upload }: Operation): boolean {
  return method !== 'GET' && !upload
}

function parameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` }
}

function queryParameters(operation: Operation, publication: Publication): Json[] {
  const { query, shape } = operation
  return Object.entries(query).map(([name, schema]) => {
    const { description = parameterDescription(name, shape), ...rest } = schemaOf(
      schema,
      'write',
      publication,
    )
    return {
      name: name.replace('[*][]', ''),
      in: 'query',
      ...(name.includes('*') && { style: 'deepObject', explode: true }),
      required: metaOf(schema).mandatory ?? false,
      description,
      ...(name === 'expand' ? expandParameter(rest, publication.apiVersion) : { schema: rest }),
      ...exampleIn(exampleOf(operation).query, name),
    }
  })
}

/** The description of a filter without one of its own, from the property of the same name if there is one. */
export function parameterDescription(name: string, { properties }: Shape): string {
  const property = member(properties, name)
  return `Only those with this \`${name}\`.${property ? ` ${property.description}` : ''}`
}

/**
 * The `expand` parameter with the paths in the names of the version. One name can represent several
 * comma-separated paths.
 */
function expandParameter(schema: Schema, apiVersion: ApiVersion): JsonObject {
  const items = isJsonObject(schema.items) ? schema.items : {}
  const paths = isJsonArray(items.enum) ? items.enum : []
  const choices = paths.map((path) => toVersionNames(String(path), apiVersion))
  return { style: 'form', explode: false, schema: { ...schema, items: { ...items, enum: choices } } }
}

function headerParameters({ apiVersion: { version } }: Publication): JsonObject {
  return {
    properties: {
      name: 'properties[]',
      in: 'query',
      required: false,
      description:
        'Reduces the answer to these properties, and always `@id` and `@type`; `properties[variants][]=sku` names one of a nested object. On a list it reduces the members, and what is left counts for how many fit on a page.',
      schema: { type: 'array', items: { type: 'string' }, examples: [['title']] },
      style: 'form',
      explode: true,
    },
    ...headersAsParameters({
      'Service-Api-Version': [
        'The version of the API; the default of the tenant when absent.',
        { enum: [version.name] },
      ],
      'Service-Locale': [
        'The language of texts, read and written. `fallbacks` names texts that are shown in another one; those that are sent back unchanged are not written.',
        { pattern: localePattern.source, examples: ['en-US'] },
      ],
      Prefer: [
        '`handling=strict` rejects unknown members and parameters, `handling=lenient` ignores also frequent mistakes; `return=minimal` leaves `search` out of a list (RFC 7240).',
        { examples: ['handling=strict', 'handling=lenient', 'return=minimal'] },
      ],
      'Idempotency-Key': [
        'Makes a repeated request happen once: a key of your own. The service keeps it for 24 hours for this client and subject, with its locale and version, also for a write that changes nothing.',
        { minLength: 1, maxLength: 255, examples: ['4f2c8a52-order-17'] },
      ],
      'Service-Dry-Run': [
        '`true` checks the write by all rules and by the database, and stores nothing. The response is that of the write, with the member `dryRun`: the `events` that it would record, and the `priceChanges` in markets. An idempotency key is not used.',
        { enum: ['true', 'false'] },
      ],
      'If-Match': [
        'Writes only if the resource still has the version of this entity tag; `W/` and the text after the version are ignored.',
        { examples: ['"3.q1w2e3r4t5y6u7i8"'] },
      ],
      'If-None-Match': [
        'Answers 304 if the entity tag is still this one (RFC 9110). With `*`, a PATCH by an external id only creates.',
        { examples: ['"3.q1w2e3r4t5y6u7i8"'] },
      ],
    }),
  }
}

function headersAsParameters(
  headers: Readonly<Record<string, readonly [description: string, keywords: Schema]>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, [description, keywords]]) => [
      name,
      { name, in: 'header', required: false, description, schema: { type: 'string', ...keywords } },
    ]),
  )
}

function responsesOf(operation: Operation, resource: Resource): JsonObject {
  const responses: Record<string, Json> = success(operation)
  if (operation.method === 'GET') {
    responses['304'] = {
      description: 'Unchanged since the entity tag.',
      headers: headersNamed([
        ...commonHeaders,
        'ETag',
        'Service-Ignored-Parameters',
        ...readHeaders(operation),
      ]),
    }
  }
  for (const status of failureStatuses(operation)) {
    responses[status] = failure(status, operation, resource)
  }
  return responses
}

function readHeaders({ method, query, alsoHeaders = [] }: Operation): string[] {
  if (method !== 'GET') return []
  return [
    'Service-Sequence',
    ...('resolveContext[at]' in query ? ['Service-Priced-At', 'Service-Prices-Until'] : []),
    ...alsoHeaders,
  ]
}

function success(operation: Operation): Record<string, Json> {
  const { method, answers, shape, body, isUpsert } = operation
  const headers = [...commonHeaders]
  if (method !== 'GET') headers.push('Idempotency-Replayed')
  if (hasDryRun(operation)) headers.push('Service-Dry-Run')
  if (answers === 'empty') {
    return {
      ...(hasDryRun(operation) && {
        200: {
          description: 'The effects of a dry run.',
          headers: headersNamed([...headers, 'ETag']),
          content: { 'application/ld+json': { schema: dryRunSchema } },
        },
      }),
      204: { description: 'Done.', headers: headersNamed(headers) },
    }
  }
  headers.push('ETag', 'Service-Ignored-Parameters')
  headers.push(...readHeaders(operation))
  if (body) headers.push('Service-Ignored-Properties')
  if (method === 'POST') headers.push('Location')
  const list = reference(listName(operation))
  const itemReference = reference(shape.type)
  const schema =
    answers === 'collection' ? list : body?.bulk ? { anyOf: [itemReference, list] } : itemReference
  if (isUpsert) headers.push('Service-Changed')
  const recorded = exampleOf(operation).status ?? 200
  const response = (status: number, more: readonly string[] = []) => ({
    description: `${operation.summary}.`,
    headers: headersNamed([...headers, ...more]),
    content: {
      'application/ld+json': {
        schema,
        ...(isUpsert && status !== recorded ? {} : examplesKeyword(operation, 'Response')),
      },
    },
  })
  const status = method === 'POST' ? (operation.status ?? 201) : 200
  return { [status]: response(status), ...(isUpsert && { 201: response(201, ['Location']) }) }
}

/** The body of a dry run of an operation that returns no document. */
const dryRunSchema = {
  type: 'object',
  required: ['dryRun'],
  properties: {
    dryRun: {
      type: 'object',
      properties: {
        events: { type: 'array', items: { type: 'object' } },
        priceChanges: { type: 'array', maxItems: 1000, items: { type: 'object' } },
      },
    },
  },
}

/** The deliveries that a subscription receives: one for each topic. */
function webhooks(publication: Publication): JsonObject {
  const { resources } = publication
  return Object.fromEntries(
    topics.flatMap((topic) => {
      const { name } = topic
      const resource = resources.find(({ shape }) => shape === kindOf(name)?.shape)
      if (!resource) return []
      return [[name, { post: delivery(topic, webhookSchema(resource, publication)) }]]
    }),
  )
}

const asChanged = 'The resource as it was after the change'
const asRecorded =
  'The resource as it was when the event was recorded, with its state at the time of the event'
const fields = 'Without `includeFields` the whole document, with it the paths that it names.'

function delivery({ name, description, isBoundary }: Topic, schema: Schema): JsonObject {
  const operationId = receiverName(name)
  return {
    operationId,
    summary: description,
    description: `${isBoundary ? asRecorded : asChanged}, in the version and locale of the subscription, signed as Standard Webhooks say. ${fields}`,
    tags: ['WebhookTopic'],
    security: [],
    parameters: Object.keys(deliveryHeaders)
      .filter((name) => isBoundary || name !== `delivery.${effectiveAt}`)
      .map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          examples: { [operationId]: { $ref: `#/components/examples/${operationId}` } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. Anything else, and no answer within 15 seconds, is tried again.' },
      '410': { description: 'Not wanted any more: the subscription is disabled at once.' },
      '4XX': { description: 'Not received; it is tried again.' },
    },
  }
}

const effectiveAt = 'Service-Effective-At'

const headers = {
  'webhook-id': 'The same on every attempt of one event for one subscription: it identifies repetitions.',
  'webhook-timestamp': 'Seconds since 1970 at this attempt.',
  'webhook-signature': '`v1,` and the base64 HMAC-SHA256 of id.timestamp.body, one for each living secret.',
  'Service-Topic': 'The topic.',
  'Service-Api-Version': 'The version of the payload.',
  'Service-Sequence': 'The place of the event in the changes of the tenant.',
  'Service-Resource-Version': 'The version of the resource after the change.',
  [effectiveAt]:
    'The moment at which an offer began or ceased to apply, prices changed, or that the catalogue was restored to; absent where the event is of a change.',
  'Service-Delivery-Attempt': 'Which attempt this is, from 1.',
  traceparent:
    'W3C Trace Context: the trace of the request that made the change, with a span of this attempt’s own.',
}

/** The headers of a delivery, as parameters that every webhook refers to. */
const deliveryHeaders: JsonObject = Object.fromEntries(
  Object.entries(headers).map(([name, description]) => [
    `delivery.${name}`,
    {
      ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
      ...webhookHeaderExample(name === effectiveAt ? 'sale_offer/started' : 'product/updated', name),
    },
  ]),
)

/** The guide for integrators, which /docs shows above the operations: Markdown pages in the order of their names. */
const pages = globSync(`${import.meta.dirname}/guide/*.md`).sort()
const guide = pages.map((page) => readFileSync(page, 'utf8').trim()).join('\n\n')

/** `/api/openapi.json`: every operation of a version (OpenAPI 3.1). */
export function openApi(publication: Publication): JsonObject {
  const schemas = componentSchemas(publication)
  const { apiVersion, origin, resources } = publication
  const paths: Record<string, Record<string, Json>> = {}
  for (const { resource, operation } of allOperations(publication)) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = described(operation, resource, publication)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product catalogue',
      version: apiVersion.version.name,
      summary: 'Products, variants and prices, each tenant on its own host.',
      description: guide,
      contact: { name: 'Product catalogue', url: origin },
      license: { name: 'MIT', identifier: 'MIT' },
      'x-limits': limits,
    },
    servers: [{ url: origin, description: 'This tenant.' }],
    security: [{ bearer: [] }],
    tags: resources
      .filter(({ operations }) => operations.length > 0)
      .map(({ shape }) => ({ name: shape.type, description: shape.description })),
    paths,
    webhooks: webhooks(publication),
    components: withoutUnusedResponses(paths, {
      schemas,
      examples: componentExamples(publication),
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

/** Removes the responses that no operation of the version refers to. */
function withoutUnusedResponses(
  paths: JsonObject,
  components: { responses: JsonObject } & JsonObject,
): JsonObject {
  const text = JSON.stringify(paths)
  const responses = Object.entries(components.responses).filter(([name]) =>
    text.includes(`"#/components/responses/${name}"`),
  )
  return { ...components, responses: Object.fromEntries(responses) }
}

function described(operation: Operation, resource: Resource, publication: Publication): JsonObject {
  const { name, summary, description: more, shape, scope, alsoScopes = [], body, upload, emits } = operation
  const events = emits?.length ? `Records ${emits.map((topic) => `\`${topic}\``).join(', ')}.` : null
  const scopes = scope === null ? alsoScopes : [scope, ...alsoScopes]
  const needsScopes =
    scopes.length === 0
      ? 'Any valid token will do.'
      : `Needs the scope${scopes.length > 1 ? 's' : ''} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`
  const { apiVersion } = publication
  const { query, body: members } = scopesByNameOf(operation)
  const names = apiVersion.renames.get((body?.shape ?? shape).type)
  const bodyDemands = [...members].map(([member, demand]) => [names?.get(member) ?? member, demand] as const)
  const memberNeeds = [...query, ...bodyDemands].map(
    ([name, { described }]) => ` With \`${name}\`, ${described} as well.`,
  )
  const alsoNeeds = operation.alsoTakes === undefined ? '' : ` ${operation.alsoTakes}`
  const keys = isPublic(operation) ? ' Publishable keys may use it.' : ''
  const needs = `${needsScopes}${memberNeeds.join('')}${alsoNeeds}${keys}`
  return {
    operationId: name,
    summary,
    description: [`${summary}.`, more, needs, events].filter((sentence) => sentence != null).join(' '),
    tags: [resource.shape.type],
    security: [{ bearer: scopes }],
    parameters: operationParameters(operation, resource, publication),
    ...(body && { requestBody: requestBody(operation, body, resource) }),
    ...(upload && { requestBody: fileBody(operation, upload) }),
    responses: responsesOf(operation, resource),
    externalDocs: { description: shape.type, url: `${publication.origin}/api/docs.jsonld#${shape.type}` },
  }
}

/**
 * A file as a body has no schema: its media type is enough (OpenAPI 3.1, “Considerations for File Uploads”). The example is a file of
 * ASCII characters, which JSON can contain; clients that generate requests use the first type.
 */
function fileBody(
  operation: Operation,
  { types, exampleType }: NonNullable<Operation['upload']>,
): JsonObject {
  const others = types.filter((type) => type !== exampleType).map((type) => [type, {}])
  const content = { [exampleType]: examplesKeyword(operation, 'Request'), ...Object.fromEntries(others) }
  return { required: true, content }
}

function requestBody(
  operation: Operation,
  body: NonNullable<Operation['body']>,
  resource: Resource,
): JsonObject {
  const { bulk, isBatch } = body
  const name = bodyName(operation, resource)
  const itemReference = reference(name)
  const items = isBatch ? { allOf: [itemReference, batchElement] } : itemReference
  const list = { type: 'array', items, minItems: 1, maxItems: bulk ?? 1 }
  const schema = bulk === undefined ? itemReference : isBatch ? list : { anyOf: [itemReference, list] }
  const content = { schema, ...examplesKeyword(operation, 'Request') }
  return {
    required: true,
    content: Object.fromEntries(bodyTypesOf(body).map((type) => [type, content])),
  }
}

/** The members of an element of a batch that are no properties. */
const batchElement = {
  type: 'object',
  required: ['@id'],
  properties: {
    '@id': { type: 'string', format: 'uri-reference' },
    version: { type: 'integer', minimum: 1, description: 'The version that the resource must still have.' },
  },
}
