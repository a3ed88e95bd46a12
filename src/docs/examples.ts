import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { exampleId, reference } from './json-schema.ts'
import { listName, writtenName } from './openapi-schemas.ts'
import { allOperations, type Publication } from './publication.ts'

/** How deep objects of resources are shown inside others before only what is required of them is. */
const deepest = 3

/** A value that fits a schema of the components: what its `examples` say, else the simplest. */
function exampleOf(schema: Json | undefined, schemas: JsonObject, depth = 0): Json {
  if (!isJsonObject(schema)) return null
  const { $ref, examples, const: constant, enum: choices, anyOf, default: standard, type } = schema
  if (typeof $ref === 'string') return exampleOf(schemas[nameIn($ref)], schemas, depth + 1)
  if (isJsonArray(examples)) return examples[0] ?? null
  if (constant !== undefined) return constant
  if (isJsonArray(choices)) return choices[0] ?? null
  if (isJsonArray(anyOf)) return exampleOf(anyOf[depth > 0 ? fitPage(anyOf) : 0], schemas, depth)
  if (standard !== undefined) return standard
  const [one] = [type].flat()
  switch (one) {
    case 'object':
      return objectExample(schema, schemas, depth)
    case 'array':
      return isJsonObject(schema.items) && depth < deepest ? [exampleOf(schema.items, schemas, depth)] : []
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

/** Inside others, an address stands for what could be embedded. */
function fitPage(anyOf: readonly Json[]): number {
  const link = anyOf.findIndex((each) => isJsonObject(each) && each.format === 'uri-reference')
  return Math.max(link, 0)
}

function objectExample({ properties, required }: JsonObject, schemas: JsonObject, depth: number): JsonObject {
  const needed = isJsonArray(required) ? required : []
  const shown = membersOf(properties).filter(
    ([name]) => needed.includes(name) || (depth < deepest && !(depth > 1 && name === '@context')),
  )
  return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, schemas, depth)]))
}

/** A body: what it must hold, and of the rest what has an example of its own; of a patch a few properties. */
function writtenExample(schema: Json | undefined, schemas: JsonObject, patch: boolean): Json {
  if (!isJsonObject(schema)) return null
  const { properties, required } = schema
  const needed = isJsonArray(required) ? required : []
  const telling = membersOf(properties).filter(
    ([name, each]) => needed.includes(name) || (isJsonObject(each) && each.examples !== undefined),
  )
  const shown = patch ? telling.slice(0, fewProperties) : telling
  return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, schemas)]))
}

/** A body that makes something: what it must hold; where nothing is demanded, the first properties that have an example. */
function smallestExample(
  schema: Json | undefined,
  schemas: JsonObject,
  decisive: readonly string[] = [],
): Json {
  if (!isJsonObject(schema)) return null
  const { properties, required } = schema
  const needed = [...(isJsonArray(required) ? required : []), ...decisive]
  const members = membersOf(properties)
  const telling = members.filter(
    ([name, each]) => isJsonObject(each) && each.examples !== undefined && name !== 'externalId',
  )
  const shown =
    needed.length > 0 ? members.filter(([name]) => needed.includes(name)) : telling.slice(0, fewProperties)
  return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, schemas)]))
}

/** The name in a reference to one of the components. */
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

/** What a body cannot do without although its schema does not say so: a further variant differs by its values. */
const decisive: Readonly<Record<string, readonly string[]>> = { VariantCreate: ['optionValues'] }

/** One example of each document, list and body; operations refer to them by the schema's name. */
export function componentExamples(schemas: JsonObject, publication: Publication): JsonObject {
  const examples: Record<string, JsonObject> = {}
  for (const { resource, operation } of allOperations(publication)) {
    for (const name of [operation.shape.type, listName(operation)]) {
      if (schemas[name]) examples[name] ??= { summary: name, value: exampleOf(reference(name), schemas) }
    }
    if (!operation.body) continue
    const name = writtenName(operation, resource)
    const value = writtenExample(schemas[name], schemas, operation.body.mode === 'patch')
    examples[name] ??= { summary: name, value }
    if (operation.body.mode !== 'create') continue
    const smallest = smallestExample(schemas[name], schemas, decisive[name])
    examples[smallestName(name)] ??= { summary: `${name}, the smallest`, value: smallest }
  }
  return examples
}

/** The example of a schema, as the content of a body refers to it. */
export function exampleNamed(name: string): JsonObject {
  return { [name]: { $ref: `#/components/examples/${name}` } }
}

/** The examples of a body, the first of which a call is tried with: of what is made the smallest that succeeds. */
export function writtenExamples(name: string, mode: 'create' | 'patch'): JsonObject {
  return mode === 'create'
    ? { ...exampleNamed(smallestName(name)), ...exampleNamed(name) }
    : exampleNamed(name)
}

const smallestName = (name: string) => `${name}Smallest`
