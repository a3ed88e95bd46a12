import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../core/json.ts'
import type { Operation } from '../core/operation.ts'
import { toVersion } from '../core/versions.ts'
import { allOperations, type Publication } from './publication.ts'

/** A documented request to the demo catalogue of acme, and the recorded body of its response. */
export type Example = {
  readonly operation: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: JsonObject
  readonly body?: JsonObject
  readonly response?: Json
}

/** The examples, one a line. Requests are written by hand, and `npm run examples` records their responses. */
export const examplesFile = `${import.meta.dirname}/examples.ndjson`

/** Reads the examples, by the names of their operations. */
export function readExamples(): Map<string, Example> {
  const lines = readFileSync(examplesFile, 'utf8').trimEnd().split('\n')
  const examples = lines.map((line): Example => JSON.parse(line))
  return new Map(examples.map((example) => [example.operation, example]))
}

const examples = readExamples()

/** The example of an operation. It is empty for an operation without a recording. */
export function exampleOf({ name }: Pick<Operation, 'name'>): Example {
  return examples.get(name) ?? { operation: name }
}

/** The bodies of the recorded requests and responses, in the names of the version. */
export function componentExamples(publication: Publication): JsonObject {
  const { apiVersion, origin } = publication
  const examples: Record<string, Json> = {}
  for (const { operation } of allOperations(publication)) {
    const { name, summary, shape, body: input } = operation
    const { body, response } = exampleOf(operation)
    // A body has no @type, so its members are renamed by the shape.
    const names = apiVersion.renames.get((input?.shape ?? shape).type)
    const members = Object.entries(body ?? {}).map(([member, value]) => [names?.get(member) ?? member, value])
    if (body) examples[`${name}Request`] = { summary, value: Object.fromEntries(members) }
    if (response !== undefined)
      examples[`${name}Response`] = { summary, value: toVersion(response, apiVersion) }
  }
  return JSON.parse(JSON.stringify(examples).replaceAll('http://localhost:8787/', `${origin}/`))
}

/** The keyword `examples` of a request's or a response's content. It is empty for an operation without a recording. */
export function examplesKeyword(
  operation: Pick<Operation, 'name'>,
  part: 'Request' | 'Response',
): JsonObject {
  const { body, response } = exampleOf(operation)
  const name = `${operation.name}${part}`
  if ((part === 'Request' ? body : response) === undefined) return {}
  return { examples: { [name]: { $ref: `#/components/examples/${name}` } } }
}
