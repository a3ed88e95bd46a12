import * as z from 'zod'
import { answerTypesOf } from '../core/access.ts'
import type { Value } from '../core/document.ts'
import { expandPaths, notExpandable, readExpand } from '../core/expand.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonOf } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import { localeOf, localePattern } from '../core/locale.ts'
import {
  type Answer,
  type Context,
  membersOfArgument,
  type Operation,
  type Tool,
  toolParameters,
} from '../core/operation.ts'
import { fitPage } from '../core/paging.ts'
import type { Violation } from '../core/problem.ts'
import { formats, validationProblems } from '../core/problems/validation.ts'
import { rendererOf } from '../core/render.ts'
import { missingParameters, scopesOfRequest } from '../core/required-scopes.ts'
import type { Shape } from '../core/schema.ts'
import type { Scope } from '../core/scopes.ts'
import { hint } from '../core/similar-names.ts'
import { truncate } from '../core/sizes.ts'
import type { ApiVersion } from '../core/versions.ts'
import { throwViolations, violationsOf } from '../core/violations.ts'
import { metaOf } from '../core/zod.ts'

/**
 * A tool's arguments as the parameters of its operation, the requested locale, and the violations of each argument
 * on its own.
 */
type Arguments = {
  readonly parameters: URLSearchParams
  readonly locale: string | null
  readonly violations: readonly Violation[]
}

/** Reads a tool's arguments. Null is the same as absent, because models send it for optional arguments. */
function readArguments(operation: ToolOperation, args: Json | undefined): Arguments {
  const { inputs } = operation.tool
  const schemas: Readonly<Record<string, z.ZodType>> = { ...toolParameters(operation), locale: z.string() }
  const parameters = new URLSearchParams()
  const violations: Violation[] = []
  readObject(args ?? {}, '', { ...inputs, locale: {} })
  const locale = parameters.get('locale') ?? null
  parameters.delete('locale')
  return { parameters, locale, violations }

  function readObject(object: Json, path: string, inputs: Tool['inputs']): void {
    if (!isJsonObject(object)) {
      violations.push(validationProblems.type.at(path, { expected: 'object' }))
      return
    }
    for (const [name, value] of Object.entries(object)) {
      const place = path === '' ? name : `${path}[${name}]`
      const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined
      const { parameter = place } = input ?? {}
      const schema = Object.hasOwn(schemas, parameter) ? schemas[parameter] : undefined
      if (input === undefined) {
        const values = { name: truncate(place, 100), hint: hint(name, Object.keys(inputs)) }
        violations.push(validationProblems.unknown_argument.at(place, values))
      } else if (value === null) continue
      else if (schema === undefined) readObject(value, place, membersOfArgument(place, operation))
      else if (isList(parameter) && !isJsonArray(value))
        violations.push(validationProblems.type.at(place, { expected: 'array' }))
      else {
        const type = String(input.schema?.type ?? metaOf(schema).type ?? 'string')
        const values = isList(parameter) && isJsonArray(value) ? value : [value]
        const [violation] = values.flatMap((each) => violationOf(place, each, type) ?? [])
        if (violation) violations.push(violation)
        else for (const each of values) parameters.append(parameter, String(each))
      }
    }
  }
}

/** Whether an argument of the parameter is an array. */
const isList = (parameter: string) => parameter.endsWith('[]')

/** The violation of one value; null if its operation can validate it. */
function violationOf(path: string, value: Json, type: string): Violation | null {
  if (typeof value !== (type === 'integer' ? 'number' : type))
    return validationProblems.type.at(path, { expected: type })
  if (type === 'integer' && !Number.isSafeInteger(value)) return validationProblems.not_integer.at(path)
  if (String(value).includes('\0') || !String(value).isWellFormed())
    return validationProblems.characters.at(path)
  if (path === 'locale' && !localePattern.test(String(value)))
    return validationProblems.pattern.at(path, { format: formats.locale })
  return null
}

/** The scopes that a call needs. They follow from its arguments, before these are validated. */
export function scopesOfCall(operation: ToolOperation, args: Json | undefined): readonly Scope[] {
  return scopesOfRequest(operation, readArguments(operation, args).parameters, null)
}

