import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { localePattern } from '../core/locale.ts'
import type { Operation, Tool } from '../core/operation.ts'
import type { Property, Shape } from '../core/property.ts'
import { type Dialect, translatePath } from '../core/version.ts'

/** An operation that is a tool. */
export type ToolOperation = Operation & { readonly tool: Tool }

export function isTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined
}

/** A tool as `tools/list` shows it, in the names of a version. */
export function descriptionOf(
  { tool, shape }: ToolOperation,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
) {
  const { name, title, description } = tool
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(tool, shape, shapes, dialect),
    outputSchema: outputSchema(shape, shapes, dialect),
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

function inputSchema(tool: Tool, shape: Shape, shapes: ReadonlyMap<string, Shape>, dialect: Dialect) {
  const spoken = (path: Json) =>
    translatePath(String(path).split('.'), shape, shapes, dialect, 'version').join('.')
  const inputs = Object.entries(tool.inputs).map(([name, schema]) =>
    name === 'expand' && Array.isArray(schema.enum)
      ? [name, { ...schema, enum: schema.enum.map(spoken) }]
      : [name, schema],
  )
  return {
    type: 'object' as const,
    properties: { ...Object.fromEntries(inputs), locale: localeInput },
    additionalProperties: false,
  }
}

function outputSchema(shape: Shape, shapes: ReadonlyMap<string, Shape>, dialect: Dialect) {
  const others = embeddedIn(shape, shapes)
  // The items' own schema stands in its place rather than behind a name, for readers that follow no references.
  const places: Places = new Map([...others].map(({ type }) => [type, `#/$defs/${type}`]))
  places.set(shape.type, '#/properties/items/items')
  const definitions = [...others].map((each) => [each.type, documentSchema(each, places, dialect)])
  return {
    type: 'object' as const,
    properties: {
      items: { type: 'array', items: documentSchema(shape, places, dialect) },
      totalItems: {
        type: ['integer', 'null'],
        description: 'How many there are in all; null beyond 10,000 matches.',
      },
      page: { type: 'integer' },
      nextPage: { type: ['integer', 'null'], description: 'The page that follows; null on the last.' },
    },
    required: ['items', 'totalItems', 'page', 'nextPage'],
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  }
}

/** Where in the schema the documents of a type are described. */
type Places = Map<string, string>

/** The other shapes that documents of a shape can hold, through whatever they embed. */
function embeddedIn(shape: Shape, shapes: ReadonlyMap<string, Shape>): ReadonlySet<Shape> {
  const found = new Set<Shape>([shape])
  for (const each of found) {
    for (const { of } of Object.values(each.properties)) {
      const embedded = of === null ? undefined : shapes.get(of)
      if (embedded) found.add(embedded)
    }
  }
  found.delete(shape)
  return found
}

function documentSchema(shape: Shape, places: Places, dialect: Dialect): JsonObject {
  const names = dialect.renames.get(shape.type)
  const properties = Object.entries(shape.properties).map(([name, property]) => [
    names?.get(name) ?? name,
    propertySchema(property, places),
  ])
  return {
    type: 'object',
    properties: {
      '@id': { type: 'string' },
      '@type': { type: 'string', const: shape.type },
      id: { type: 'string' },
      ...Object.fromEntries(properties),
    },
    required: ['@id', '@type'],
  }
}

function propertySchema({ schema, link, of, required, description }: Property, places: Places): Json {
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
  const place = of === null ? undefined : places.get(of)
  const target: JsonObject = place === undefined ? iri : { anyOf: [iri, { $ref: place }] }
  const { $schema: _, ...value } = written
  const many = value.type === 'array'
  const read: JsonObject = !link ? value : many ? { type: 'array', items: target } : target
  const nullable = many || required || !isJsonObject(read) ? read : { anyOf: [read, { type: 'null' }] }
  return { description, ...nullable }
}

const iri = { type: 'string' }
