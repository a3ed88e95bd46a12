import * as z from 'zod'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from './json.ts'
import type { BodyOf } from './operation.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/validation.ts'
import { isWritable, type Shape } from './schema.ts'
import {
  maximumViolations,
  type Path,
  pathSegments,
  pathText,
  throwViolations,
  violation,
  violationsOf,
} from './violations.ts'
import { branchesOf, elementOf, membersOf, metaOf, safeParseJson, valuesOf, within } from './zod.ts'

/** A body parsed by its shape: writable values by name (null if the caller clears a value), and violations. */
export type Body = {
  readonly values: Readonly<Record<string, Json>>
  readonly violations: readonly Violation[]
}

/**
 * Parses one object of a body. Members that cannot be written are skipped (see `ignoredMembersOfBody`). An object property of
 * a patch is not parsed, because RFC 7396 merges it with the stored value first.
 */
export function readBody(input: Json, shape: Shape, mode: 'create' | 'patch', base: Path = []): Body {
  if (!isJsonObject(input)) {
    return { values: {}, violations: [validationProblems.type.at(pathText(base), { expected: 'object' })] }
  }
  const violations: Violation[] = []
  const values: Record<string, Json> = {}
  for (const [name, value] of Object.entries(input)) {
    if (name.startsWith('@') || name === 'id') continue
    if (name === 'fallbacks') {
      // `merge` compares it with the written texts to find those that were not translated.
      if (isJsonObject(value)) values[name] = value
      continue
    }
    const property = member(shape.properties, name)
    if (!property || !isWritable(property, mode)) continue
    if (value === null) values[name] = null
    else if (mode === 'patch' && property.schema instanceof z.ZodObject && isJsonObject(value)) {
      values[name] = value
    } else {
      const parsed = safeParseJson(property.schema, value)
      if (parsed.success) values[name] = parsed.data
      else violations.push(...violationsOf(parsed.error, [...base, name]))
    }
  }
  for (const [name, property] of Object.entries(shape.properties)) {
    const missing = mode === 'create' ? (member(input, name) ?? null) === null : member(input, name) === null
    // `merge` validates a cleared translation against the other locales.
    if (
      property.required &&
      isWritable(property, mode) &&
      missing &&
      !(mode === 'patch' && property.translatable)
    ) {
      violations.push(validationProblems.required.at(pathText([...base, name])))
    }
  }
  // A patch is validated after the merge. Before, these violations only complete a list of others.
  if (mode === 'create' || violations.length > 0) violations.push(...disagreements(values, shape, base))
  violations.push(...contradictions(input, shape, base))
  return { values, violations }
}

/** Violations of rules that schemas cannot express: of single values, and of several values together. */
function disagreements(values: Body['values'], shape: Shape, base: Path): Violation[] {
  const at = (path: string) => (base.length === 0 ? path : `${pathText(base)}.${path}`)
  return [
    ...Object.entries(values).flatMap(([name, value]) => shape.properties[name]?.validate?.(value, at) ?? []),
    ...(shape.validateTogether?.(values, at) ?? []),
  ]
}

function contradictions(input: JsonObject, shape: Shape, base: Path): Violation[] {
  const type = member(input, '@type')
  if (type === undefined || type === shape.type || (Array.isArray(type) && type.includes(shape.type)))
    return []
  return [validationProblems.identity_mismatch.at(pathText([...base, '@type']), { name: '@type' })]
}

/** Gives an object's schema the names of its read-only members, which clients send back with a document. */
export function withReadOnlyNames<Schema extends z.ZodType>(
  schema: Schema,
  names: readonly string[],
): Schema {
  return schema.meta({ alsoKnown: names })
}

/** A member of a body that is not written: an unknown one at any depth, or a read-only one at the top level. */
export type IgnoredMember = { readonly path: Path; readonly readOnly: boolean; readonly value: Json }

/** The ignored members of one body in their order, unknown ones up to the maximum of violations. */
export function ignoredMembersOfBody(
  input: Json,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  mode: 'create' | 'patch',
  base: Path = [],
): IgnoredMember[] {
  if (!isJsonObject(input)) return []
  let remaining = maximumViolations
  return Object.entries(input).flatMap(([name, value]): IgnoredMember[] => {
    const path = [...base, name]
    const property = member(shape.properties, name)
    const isReadOnly = property && !property.writeOnly && !isWritable(property, mode)
    const unknown = [...unknownMembers({ [name]: value }, shape, shapes, mode, base).take(remaining)]
    remaining -= unknown.length
    return [
      ...(isReadOnly && !isIdentification(name) ? [{ path, readOnly: true, value }] : []),
      ...unknown.map((unknownPath) => ({ path: unknownPath, readOnly: false, value: null })),
    ]
  })
}

/** The paths of members that no schema reads. */
function* unknownMembers(
  input: JsonObject,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  mode: 'create' | 'patch',
  base: Path,
): Generator<Path> {
  for (const [name, value] of Object.entries(input)) {
    if (isIdentification(name)) continue
    const path = [...base, name]
    const property = member(shape.properties, name)
    if (!property) yield path
    else if (isWritable(property, mode)) {
      yield* unknownIn(property.schema, value, path, shapes, shapes.get(property.objectType ?? ''))
    } else if (property.writeOnly) yield path
    else yield* writeOnlyMembers(property.schema, value, path)
  }
}

