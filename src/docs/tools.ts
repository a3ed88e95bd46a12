/** The descriptions of tools for models, in the names of a version. */
import { expandPaths } from '../core/expand.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { localePattern } from '../core/locale.ts'
import { membersOfArgument, type Operation, type Tool, toolParameters } from '../core/operation.ts'
import { schemaOf } from './json-schema.ts'
import { parameterDescription } from './openapi.ts'
import { envelope, facetMembers, schemasWithinList } from './openapi-schemas.ts'
import type { Publication } from './publication.ts'

/** The description of a tool, as `tools/list` returns it. */
export type ToolDescription = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly annotations: JsonObject
}

/** The description of a tool; null for an unknown tool. */
export function toolDescription(name: string, publication: Publication): ToolDescription | null {
  const operations = publication.resources.flatMap((resource) => resource.operations)
  const operation = operations.find(({ tool }) => tool?.name === name)
  if (!operation?.tool) return null
  const { title, description } = operation.tool
  const documents = schemasWithinList(operation.shape.type, publication)
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(operation, operation.tool, publication),
    outputSchema: operation.answers === 'item' ? itemSchema(documents) : pageSchema(documents, operation),
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  }
}

const localeInput = {
  type: 'string',
  pattern: localePattern.source,
  description:
    'The language to answer in, as fr-FR; the catalogue’s own when absent. A text without a translation is answered in another language, which fallbacks names.',
}

function inputSchema(operation: Operation, { inputs }: Tool, publication: Publication) {
  const parameters = toolParameters(operation)
  const schemaOfInput = ([name, { parameter = name, schema }]: Input): [string, JsonObject] => {
    if (schema) return [name, withChoices(name, schema)]
    const parameterSchema = parameters[parameter]
    if (!parameterSchema) return [name, schemaOfInputs(membersOfArgument(name, operation))]
    const { description = parameterDescription(name, operation.shape), ...keywords } = schemaOf(
      parameterSchema,
      'write',
      publication,
    )
    return [name, withChoices(name, { ...(name === 'expand' ? { type: 'string' } : keywords), description })]
  }
  const withChoices = (name: string, schema: JsonObject) =>
    name === 'expand' ? { ...schema, enum: expandPaths(operation, publication.apiVersion) } : schema
  const schemaOfInputs = (of: Tool['inputs'], more: JsonObject = {}) => ({
    type: 'object' as const,
    properties: { ...Object.fromEntries(Object.entries(of).map(schemaOfInput)), ...more },
    additionalProperties: false,
  })
  return schemaOfInputs(inputs, { locale: localeInput })
}

type Input = [name: string, input: Tool['inputs'][string]]

type Schemas = Readonly<Record<string, JsonObject>>

/** The schema of one document. `documents` are the schemas of its type, and of the types that it refers to. */
function itemSchema(documents: Schemas) {
  const { main, definitions } = selfContained(documents, '#')
  return { type: 'object' as const, ...(isJsonObject(main) && main), ...definitions }
}

/** The schema of a page of documents. */
function pageSchema(documents: Schemas, { query }: Operation) {
  const { Facet, FacetValue, Correction } = envelope
  const hasFacets = Object.hasOwn(query, 'facets[]')
  const schemas = hasFacets ? { ...documents, Facet, FacetValue, Correction } : documents
  // The items' schema is inlined instead of referenced, because some clients do not resolve references.
  const { main, definitions, copy } = selfContained(schemas, '#/properties/items/items')
  return {
    type: 'object' as const,
    properties: {
      items: { type: 'array', items: main },
      totalItems: {
        anyOf: [{ type: 'integer' }, { type: 'null' }],
        description: 'How many there are in all; null beyond 10,000 matches.',
      },
      page: { type: 'integer' },
      nextPage: {
        anyOf: [{ type: 'integer' }, { type: 'null' }],
        description: 'The page that follows; null on the last.',
      },
      ...(hasFacets && { facets: copy(facetMembers.facets), corrections: copy(facetMembers.corrections) }),
    },
    required: ['items', 'totalItems', 'page', 'nextPage'],
    ...definitions,
  }
}

/** The schema of the first type, at a path, and those of the types that it refers to. */
function selfContained(
  documents: Schemas,
  path: string,
): { main: Json; definitions: JsonObject; copy: (schema: Json) => Json } {
  const [[mainType, mainSchema] = ['', {}], ...referenced] = Object.entries(documents)
  const copy = (schema: Json) =>
    selfContainedCopy(schema, (type) => (type === mainType ? path : `#/$defs/${type}`))
  const $defs = Object.fromEntries(referenced.map(([type, schema]) => [type, copy(schema)]))
  return { main: copy(mainSchema), definitions: referenced.length > 0 ? { $defs } : {}, copy }
}

const component = /^#\/components\/schemas\/(\w+)$/

/**
 * A self-contained copy of a schema from the OpenAPI document. References point to `pathOf(type)`. Each
 * `type` becomes a single name, because not every MCP client supports lists of types.
 */
function selfContainedCopy(node: Json, pathOf: (type: string) => string): Json {
  if (Array.isArray(node)) return node.map((item) => selfContainedCopy(item, pathOf))
  if (!isJsonObject(node)) return node
  const { type, description, examples, ...rest } = Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      if (keyword === 'examples' || keyword === 'const' || keyword === 'enum') return [keyword, value]
      if (keyword !== '$ref') return [keyword, selfContainedCopy(value, pathOf)]
      return [keyword, pathOf(component.exec(String(value))?.[1] ?? '')]
    }),
  )
  const annotations = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  }
  if (!isJsonArray(type)) return { ...(type !== undefined && { type }), ...annotations, ...rest }
  const alternatives = type.map((name) =>
    name === 'null' ? { type: name } : { type: name, ...constraintsFor(rest, String(name)) },
  )
  return { ...annotations, anyOf: alternatives }
}

/**
 * The part of a schema that applies to values of one type. An enumeration also contains values of the other
 * types.
 */
function constraintsFor({ enum: choices, ...rest }: JsonObject, type: string): JsonObject {
  if (!Array.isArray(choices)) return { ...rest, ...(choices !== undefined && { enum: choices }) }
  return { ...rest, enum: choices.filter((choice) => type !== 'string' || typeof choice === 'string') }
}
