import type { JsonObject } from '../core/json.ts'
import { exampleOf, smallestExample, writtenExample } from './examples.ts'
import { reference } from './json-schema.ts'
import { listName, writtenName } from './openapi-schemas.ts'
import { allOperations, type Publication } from './publication.ts'

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
