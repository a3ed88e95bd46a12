import * as z from 'zod'
import { answerTypesOf } from '../core/access.ts'
import { hint } from '../core/body.ts'
import type { Value } from '../core/document.ts'
import { expandPaths, notExpandable, readExpand } from '../core/expand.ts'
import { withOrigins } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, parsed } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import { localeOf, localePattern } from '../core/locale.ts'
import type { Answer, Context, Operation, Tool } from '../core/operation.ts'
import { fitPage, type PageQuery } from '../core/paging.ts'
import type { Violation } from '../core/problem.ts'
import { validationProblems } from '../core/problems/validation.ts'
import { rendererOf } from '../core/render.ts'
import { requiredScopesFor } from '../core/required-scopes.ts'
import type { Shape } from '../core/schema.ts'
import { truncate } from '../core/slug.ts'
import type { ApiVersion } from '../core/versions.ts'
import { throwViolations, violationsOf } from '../core/violations.ts'

/** A tool's arguments as the query of its operation, and the locale asked for; what is wrong with them as they stand. */
type Arguments = {
  readonly query: ReadonlyMap<string, string>
  readonly locale: string | null
  readonly violations: readonly Violation[]
}

/** Reads a tool's arguments. Null is the same as absent: models send it for what they leave open. */
function readArguments({ inputs }: Tool, given: Json | undefined): Arguments {
  const query = new Map<string, string>()
  const violations: Violation[] = []
  let locale: string | null = null
  if (given !== undefined && given !== null && !isJsonObject(given)) {
    return { query, locale, violations: [validationProblems.type.at('', { expected: 'object' })] }
  }
  for (const [name, value] of Object.entries(given ?? {})) {
    const known = name === 'locale' || Object.hasOwn(inputs, name)
    const expected = name === 'locale' ? 'string' : known ? inputs[name]?.type : null
    if (!known) {
      const near = hint(name, [...Object.keys(inputs), 'locale'])
      violations.push(validationProblems.unknown_argument.at(name, { name: truncate(name, 100), hint: near }))
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
        violations.push(validationProblems.pattern.at(name, { format: 'fr-FR' }))
    } else query.set(name, String(value))
  }
  return { query, locale, violations }
}

/** What a tool answers: a page of documents, as the same list over REST shows them. */
export type ToolAnswer = {
  readonly items: readonly Json[]
  readonly totalItems: number | null
  readonly page: number
  readonly nextPage: number | null
}

/**
 * Runs a tool's operation with the arguments as its query, and renders what it answers for this caller and version.
 *
 * @throws Problem 422 for arguments that are wrong, and whatever the operation throws
 */
export async function callTool(
  operation: ToolOperation,
  given: Json | undefined,
  context: Context,
  dialect: ApiVersion,
  shapes: ReadonlyMap<string, Shape>,
): Promise<ToolAnswer> {
  const { query: written, locale, violations } = readArguments(operation.tool, given)
  context.demand(requiredScopesFor(operation, written, null))
  const found = [...violations]
  const values: Record<string, string | readonly string[]> = Object.fromEntries(written)
  const expand = written.get('expand')
  if (expand !== undefined) {
    // One of those that the tool's schema lists.
    if (!expandPaths(operation, dialect).includes(expand))
      found.push(notExpandable(expand, operation, dialect))
    values.expand = readExpand([expand], operation, dialect).paths
  }
  const schema = z.object(operation.query)
  const read = withOrigins(context.origins, () => schema.safeParse(values, { reportInput: true }))
  if (!read.success) {
    const told = new Set(found.map(({ propertyPath }) => propertyPath))
    found.push(...violationsOf(read.error).filter(({ propertyPath }) => !told.has(propertyPath)))
  }
  throwViolations(found)
  // A tool counts pages, so that each is whole or refused.
  const query: PageQuery = { page: 1, ...read.data }
  const asked = locale === null ? context.locale : localeOf(context.tenant.locales, locale)
  const url = new URL(operation.path, context.url.origin)
  const answer = await operation.run(
    { ...context, locale: asked, url },
    { params: {}, query, bodies: [], bulk: false, upload: null },
  )
  const reach = answerTypesOf(operation, shapes)
  const render = rendererOf({ dialect, sight: context.sight, selection: null }, reach)
  return shown(answer, query.page ?? 1, render)
}

/** The items are sent twice: as JSON, and as text, in which every quotation mark takes two bytes. */
const most = byteLimits.answer / 3

function shown(answer: Answer, page: number, render: (document: Value) => string): ToolAnswer {
  if (answer.kind !== 'collection') throw new Error('a tool is an operation that answers a list')
  const { texts, view } = fitPage(answer, render, most)
  return {
    items: texts.map((text) => parsed<Json>(text)),
    totalItems: answer.total ?? null,
    page,
    nextPage: view?.next === undefined ? null : page + 1,
  }
}

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
  dialect: ApiVersion,
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

function inputSchema(operation: ToolOperation, dialect: ApiVersion) {
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
