import type { JsonObject } from '../core/json.ts'
import { exampleOf, writtenExample } from './examples.ts'
import { reference } from './json-schema.ts'
import { listName, writtenName } from './openapi-schemas.ts'
import { allOperations, type Publication } from './publication.ts'

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
  }
  return examples
}

/** The example of a schema, as the content of a body refers to it. */
export function exampleNamed(name: string): JsonObject {
  return { [name]: { $ref: `#/components/examples/${name}` } }
}
