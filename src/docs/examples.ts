import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { exampleId, reference } from './json-schema.ts'
import { bodyName, listName } from './openapi-schemas.ts'
import { allOperations, type Publication } from './publication.ts'

/** Depth from which an example contains only the required members of an embedded resource. */
const maximumDepth = 3

/** A value that matches a component's schema: its first example, else the simplest value. */
function exampleOf(schema: Json | undefined, schemas: JsonObject, depth = 0): Json {
  if (!isJsonObject(schema)) return null
  const { $ref, examples, const: constant, enum: choices, anyOf, default: defaultValue, type } = schema
  if (typeof $ref === 'string') return exampleOf(schemas[nameIn($ref)], schemas, depth + 1)
  if (isJsonArray(examples)) return examples[0] ?? null
  if (constant !== undefined) return constant
  if (isJsonArray(choices)) return choices[0] ?? null
  if (isJsonArray(anyOf)) return exampleOf(anyOf[depth > 0 ? linkIndex(anyOf) : 0], schemas, depth)
  if (defaultValue !== undefined) return defaultValue
  const [one] = [type].flat()
  switch (one) {
    case 'object':
      return objectExample(schema, schemas, depth)
    case 'array':
      return isJsonObject(schema.items) && depth < maximumDepth
        ? [exampleOf(schema.items, schemas, depth)]
        : []
    case 'string':
      return texts[String(schema.format)] ?? 'text'
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1))
    case 'boolean':
      return true
    default:
      return null
  }
}

/**
 * The index of the link schema. Examples inside other objects contain links instead of embedded documents.
 */
function linkIndex(anyOf: readonly Json[]): number {
  const link = anyOf.findIndex((choice) => isJsonObject(choice) && choice.format === 'uri-reference')
  return Math.max(link, 0)
}

function objectExample({ properties, required }: JsonObject, schemas: JsonObject, depth: number): JsonObject {
  const requiredNames = isJsonArray(required) ? required : []
  const members = membersOf(properties).filter(
    ([name]) => requiredNames.includes(name) || (depth < maximumDepth && !(depth > 1 && name === '@context')),
  )
  return Object.fromEntries(members.map(([name, schema]) => [name, exampleOf(schema, schemas, depth)]))
}

/**
 * An example of a body: its required members and those whose schemas have examples. A patch contains only a
 * few of them.
 */
function writtenExample(schema: Json | undefined, schemas: JsonObject, patch: boolean): Json {
  if (!isJsonObject(schema)) return null
  const { properties, required } = schema
  const requiredNames = isJsonArray(required) ? required : []
  const candidates = membersOf(properties).filter(
    ([name, schema]) =>
      requiredNames.includes(name) || (isJsonObject(schema) && schema.examples !== undefined),
  )
  const members = patch ? candidates.slice(0, fewProperties) : candidates
  return Object.fromEntries(members.map(([name, schema]) => [name, exampleOf(schema, schemas)]))
}

/**
 * An example of a body that creates a resource: its required members. If none is required, the first members
 * that have examples.
 */
function smallestExample(
  schema: Json | undefined,
  schemas: JsonObject,
  extraNames: readonly string[] = [],
): Json {
  if (!isJsonObject(schema)) return null
  const { properties, required } = schema
  const requiredNames = [...(isJsonArray(required) ? required : []), ...extraNames]
  const members = membersOf(properties)
  const candidates = members.filter(
    ([name, schema]) => isJsonObject(schema) && schema.examples !== undefined && name !== 'externalId',
  )
  const chosenMembers =
    requiredNames.length > 0
      ? members.filter(([name]) => requiredNames.includes(name))
      : candidates.slice(0, fewProperties)
  return Object.fromEntries(chosenMembers.map(([name, schema]) => [name, exampleOf(schema, schemas)]))
}

/** The name of the component that a reference points to. */
function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function membersOf(properties: Json | undefined): [string, Json][] {
  return isJsonObject(properties) ? Object.entries(properties) : []
}

const fewProperties = 2

const texts: Readonly<Record<string, string>> = {
  uuid: exampleId,
  'date-time': '2026-10-01T08:30:00.000000Z',
  date: '2026-10-01',
  uri: 'https://www.example.com/shirt.jpg',
  'uri-reference': `/api/products/${exampleId}`,
}

/**
 * Members that a body needs although its schema does not require them. A further variant differs from the
 * first by its option values.
 */
const decisive: Readonly<Record<string, readonly string[]>> = { VariantCreate: ['optionValues'] }

/** One example of each document, list and body. Operations refer to them by the schema's name. */
export function componentExamples(schemas: JsonObject, publication: Publication): JsonObject {
  const examples: Record<string, JsonObject> = {}
  for (const { resource, operation } of allOperations(publication)) {
    for (const name of [operation.shape.type, listName(operation)]) {
      if (schemas[name]) examples[name] ??= { summary: name, value: exampleOf(reference(name), schemas) }
    }
    if (!operation.body) continue
    const name = bodyName(operation, resource)
    const value = writtenExample(schemas[name], schemas, operation.body.mode === 'patch')
    examples[name] ??= { summary: name, value }
    if (operation.body.mode !== 'create') continue
    const smallest = smallestExample(schemas[name], schemas, decisive[name])
    examples[smallestName(name)] ??= { summary: `${name}, the smallest`, value: smallest }
  }
  return examples
}

/** A reference to the example of a schema, for the content of a body. */
export function exampleNamed(name: string): JsonObject {
  return { [name]: { $ref: `#/components/examples/${name}` } }
}

/**
 * References to the examples of a body. Clients try a call with the first one: for a creation, the smallest
 * body that succeeds.
 */
export function bodyExamples(name: string, mode: 'create' | 'patch'): JsonObject {
  return mode === 'create'
    ? { ...exampleNamed(smallestName(name)), ...exampleNamed(name) }
    : exampleNamed(name)
}

const smallestName = (name: string) => `${name}Smallest`
