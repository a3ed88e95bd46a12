/** Schemas as they were before a breaking change: for what is documented, and for the choices that a refusal names. */
import * as z from 'zod'
import { member } from './json.ts'
import { metaOf } from './schema-meta.ts'
import { elementOf, membersOf, within } from './schema-parts.ts'

type Names = Readonly<Record<string, string>>

/** A schema whose texts at a path had other names; arrays on the way are gone through. */
export function withValues(schema: z.ZodType, path: readonly string[], names: Names): z.ZodType {
  const [head, ...below] = path
  const { shown } = metaOf(schema)
  const meta = { ...schema.meta(), ...(shown && { shown: withValues(shown, path, names) }) }
  const made = inside(schema, (inner) => withValues(inner, path, names))
  if (made) return made.meta(meta)
  if (schema instanceof z.ZodEnum && head === undefined) {
    const options = schema.options.map((each) => member(names, String(each)) ?? each)
    return z.enum(options.map(String)).meta(meta)
  }
  if (!(schema instanceof z.ZodObject) || head === undefined) return schema
  const own = memberOf(schema, head)
  return own === undefined ? schema : extended(schema, { [head]: withValues(own, below, names) })
}

/** The texts that a schema takes at a path; none where it takes any. */
export function choicesAt(schema: z.ZodType, [head, ...below]: readonly string[]): string[] {
  if (schema instanceof z.ZodEnum && head === undefined) return schema.options.map(String)
  const inner = innerOf(schema)
  if (inner) return choicesAt(inner, head === undefined ? [] : [head, ...below])
  const own = schema instanceof z.ZodObject && head !== undefined ? memberOf(schema, head) : undefined
  return own ? choicesAt(own, below) : []
}

/** The schema of a member of an object's schema, by its path. @throws where the path leads through anything else */
export function memberAt(schema: z.ZodType, [head, ...below]: readonly string[]): z.ZodType {
  if (head === undefined) return bare(schema)
  const object = bare(schema)
  const own = object instanceof z.ZodObject ? memberOf(object, head) : undefined
  if (own === undefined) throw new Error(`a version moves “${head}”, which is no member of an object`)
  return memberAt(own, below)
}

/** An object's schema without the member at a path; null where none is left. */
export function withoutMember(schema: z.ZodType, [head = '', ...below]: readonly string[]): z.ZodType | null {
  const object = bare(schema)
  if (!(object instanceof z.ZodObject)) return schema
  const { [head]: own, ...rest } = membersOf(object)
  const left = own && below.length > 0 ? withoutMember(own, below) : null
  const shape = left ? { ...rest, [head]: left } : rest
  return Object.keys(shape).length === 0 ? null : remade(object, shape)
}

/** An object's schema with a member at a path, which may be left out and cleared; one that is made where there is none. */
export function withMember(
  schema: z.ZodType | null,
  [head, ...below]: readonly string[],
  moved: z.ZodType,
): z.ZodType {
  if (head === undefined) return moved.nullable().optional()
  const object = schema === null ? z.object({}) : bare(schema)
  if (!(object instanceof z.ZodObject))
    throw new Error(`a version moves something into “${head}”'s holder, which is no object`)
  return extended(object, { [head]: withMember(memberOf(object, head) ?? null, below, moved) })
}

function memberOf(schema: z.ZodObject, name: string): z.ZodType | undefined {
  return member(membersOf(schema), name)
}

function extended(schema: z.ZodObject, shape: z.ZodRawShape): z.ZodObject {
  return remade(schema, { ...schema.shape, ...shape })
}

function remade(schema: z.ZodObject, shape: z.ZodRawShape): z.ZodObject {
  const made = schema.clone({ ...schema.def, shape })
  const meta = schema.meta()
  return meta ? made.meta(meta) : made
}

/** A schema around another one, made around something else; null where it is around none. */
function inside(schema: z.ZodType, remake: (inner: z.ZodType) => z.ZodType): z.ZodType | null {
  const inner = innerOf(schema)
  if (!inner) return null
  const made = remake(inner)
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: made })
  if (schema instanceof z.ZodPipe) return schema.clone({ ...schema.def, in: made })
  if (schema instanceof z.ZodOptional) return schema.clone({ ...schema.def, innerType: made })
  if (schema instanceof z.ZodNullable) return schema.clone({ ...schema.def, innerType: made })
  if (schema instanceof z.ZodDefault) return made.optional()
  return null
}

function innerOf(schema: z.ZodType): z.ZodType | null {
  return schema instanceof z.ZodArray ? elementOf(schema) : within(schema)
}

function bare(schema: z.ZodType): z.ZodType {
  const inner = schema instanceof z.ZodArray ? null : innerOf(schema)
  return inner ? bare(inner) : schema
}
