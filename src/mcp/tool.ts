import * as z from 'zod'
import { answerTypesOf } from '../core/access.ts'
import type { Value } from '../core/document.ts'
import { expandPaths, notExpandable, readExpand } from '../core/expand.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import { localeOf, localePattern } from '../core/locale.ts'
import type { Answer, Context, Operation, Tool } from '../core/operation.ts'
import { fitPage, type PageQuery } from '../core/paging.ts'
import type { Violation } from '../core/problem.ts'
import { formats, validationProblems } from '../core/problems/validation.ts'
import { rendererOf } from '../core/render.ts'
import { scopesOfRequest } from '../core/required-scopes.ts'
import type { Shape } from '../core/schema.ts'
import { hint } from '../core/similar-names.ts'
import { truncate } from '../core/sizes.ts'
import type { ApiVersion } from '../core/versions.ts'
import { throwViolations, violationsOf } from '../core/violations.ts'

/**
 * A tool's arguments as the query of its operation, the requested locale, and the violations of each argument
 * on its own.
 */
type Arguments = {
  readonly query: ReadonlyMap<string, string>
  readonly locale: string | null
  readonly violations: readonly Violation[]
}

/** Reads a tool's arguments. Null is the same as absent, because models send it for optional arguments. */
function readArguments({ inputs }: Tool, args: Json | undefined): Arguments {
  const query = new Map<string, string>()
  const violations: Violation[] = []
  let locale: string | null = null
  if (args !== undefined && args !== null && !isJsonObject(args)) {
    return { query, locale, violations: [validationProblems.type.at('', { expected: 'object' })] }
  }
  for (const [name, value] of Object.entries(args ?? {})) {
    const isKnown = name === 'locale' || Object.hasOwn(inputs, name)
    const expected = name === 'locale' ? 'string' : isKnown ? inputs[name]?.type : null
    if (!isKnown) {
      const suggestion = hint(name, [...Object.keys(inputs), 'locale'])
      violations.push(
        validationProblems.unknown_argument.at(name, { name: truncate(name, 100), hint: suggestion }),
      )
    } else if (value === null) continue
    else if (expected === 'integer' ? typeof value !== 'number' : typeof value !== 'string') {
      violations.push(validationProblems.type.at(name, { expected: String(expected) }))
    } else if (expected === 'integer' && !Number.isSafeInteger(value)) {
      violations.push(validationProblems.not_integer.at(name))
    } else if (String(value).includes('\0') || !String(value).isWellFormed()) {
      violations.push(validationProblems.characters.at(name))
    } else if (name === 'locale') {
      locale = String(value)
      if (!localePattern.test(locale))
        violations.push(validationProblems.pattern.at(name, { format: formats.locale }))
    } else query.set(name, String(value))
  }
  return { query, locale, violations }
}

/** The result of a tool: a page of documents, rendered as the same list over REST. */
export type ToolAnswer = {
  readonly items: readonly Json[]
  readonly totalItems: number | null
  readonly page: number
  readonly nextPage: number | null
}

/**
 * Runs a tool's operation with the arguments as its query, and renders the result for this caller and
 * version.
 * @throws Problem 422 for invalid arguments, and every error of the operation
 */
