/** The schemas that a schema is made of. zod types them as schemas of its core; all of ours are `z.ZodType`. */
import * as z from 'zod'
import type { Json } from './json.ts'

/** The schema of an array's elements. */
export function elementOf({ element }: z.ZodArray): z.ZodType {
  return element as z.ZodType
}

/** The schema of a record's values. */
export function valuesOf({ valueType }: z.ZodRecord): z.ZodType {
  return valueType as z.ZodType
}

/** The branches of a union. */
export function branchesOf({ options }: z.ZodUnion): readonly z.ZodType[] {
  return options as readonly z.ZodType[]
}

/** The members of an object by name. */
export function membersOf({ shape }: z.ZodObject): Readonly<Record<string, z.ZodType>> {
  return shape as Readonly<Record<string, z.ZodType>>
}

/** The schema that judges a value before another adds to it or lets it be absent; null for a schema that stands alone. */
export function within(schema: z.ZodType): z.ZodType | null {
  if (schema instanceof z.ZodPipe) return schema.in as z.ZodType
  return isAbsentable(schema) ? (schema.unwrap() as z.ZodType) : null
}

/** The bound of an array. */
export function maximumOf({ _zod }: z.ZodArray): number | undefined {
  const { maximum } = _zod.bag
  return typeof maximum === 'number' ? maximum : undefined
}

/** A schema as zod hands it to the overrides of its JSON Schema. */
export function schemaIn(schema: z.core.$ZodType): z.ZodType {
  return schema as unknown as z.ZodType
}

/** Judges a value: what our schemas make of JSON is JSON again. */
export function judged(schema: z.ZodType, value: Json): z.ZodSafeParseResult<Json> {
  return schema.safeParse(value, { reportInput: true }) as z.ZodSafeParseResult<Json>
}

function isAbsentable(schema: z.ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
}