/**
 * Runs a tool's operation with the arguments as its parameters, and renders the result for this caller and version: a
 * document, or a page of documents, as over REST.
 * @throws Problem 422 for invalid arguments, and every error of the operation
 */
export async function callTool(
  operation: ToolOperation,
  args: Json | undefined,
  context: Context,
  apiVersion: ApiVersion,
  shapes: ReadonlyMap<string, Shape>,
): Promise<JsonObject> {
  const { parameters, locale, violations: argumentViolations } = readArguments(operation, args)
  context.requireScopes(scopesOfRequest(operation, parameters, null))
  const violations = [...argumentViolations]
  const input: Record<string, unknown> = Object.fromEntries(
    [...parameters].map(([name, value]) => [name, isList(name) ? parameters.getAll(name) : value]),
  )
  const expand = parameters.get('expand')
  if (expand !== null) {
    // The tool's schema lists the paths that can be expanded.
    if (!expandPaths(operation, apiVersion).includes(expand))
      violations.push(notExpandable(expand, operation, apiVersion))
    input.expand = readExpand([expand], operation, apiVersion).paths
  }
  const result = z.object(toolParameters(operation)).safeParse(input, { reportInput: true })
  const addNew = (more: readonly Violation[]) => {
    const reportedPaths = new Set(violations.map(({ propertyPath }) => propertyPath))
    violations.push(...more.filter(({ propertyPath }) => !reportedPaths.has(propertyPath)))
  }
  if (!result.success) addNew(violationsOf(result.error))
  const itemNames = Object.keys(operation.tool.item ?? {})
  const isGiven = (name: string) => isJsonObject(args) && Object.hasOwn(args, name) && args[name] !== null
  if (itemNames.length > 0 && itemNames.filter(isGiven).length !== 1)
    violations.push(validationProblems.one_argument.at('', { names: itemNames.join(', ') }))
  // Without other violations, the operation reports missing parameters.
  if (violations.length > 0) throwViolations([...violations, ...missingParameters(parameters, operation)])
  const values = Object.entries(result.data ?? {})
  const params = values.flatMap(([name, value]) => (itemNames.includes(name) ? [[name, String(value)]] : []))
  const query = Object.fromEntries(values.filter(([name]) => !itemNames.includes(name)))
  const requestedLocale = locale === null ? context.locale : localeOf(context.tenant.locales, locale)
  const url = new URL(operation.path, context.url.origin)
  // Links to embedded lists repeat parameters.
  for (const [name, value] of parameters) if (!itemNames.includes(name)) url.searchParams.append(name, value)
  const answer = await operation.run(
    { ...context, locale: requestedLocale, url },
    // A tool pages by number, so each page is either complete or rejected.
    {
      params: Object.fromEntries(params),
      query: { ...(operation.answers === 'collection' && { page: 1 }), ...query },
      bodies: [],
      bulk: false,
      creation: () => ({}),
      upload: null,
    },
  )
  const answerTypes = answerTypesOf(operation, shapes)
  const render = rendererOf({ apiVersion, access: context.access, selection: null }, answerTypes)
  const hasNumbers = Object.hasOwn(operation.query, 'page')
  return toolAnswer(answer, { page: Number(query.page ?? 1), hasNumbers }, render)
}

/**
 * A response contains the documents twice: as JSON, and as text, in which each quotation mark takes two bytes.
 */
const maximumItemBytes = byteLimits.answer / 3

/** Without page numbers, the items themselves have the position of the next ones. */
function toolAnswer(
  answer: Answer,
  { page, hasNumbers }: { readonly page: number; readonly hasNumbers: boolean },
  render: (document: Value) => string,
): JsonObject {
  if (answer.kind === 'empty') throw new Error('a tool is an operation that reads')
  if (answer.kind === 'item') return JSON.parse(render(answer.document))
  const { texts, view } = fitPage(answer, render, maximumItemBytes)
  const { facets, corrections } = answer
  return {
    items: texts.map((text): Json => JSON.parse(text)),
    totalItems: answer.total ?? null,
    page,
    nextPage: view?.next === undefined || !hasNumbers ? null : page + 1,
    ...(facets && { facets: jsonOf(facets) }),
    ...(corrections && { corrections: jsonOf(corrections) }),
  }
}

export type ToolOperation = Operation & { readonly tool: Tool }

export function isTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined
}
