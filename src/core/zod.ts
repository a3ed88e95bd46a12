import * as z from 'zod'
import { isJsonArray, isJsonObject, type Json } from './json.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/validation.ts'
import type { RequiredScopes, Shape } from './schema.ts'
import { type Path, pathText, violation } from './violations.ts'

/** The keywords of JSON Schema that metadata may add or replace. */
export type Keyword =
  | 'type'
  | 'format'
  | 'pattern'
  | 'enum'
  | 'minimum'
  | 'maximum'
  | 'default'
  | 'examples'
  | 'description'

/** The metadata of a schema. */
type SchemaMeta = { readonly [Name in Keyword]?: Json } & {
  /** The scopes that sending a parameter needs beyond the operation's scope. */
  readonly demand?: RequiredScopes
  /** The schema of the value in documents, if it differs from the input: `shownAs`. */
  readonly shown?: z.ZodType
  /** The `@type` of the resource that documents embed. */
  readonly resource?: string
  /** The shape that parses values. */
  readonly shape?: Shape
  /** The maximum number of members of a record. */
  readonly most?: number
  /** The read-only members of an object. */
  readonly alsoKnown?: readonly string[]
  /** The paths that `expand` accepts. */
  readonly choices?: readonly string[]
  /** The parameters that require this one, and the violation if it is absent. */
  readonly neededBy?: readonly string[]
  readonly missing?: Violation
  /** True for a parameter that every request needs. */
  readonly mandatory?: true
  /** The collection whose items an IRI names. */
  readonly leadsTo?: string
}

export function metaOf(schema: z.ZodType): SchemaMeta {
  // As members of zod's GlobalMeta they would be mapped recursively (`$replace`); `Shape` is too deep for that.
  return (schema.meta() ?? {}) as SchemaMeta
}

/** The parts of a schema. zod types them as schemas of its core, but all schemas of the service are `z.ZodType`. */

export function elementOf({ element }: z.ZodArray): z.ZodType {
  return element as z.ZodType
}

export function valuesOf({ valueType }: z.ZodRecord): z.ZodType {
  return valueType as z.ZodType
}

export function branchesOf({ options }: z.ZodUnion): readonly z.ZodType[] {
  return options as readonly z.ZodType[]
}

export function membersOf({ shape }: z.ZodObject): Readonly<Record<string, z.ZodType>> {
  return shape as Readonly<Record<string, z.ZodType>>
}

/** The inner schema of a pipe, an optional, a nullable or a default; null for other schemas. */
export function within(schema: z.ZodType): z.ZodType | null {
  if (schema instanceof z.ZodPipe) return schema.in as z.ZodType
  return isAbsentable(schema) ? (schema.unwrap() as z.ZodType) : null
}

/** The bound of an array. */
function maximumOf({ _zod }: z.ZodArray): number | undefined {
  const { maximum } = _zod.bag
  return typeof maximum === 'number' ? maximum : undefined
}

/** Casts a schema that zod passes to JSON Schema overrides. */
export function schemaIn(schema: z.core.$ZodType): z.ZodType {
  return schema as unknown as z.ZodType
}

/** Validates a JSON value; the schemas of the service produce JSON again. */
export function judged(schema: z.ZodType, value: Json): z.ZodSafeParseResult<Json> {
  return schema.safeParse(value, { reportInput: true }) as z.ZodSafeParseResult<Json>
}

function isAbsentable(schema: z.ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
}

/**
 * Limits on the elements and members of an input value, checked before any element is validated. A body of a megabyte
 * can contain half a million elements, and violations for each of them would help no caller.
 */

/** Limits the members of a record. */
export function atMost<Schema extends z.ZodType<Readonly<Record<string, unknown>>>>(
  maximum: number,
  record: Schema,
): Schema {
  const tooMany = violation(validationProblems.too_many_items.at('', { maximum }))
  return record.refine((members) => Object.keys(members).length <= maximum, tooMany).meta({ most: maximum })
}

/**
 * A violation for each value with more elements or members than its schema allows. Contents of such a value are not
 * checked further.
 */
