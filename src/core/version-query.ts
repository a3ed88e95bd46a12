/** The parameters of an operation as a version has them: named after its properties, with its values. */
import type * as z from 'zod'
import { member } from './json.ts'
import type { Operation } from './operation.ts'
import type { Shape } from './property.ts'
import type { Dialect } from './version.ts'
import { spokenText, translatePath } from './version-path.ts'
import { choicesAt, withValues } from './versioned-schema.ts'

/** A parameter of a version: what it is called today, and today's value of each of its own that differs. */
type Parameter = {
  readonly name: string
  readonly today: string
  readonly schema: z.ZodType
  readonly values: ReadonlyMap<unknown, string>
}

/** An operation with the query, and the tool's inputs, that a version gives it; the very same where nothing differs. */
export function operationIn(operation: Operation, dialect: Dialect): Operation {
  return dialect.breakingChanges.has(operation.shape.type) ? askedIn(operation, dialect).operation : operation
}

/** Parsed parameters of a version in today's names and values. */
export function queryToday(
  parsed: Readonly<Record<string, unknown>>,
  operation: Operation,
  dialect: Dialect,
): Readonly<Record<string, unknown>> {
  if (!dialect.breakingChanges.has(operation.shape.type)) return parsed
  const { parameters } = askedIn(operation, dialect)
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => {
      const { today = name, values } = parameters.get(name) ?? {}
      return [today, values?.get(value) ?? value]
    }),
  )
}

/** How a version asks for an operation; `parameters` by its names. */
type Asked = { readonly operation: Operation; readonly parameters: ReadonlyMap<string, Parameter> }

// Operations and dialects are made once, and every request asks for its own.
const known = new WeakMap<Dialect, WeakMap<Operation, Asked>>()

function askedIn(operation: Operation, dialect: Dialect): Asked {
  const made = known.get(dialect) ?? new WeakMap<Operation, Asked>()
  known.set(dialect, made)
  const asked = made.get(operation) ?? spokenOperation(operation, dialect)
  made.set(operation, asked)
  return asked
}

function spokenOperation(operation: Operation, dialect: Dialect): Asked {
  const parameters = parametersOf(operation, dialect)
  const query = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
  const { tool } = operation
  const named = new Map(parameters.map(({ name, today }) => [today, name]))
  const inputs = Object.entries(tool?.inputs ?? {}).map(([name, schema]) => [named.get(name) ?? name, schema])
  return {
    operation: {
      ...operation,
      query,
      ...(tool && { tool: { ...tool, inputs: Object.fromEntries(inputs) } }),
    },
    parameters: new Map(parameters.map((each) => [each.name, each])),
  }
}

function parametersOf({ query, shape }: Operation, dialect: Dialect): Parameter[] {
  return Object.entries(query).map(([today, schema]) => {
    const path = propertyIn(today)
    const [head = '', ...below] = path.split('.')
    const property = member(shape.properties, head)
    if (!property) return { name: today, today, schema, values: new Map() }
    const spoken = translatePath([head, ...below], shape, alone, dialect, 'version')
    const texts = choicesAt(property.schema, below).map(
      (text) => [text, spokenText(text, [head, ...below], shape, alone, dialect)] as const,
    )
    const differing = texts.filter(([now, then]) => now !== then)
    return {
      name: today.replace(path, spoken.join('.')),
      today,
      schema: differing.length === 0 ? schema : withValues(schema, [], Object.fromEntries(differing)),
      values: new Map(differing.map(([now, then]) => [then, now])),
    }
  })
}

const alone: ReadonlyMap<string, Shape> = new Map()

/** The property that a parameter is about: `title` of `order[title]`, `updatedAt` of `updatedAt[after]`. */
function propertyIn(parameter: string): string {
  return /^order\[(.+)\]$/.exec(parameter)?.[1] ?? parameter.replace(/\[.*$/, '')
}
