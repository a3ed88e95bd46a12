import { expandPaths } from '../core/expand.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { localePattern } from '../core/locale.ts'
import type { Operation, Tool } from '../core/operation.ts'
import type { Dialect } from '../core/versions.ts'

/** An operation that is a tool. */
export type ToolOperation = Operation & { readonly tool: Tool }

export function isTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined
}

/**
 * A tool as `tools/list` shows it, in the names of a version. `documents` are the schemas of what it answers and of what that
 * refers to, by type.
 */
export function descriptionOf(
  operation: ToolOperation,
  dialect: Dialect,
  documents: Readonly<Record<string, JsonObject>>,
) {
  const { name, title, description } = operation.tool
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(operation, dialect),
    outputSchema: outputSchema(documents),
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

function inputSchema(operation: ToolOperation, dialect: Dialect) {
  const inputs = Object.entries(operation.tool.inputs).map(([name, schema]) =>
    name === 'expand' ? [name, { ...schema, enum: expandPaths(operation, dialect) }] : [name, schema],
  )
  return {
    type: 'object' as const,
    properties: { ...Object.fromEntries(inputs), locale: localeInput },
    additionalProperties: false,
  }
}

/** A page of documents. `documents` are their schemas as the OpenAPI document has them, the items' own first. */
function outputSchema(documents: Readonly<Record<string, JsonObject>>) {
  const [[own, items] = ['', {}], ...others] = Object.entries(documents)
  // The items' own schema stands in its place rather than behind a name, for readers that follow no references.
  const placed = (schema: Json) =>
    alone(schema, (type) => (type === own ? '#/properties/items/items' : `#/$defs/${type}`))
  return {
    type: 'object' as const,
    properties: {
      items: { type: 'array', items: placed(items) },
      totalItems: {
        anyOf: [{ type: 'integer' }, { type: 'null' }],
        description: 'How many there are in all; null beyond 10,000 matches.',
      },
      page: { type: 'integer' },
      nextPage: {
        anyOf: [{ type: 'integer' }, { type: 'null' }],
        description: 'The page that follows; null on the last.',
      },
    },
    required: ['items', 'totalItems', 'page', 'nextPage'],
    ...(others.length > 0 && {
      $defs: Object.fromEntries(others.map(([type, schema]) => [type, placed(schema)])),
    }),
  }
}

const component = /^#\/components\/schemas\/(\w+)$/

/**
 * A schema out of the OpenAPI document that stands for itself: references lead to `placeOf` a type, and each type is a
 * single name, since not every reader of tools knows lists of them.
 */
function alone(node: Json, placeOf: (type: string) => string): Json {
  if (Array.isArray(node)) return node.map((each) => alone(each, placeOf))
  if (!isJsonObject(node)) return node
  const { type, description, examples, ...rest } = Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      if (keyword === 'examples' || keyword === 'const' || keyword === 'enum') return [keyword, value]
      if (keyword !== '$ref') return [keyword, alone(value, placeOf)]
      return [keyword, placeOf(component.exec(String(value))?.[1] ?? '')]
    }),
  )
  const told = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  }
  if (!isJsonArray(type)) return { ...(type !== undefined && { type }), ...told, ...rest }
  const several = type.map((each) =>
    each === 'null' ? { type: each } : { type: each, ...values(rest, String(each)) },
  )
  return { ...told, anyOf: several }
}

/** What a schema says of values of one type; an enumeration names those of the others, too. */
function values({ enum: choices, ...rest }: JsonObject, type: string): JsonObject {
  if (!Array.isArray(choices)) return { ...rest, ...(choices !== undefined && { enum: choices }) }
  return { ...rest, enum: choices.filter((each) => type !== 'string' || typeof each === 'string') }
}
