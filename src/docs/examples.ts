import { readFileSync } from 'node:fs'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Operation } from '../core/operation.ts'
import type { CataloguedProblem } from '../core/problem.ts'
import { toVersion } from '../core/versions.ts'
import { allOperations, camelCase, type Publication } from './publication.ts'

/** A documented request to the demo catalogue of acme, and the recorded body of its response. */
export type Example = {
  readonly operation: string
  /** 201 for an upsert that creates. */
  readonly status?: 201
  readonly params?: Readonly<Record<string, string>>
  readonly query?: JsonObject
  /** JSON; a string is a file, sent as it is. */
  readonly body?: Json
  readonly response?: Json
}

type Sent = {
  /** Method and path. */
  readonly request: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON; a string is sent as it is. */
  readonly body?: Json
}

/** A request to the demo catalogue of acme that the service refuses, and the recorded problem. */
export type Refusal = Sent & {
  /** Its slug. */
  readonly problem: string
  /** Claims of the token instead of all scopes. */
  readonly token?: { readonly scope: string; readonly sub?: string; readonly permissions?: readonly string[] }
  /** Requests that are sent first. */
  readonly before?: readonly Sent[]
  readonly response?: Json
}

/** A recorded webhook of a topic. */
export type RecordedWebhook = {
  readonly topic: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/** The examples, one a line. Requests are written by hand, and `npm run examples` records the rest. */
export const exampleFiles = {
  responses: `${import.meta.dirname}/examples.ndjson`,
  refusals: `${import.meta.dirname}/refusals.ndjson`,
  webhooks: `${import.meta.dirname}/webhooks.ndjson`,
}

function readLines<Line>(file: string, parse: (line: string) => Line): Line[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parse)
}

/** Reads the examples, by the names of their operations. */
export function readExamples(): Map<string, Example> {
  const examples = readLines(exampleFiles.responses, (line): Example => JSON.parse(line))
  return new Map(examples.map((example) => [example.operation, example]))
}

/** Reads the refused requests in the order in which they are sent. */
export const readRefusals = () => readLines(exampleFiles.refusals, (line): Refusal => JSON.parse(line))

/** Reads the webhooks. */
export const readWebhooks = () =>
  readLines(exampleFiles.webhooks, (line): RecordedWebhook => JSON.parse(line))

const examples = readExamples()
const refusals = Map.groupBy(readRefusals(), ({ problem }) => problem)
const webhooks = readWebhooks()

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
    if (body !== undefined) examples[`${name}Request`] = { summary, value: renamed(body, names) }
    if (response !== undefined)
      examples[`${name}Response`] = { summary, value: toVersion(response, apiVersion) }
  }
  for (const { topic, body } of webhooks) {
    examples[receiverName(topic)] = { summary: topic, value: toVersion(body, apiVersion) }
  }
  return JSON.parse(JSON.stringify(examples).replaceAll('http://localhost:8787/', `${origin}/`))
}

/** A body with the names of a version; each element of an array has them. */
function renamed(body: Json, names: ReadonlyMap<string, string> | undefined): Json {
  if (isJsonArray(body)) return body.map((element) => renamed(element, names))
  if (!isJsonObject(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [names?.get(member) ?? member, value]),
  )
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

/** `receive_productUpdated`: the operation that receives the webhooks of a topic, and the name of its example. */
export const receiverName = (topic: string) => `receive_${camelCase(topic.replace('/', '_'))}`

/** A header of the recorded webhook of a topic, as the keyword `example`. The webhook has the version `unstable`, which is no example. */
export function webhookHeaderExample(topic: string, name: string): JsonObject {
  const example = webhooks.find((webhook) => webhook.topic === topic)?.headers[name.toLowerCase()]
  return example === undefined || example === 'unstable' ? {} : { example }
}

/** The recorded problems as the keyword `examples`, each with its request. It is empty if none was recorded. */
export function problemExamples(problems: readonly CataloguedProblem[]): JsonObject {
  const examples = problems.flatMap(({ slug, description: summary }) =>
    (refusals.get(slug) ?? []).flatMap(({ request, body, response }) => {
      const content = typeof body === 'string' ? body : JSON.stringify(body)
      const description = `\`${request}\`${content === undefined ? '' : ` with \`${content}\``}`
      return response === undefined ? [] : [[slug, { summary, description, value: response }] as const]
    }),
  )
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }
}
