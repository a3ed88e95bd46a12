import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/index.ts'
import type { Property, Shape } from './property.ts'
import { member } from './version.ts'
import { type Path, pathText, violationsOf } from './violations.ts'

/** A body after its shape: writable values by name (null where the caller cleared), and what was passed over. */
export type Body = {
  readonly values: Readonly<Record<string, Json>>
  readonly violations: readonly Violation[]
  /** Paths of members that no property of the shape has. */
  readonly unknown: readonly string[]
}

/**
 * Reads one object of a create (`create`) or merge patch (`patch`) body. Read-only and unknown members are passed over;
 * an object property of a patch is left for `merge`, since RFC 7396 merges it with what is stored.
 */
export function readBody(input: Json, shape: Shape, mode: 'create' | 'patch', base: Path = []): Body {
  if (!isJsonObject(input)) {
    return {
      values: {},
      violations: [validationProblems.type.at(pathText(base), { expected: 'object' })],
      unknown: [],
    }
  }
  const values: Record<string, Json> = {}
  const violations: Violation[] = []
  const unknown: string[] = []
  for (const [name, value] of Object.entries(input)) {
    if (name.startsWith('@') || name === 'id') continue
    if (name === 'fallbacks') {
      // Sent back with a document that was read: `merged` tells what fell back from what was written.
      if (isJsonObject(value)) values[name] = value
      continue
    }
    const property = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
    if (!property) unknown.push(pathText([...base, name]))
    else if (!isWritable(property, mode)) continue
    else if (value === null) values[name] = null
    else if (mode === 'patch' && property.schema instanceof z.ZodObject && isJsonObject(value)) {
      values[name] = value
      unknown.push(...unknownMembers(property.schema, value, [...base, name]))
    } else {
      const parsed = property.schema.safeParse(value, { reportInput: true })
      unknown.push(...unknownMembers(property.schema, value, [...base, name]))
      if (parsed.success) values[name] = parsed.data as Json
      else violations.push(...violationsOf(parsed.error, [...base, name]))
    }
  }
  for (const [name, property] of Object.entries(shape.properties)) {
    const missing = mode === 'create' ? (member(input, name) ?? null) === null : member(input, name) === null
    // A cleared translation is judged against the other locales, by `merge`.
    if (
      property.required &&
      isWritable(property, mode) &&
      missing &&
      !(mode === 'patch' && property.translatable)
    ) {
      violations.push(validationProblems.required.at(pathText([...base, name])))
    }
  }
  violations.push(...contradictions(input, shape, base))
  return { values, violations, unknown }
}

function isWritable(property: Property, mode: 'create' | 'patch'): boolean {
  return property.writable === 'always' || (property.writable === 'create' && mode === 'create')
}

function contradictions(input: JsonObject, shape: Shape, base: Path): Violation[] {
  const type = member(input, '@type')
  if (type === undefined || type === shape.type || (Array.isArray(type) && type.includes(shape.type)))
    return []
  return [validationProblems.identity_mismatch.at(pathText([...base, '@type']), { name: '@type' })]
}

/** Marks the schema of a member that is checked and then passed over, and told to the caller like an unknown one. */
export function passedOver(schema: z.ZodType): z.ZodType {
  return schema.meta({ passedOver: true })
}

/** Gives an object's schema the names of its read-only members, which a client that sends back what it read may write. */
export function alsoKnowing<Schema extends z.ZodType>(schema: Schema, names: readonly string[]): Schema {
  return schema.meta({ alsoKnown: names })
}

/** Marks a schema that reads its values by a shape of their own, whose unknown members are told like any. */
export function shapedBy<Schema extends z.ZodType>(schema: Schema, shape: Shape): Schema {
  return schema.meta({ shape })
}

/** The members of a nested value that its schema does not name; `@` members are JSON-LD's own. */
function unknownMembers(schema: z.ZodType, value: Json, path: Path): string[] {
  const {
    passedOver,
    shape,
    alsoKnown = [],
  } = (schema.meta() ?? {}) as {
    passedOver?: boolean
    shape?: Shape
    alsoKnown?: readonly string[]
  }
  if (passedOver) return [pathText(path)]
  if (shape) return [...readBody(value, shape, 'create', path).unknown]
  if (schema instanceof z.ZodUnion) {
    // Of the branches that take the value, the one that knows most of it.
    const branches = schema.options as readonly z.ZodType[]
    const taking = branches.filter((each) => each.safeParse(value).success)
    const unknown = (taking.length > 0 ? taking : branches).map((each) => unknownMembers(each, value, path))
    return unknown.toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((each, index) => unknownMembers(schema.element as z.ZodType, each, [...path, index]))
  }
  if (schema instanceof z.ZodRecord && isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, each]) =>
      unknownMembers(schema.valueType as z.ZodType, each, [...path, name]),
    )
  }
  if (schema instanceof z.ZodObject && isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, nested]) => {
      if (name.startsWith('@')) return []
      const loose = schema.def.catchall instanceof z.ZodUnknown
      const inner = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
      if (inner) return unknownMembers(inner, nested, [...path, name])
      return loose || alsoKnown.includes(name) ? [] : [pathText([...path, name])]
    })
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unknownMembers(schema.unwrap() as z.ZodType, value, path)
  }
  if (schema instanceof z.ZodPipe) return unknownMembers(schema.in as z.ZodType, value, path)
  return []
}

/** ` (→ title)` for the known name nearest to a mistyped one, or nothing when none is near. */
export function hint(name: string, known: readonly string[]): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const [best] = known
    .map((each) => ({ each, away: distance(last.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  return best && best.away <= (last.length < 4 ? 1 : Math.max(2, Math.floor(last.length / 3)))
    ? ` (→ ${best.each})`
    : ''
}
