import * as z from 'zod'
import type { Json } from './json.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/validation.ts'
import type { RequiredScopes, Shape } from './schema.ts'
import { violation } from './violations.ts'

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

type SchemaMeta = { readonly [Name in Keyword]?: Json } & {
  /** The scopes that sending a parameter needs beyond the operation's scope. */
  readonly neededScopes?: RequiredScopes
  /** The schema of the value in documents, if it differs from the input: `shownAs`. */
  readonly shown?: z.ZodType
  /** The `@type` of the resource that documents embed. */
  readonly resource?: string
  /** The shape that parses values, as a new object or as a patch. */
  readonly shape?: Shape & { readonly mode: 'create' | 'patch' }
  /** The read-only members of an object. */
  readonly alsoKnown?: readonly string[]
  /** The paths that `expand` accepts. */
  readonly choices?: readonly string[]
  /** The parameters that require this one, and the violation if it is absent. */
  readonly neededBy?: readonly string[]
  readonly missing?: Violation
  /** True for a parameter that every request needs. */
  readonly mandatory?: true
  /** The first version whose callers know a parameter; a name similar to it is a mistake from then on. Absent: every version. */
  readonly addedIn?: string
  /** The collection whose items an IRI names. */
  readonly leadsTo?: string
}

export function metaOf(schema: z.ZodType): SchemaMeta {
  // As members of zod's GlobalMeta they would be mapped recursively (`$replace`); `Shape` is too deep for that.
  return (schema.meta() ?? {}) as SchemaMeta
}

/**
 * A part of a schema. zod types it as a schema of its core, but all schemas of the service are `z.ZodType`.
 * @throws Error for a schema of zod/mini
 */
export function schemaIn(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodType) return schema
  throw new Error('A part of a schema has no methods. Create it with zod, not with zod/mini.')
}

export const elementOf = ({ element }: z.ZodArray): z.ZodType => schemaIn(element)
export const valuesOf = ({ valueType }: z.ZodRecord): z.ZodType => schemaIn(valueType)
export const branchesOf = ({ options }: z.ZodUnion): readonly z.ZodType[] => options.map(schemaIn)

export function membersOf({ shape }: z.ZodObject): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schemaIn(schema)]))
}

/** The inner schema of a pipe, an optional, a nullable or a default; null for other schemas. */
export function within(schema: z.ZodType): z.ZodType | null {
  if (schema instanceof z.ZodPipe) return schemaIn(schema.in)
  return isAbsentable(schema) ? schemaIn(schema.unwrap()) : null
}

/** Validates a JSON value; the schemas of the service produce JSON again. */
export function safeParseJson(schema: z.ZodType, value: Json): z.ZodSafeParseResult<Json> {
  return schema.safeParse(value, { reportInput: true }) as z.ZodSafeParseResult<Json>
}

function isAbsentable(schema: z.ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
}

/** Limits the members of a record. */
export function atMost<Schema extends z.ZodType<Readonly<Record<string, unknown>>>>(
  maximum: number,
  record: Schema,
): Schema {
  const tooMany = violation(validationProblems.too_many_items.at('', { maximum }))
  return record.refine((members) => Object.keys(members).length <= maximum, tooMany)
}