export async function callTool(
  operation: ToolOperation,
  args: Json | undefined,
  context: Context,
  apiVersion: ApiVersion,
  shapes: ReadonlyMap<string, Shape>,
): Promise<ToolAnswer> {
  const { query, locale, violations: argumentViolations } = readArguments(operation.tool, args)
  context.requireScopes(scopesOfRequest(operation, query, null))
  const violations = [...argumentViolations]
  const input: Record<string, string | readonly string[]> = Object.fromEntries(query)
  const expand = query.get('expand')
  if (expand !== undefined) {
    // The tool's schema lists the paths that can be expanded.
    if (!expandPaths(operation, apiVersion).includes(expand))
      violations.push(notExpandable(expand, operation, apiVersion))
    input.expand = readExpand([expand], operation, apiVersion).paths
  }
  const schema = z.object(operation.query)
  const result = schema.safeParse(input, { reportInput: true })
  if (!result.success) {
    const reportedPaths = new Set(violations.map(({ propertyPath }) => propertyPath))
    violations.push(
      ...violationsOf(result.error).filter(({ propertyPath }) => !reportedPaths.has(propertyPath)),
    )
  }
  throwViolations(violations)
  // A tool pages by number, so each page is either complete or rejected.
  const pageQuery: PageQuery = { page: 1, ...result.data }
  const requestedLocale = locale === null ? context.locale : localeOf(context.tenant.locales, locale)
  const url = new URL(operation.path, context.url.origin)
  const answer = await operation.run(
    { ...context, locale: requestedLocale, url },
    { params: {}, query: pageQuery, bodies: [], bulk: false, upload: null },
  )
  const answerTypes = answerTypesOf(operation, shapes)
  const render = rendererOf({ apiVersion, access: context.access, selection: null }, answerTypes)
  return toolAnswer(answer, pageQuery.page ?? 1, render)
}

/**
 * A response contains the items twice: as JSON, and as text, in which each quotation mark takes two bytes.
 */
const maximumItemBytes = byteLimits.answer / 3

function toolAnswer(answer: Answer, page: number, render: (document: Value) => string): ToolAnswer {
  if (answer.kind !== 'collection') throw new Error('a tool is an operation that answers a list')
  const { texts, view } = fitPage(answer, render, maximumItemBytes)
  return {
    items: texts.map((text): Json => JSON.parse(text)),
    totalItems: answer.total ?? null,
    page,
    nextPage: view?.next === undefined ? null : page + 1,
  }
}

export type ToolOperation = Operation & { readonly tool: Tool }

export function isTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined
}

/** The description of a tool, as `tools/list` returns it. */
export type ToolDescription = ReturnType<typeof descriptionOf>

/**
 * The description of a tool for `tools/list`, in the names of a version. `documents` are the schemas of its
 * result and of the types that they refer to, by type.
 */
export function descriptionOf(
  operation: ToolOperation,
  apiVersion: ApiVersion,
  documents: Readonly<Record<string, JsonObject>>,
) {
  const { name, title, description } = operation.tool
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(operation, apiVersion),
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

function inputSchema(operation: ToolOperation, apiVersion: ApiVersion) {
  const inputs = Object.entries(operation.tool.inputs).map(([name, schema]) =>
    name === 'expand' ? [name, { ...schema, enum: expandPaths(operation, apiVersion) }] : [name, schema],
  )
  return {
    type: 'object' as const,
    properties: { ...Object.fromEntries(inputs), locale: localeInput },
    additionalProperties: false,
  }
}

/**
 * The schema of a page of documents. `documents` are their schemas from the OpenAPI document, the items' type
 * first.
 */
function outputSchema(documents: Readonly<Record<string, JsonObject>>) {
  const [[itemType, items] = ['', {}], ...referenced] = Object.entries(documents)
  // The items' schema is inlined instead of referenced, because some clients do not resolve references.
  const withToolReferences = (schema: Json) =>
    selfContained(schema, (type) => (type === itemType ? '#/properties/items/items' : `#/$defs/${type}`))
  return {
    type: 'object' as const,
    properties: {
      items: { type: 'array', items: withToolReferences(items) },
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
    ...(referenced.length > 0 && {
      $defs: Object.fromEntries(referenced.map(([type, schema]) => [type, withToolReferences(schema)])),
    }),
  }
}

const component = /^#\/components\/schemas\/(\w+)$/

/**
 * A self-contained copy of a schema from the OpenAPI document. References point to `pathOf(type)`. Each
 * `type` becomes a single name, because not every MCP client supports lists of types.
 */
function selfContained(node: Json, pathOf: (type: string) => string): Json {
  if (Array.isArray(node)) return node.map((item) => selfContained(item, pathOf))
  if (!isJsonObject(node)) return node
  const { type, description, examples, ...rest } = Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      if (keyword === 'examples' || keyword === 'const' || keyword === 'enum') return [keyword, value]
      if (keyword !== '$ref') return [keyword, selfContained(value, pathOf)]
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