/** Write-only members of a read-only value. No document contains them, so the caller wants to write them. */
function* writeOnlyMembers(schema: z.ZodType, value: Json, path: Path): Generator<Path> {
  if (schema instanceof z.ZodArray && isJsonArray(value)) {
    for (const [index, element] of value.entries()) {
      yield* writeOnlyMembers(elementOf(schema), element, [...path, index])
    }
  }
  const { shape } = metaOf(schema)
  if (!shape || !isJsonObject(value)) return
  for (const [name, { writeOnly }] of Object.entries(shape.properties)) {
    if (writeOnly && Object.hasOwn(value, name)) yield [...path, name]
  }
}

function isIdentification(name: string): boolean {
  return name.startsWith('@') || name === 'id' || name === 'fallbacks'
}

/** The same inside a nested value. `embedded` is the shape that documents show if the value is a relation. */
function* unknownIn(
  schema: z.ZodType,
  value: Json,
  path: Path,
  shapes: ReadonlyMap<string, Shape>,
  embedded?: Shape,
): Generator<Path> {
  if (value === null || typeof value !== 'object') return
  const { shape, alsoKnown = [] } = metaOf(schema)
  if (shape) {
    if (isJsonObject(value)) yield* unknownMembers(value, shape, shapes, shape.mode, path)
  } else if (schema instanceof z.ZodUnion) {
    const branches = branchesOf(schema)
    const matches = branches.filter((branch) => branch.safeParse(value).success)
    const unknown = (matches.length > 0 ? matches : branches).map((branch) =>
      unknownIn(branch, value, path, shapes, embedded).toArray(),
    )
    // The branch that reads most members.
    yield* unknown.toSorted((a, b) => a.length - b.length)[0] ?? []
  } else if (schema instanceof z.ZodArray) {
    if (!isJsonArray(value)) return
    for (const [index, element] of value.entries()) {
      yield* unknownIn(elementOf(schema), element, [...path, index], shapes, embedded)
    }
  } else if (schema instanceof z.ZodRecord) {
    if (!isJsonObject(value)) return
    for (const [name, element] of Object.entries(value)) {
      yield* unknownIn(valuesOf(schema), element, [...path, name], shapes)
    }
  } else if (schema instanceof z.ZodObject) {
    if (!isJsonObject(value)) return
    // Only an object that refers to a resource by its `@id` may have other members.
    const isReference = schema.def.catchall instanceof z.ZodUnknown
    const members = isReference ? (embedded?.properties ?? {}) : membersOf(schema)
    for (const [name, nested] of Object.entries(value)) {
      if (name.startsWith('@') || (isReference && embedded && isIdentification(name))) continue
      if (!Object.hasOwn(members, name)) {
        if (!alsoKnown.includes(name)) yield [...path, name]
      } else if (!isReference) {
        const inner = member(membersOf(schema), name)
        if (inner) yield* unknownIn(inner, nested, [...path, name], shapes)
      }
    }
  } else {
    const inner = within(schema)
    if (inner) yield* unknownIn(inner, value, path, shapes, embedded)
  }
}

/** The schema of objects in a body that are created, or changed, by a shape. */
export function nested<Of extends Shape>(shape: Of, mode: 'create' | 'patch' = 'create') {
  return bodySchema(shape, mode).meta({ shape: { ...shape, mode } })
}

/** A row in the body of an upsert: the values of a patch, and the input, which `readBody()` parses again for a new row. */
export type SentRow<Of extends Shape> = { readonly patch: BodyOf<Of>; readonly input: Json }

/** The schema of rows in the body of an upsert. */
export function upsertedRow<Of extends Shape>(shape: Of) {
  return z
    .any()
    .transform((input: Json, check): SentRow<Of> => ({ patch: bodyOf(input, check, shape, 'patch'), input }))
    .meta({ shape: { ...shape, mode: 'patch' as const } })
}

/** The schema of a body, which reports every violation of the shape. */
export function bodySchema<Of extends Shape>(shape: Of, mode: 'create' | 'patch') {
  return z.any().transform((input: Json, check): BodyOf<Of> => bodyOf(input, check, shape, mode))
}

function bodyOf<Of extends Shape>(
  input: Json,
  check: z.RefinementCtx,
  shape: Of,
  mode: 'create' | 'patch',
): BodyOf<Of> {
  const { values, violations } = readBody(input, shape, mode)
  for (const fault of violations) {
    check.addIssue({ code: 'custom', path: pathSegments(fault.propertyPath), ...violation(fault) })
  }
  return isFaultless<Of>(values, violations) ? values : z.NEVER
}

/** Parses a body, or an object in it at `base`, as that of a creation. @throws Problem 422 */
export function readWholeBody<Of extends Shape>(input: Json, shape: Of, base: Path = []): BodyOf<Of> {
  const { values, violations } = readBody(input, shape, 'create', base)
  throwViolations(violations)
  if (!isFaultless<Of>(values, violations)) throw new Error('A body has violations that were not thrown')
  return values
}

/** Values without violations have the types of the shape that parsed them. */
function isFaultless<Of extends Shape>(
  _values: unknown,
  violations: readonly Violation[],
): _values is BodyOf<Of> {
  return violations.length === 0
}