export function boundFaults(schema: z.ZodType, value: Json, path: Path): Violation[] {
  const violations: Violation[] = []
  collect(violations, schema, value, path)
  return violations
}

function collect(violations: Violation[], schema: z.ZodType, value: Json, path: Path): void {
  if (value === null || typeof value !== 'object' || !isBounded(schema)) return
  const maximum = sizeLimitOf(schema)
  if (maximum !== undefined && countOf(value) > maximum) {
    violations.push(validationProblems.too_many_items.at(pathText(path), { maximum }))
    return
  }
  for (const { inner, value: element, at } of partsOf(schema, value)) {
    collect(violations, inner, element, at === undefined ? path : [...path, at])
  }
}

function countOf(value: Json): number {
  return isJsonArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0
}

/** The bound of the schema itself: an array's `max`, a record's `atMost`. */
function sizeLimitOf(schema: z.ZodType): number | undefined {
  if (schema instanceof z.ZodArray) return maximumOf(schema)
  return schema instanceof z.ZodRecord ? metaOf(schema).most : undefined
}

type Part = { readonly inner: z.ZodType; readonly value: Json; readonly at?: string | number }

function* partsOf(schema: z.ZodType, value: Json): Iterable<Part> {
  const shape = metaOf(schema).shape
  if (shape) {
    if (!isJsonObject(value)) return
    for (const [name, { schema: inner, writable }] of Object.entries(shape.properties)) {
      if (writable !== 'never' && Object.hasOwn(value, name))
        yield { inner, value: value[name] ?? null, at: name }
    }
  } else if (schema instanceof z.ZodArray) {
    if (!isJsonArray(value)) return
    for (const [at, element] of value.entries()) yield { inner: elementOf(schema), value: element, at }
  } else if (schema instanceof z.ZodRecord) {
    if (!isJsonObject(value)) return
    for (const [at, element] of Object.entries(value)) yield { inner: valuesOf(schema), value: element, at }
  } else if (schema instanceof z.ZodObject) {
    if (!isJsonObject(value)) return
    for (const [at, inner] of Object.entries(membersOf(schema))) {
      if (Object.hasOwn(value, at)) yield { inner, value: value[at] ?? null, at }
    }
  } else if (schema instanceof z.ZodUnion) {
    // If several branches match, none of them reports a bound.
    const [inner, ...otherBranches] = branchesOf(schema).filter((branch) => isOf(branch, value))
    if (inner && otherBranches.length === 0) yield { inner, value }
  } else {
    const inner = within(schema)
    if (inner) yield { inner, value }
  }
}

/** Whether a schema accepts arrays if the value is an array, objects if it is an object. */
function isOf(schema: z.ZodType, value: Json): boolean {
  const inner = within(schema)
  if (inner) return isOf(inner, value)
  if (schema instanceof z.ZodArray) return isJsonArray(value)
  return isJsonObject(value) && (schema instanceof z.ZodObject || schema instanceof z.ZodRecord)
}

const boundedCache = new WeakMap<z.ZodType, boolean>()

/** Whether a schema contains any bound, so that values of unbounded schemas need not be iterated. */
function isBounded(schema: z.ZodType): boolean {
  const cached = boundedCache.get(schema)
  if (cached !== undefined) return cached
  const inner = [...innerOf(schema)]
  const bounded = sizeLimitOf(schema) !== undefined || inner.some(isBounded)
  boundedCache.set(schema, bounded)
  return bounded
}

function innerOf(schema: z.ZodType): readonly z.ZodType[] {
  const shape = metaOf(schema).shape
  if (shape) return Object.values(shape.properties).map((property) => property.schema)
  if (schema instanceof z.ZodArray) return [elementOf(schema)]
  if (schema instanceof z.ZodRecord) return [valuesOf(schema)]
  if (schema instanceof z.ZodObject) return Object.values(membersOf(schema))
  if (schema instanceof z.ZodUnion) return branchesOf(schema)
  const inner = within(schema)
  return inner ? [inner] : []
}
