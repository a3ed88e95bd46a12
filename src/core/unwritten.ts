/** The members of a body that are not written: unknown ones and read-only ones. */
import { z } from 'zod'
import { within } from './bounds.ts'
import { isJsonArray, isJsonObject, type Json } from './json.ts'
import { isWritable, type Shape } from './property.ts'
import { mostCounted, type Path } from './violations.ts'

/** Marks the schema of a member that is checked and then passed over, like one that is read-only. */
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

/** A member of a body that is not written: one that nobody knows, or a read-only one with what was sent for it. */
export type Unwritten = { readonly path: Path; readonly readOnly: boolean; readonly value: Json }

/** The members of a body that are not written, up to as many as anybody is told. `@` members are JSON-LD's own. */
export function unwritten(input: Json, shape: Shape, mode: 'create' | 'patch', base: Path = []): Unwritten[] {
  const found: Unwritten[] = []
  collectOfShape(found, { input, shape, mode, path: base })
  return found
}

type Shaped = {
  readonly input: Json
  readonly shape: Shape
  readonly mode: 'create' | 'patch'
  readonly path: Path
}

function collectOfShape(found: Unwritten[], { input, shape, mode, path }: Shaped): void {
  if (!isJsonObject(input)) return
  for (const [name, value] of Object.entries(input)) {
    if (found.length >= mostCounted) return
    if (isIdentification(name)) continue
    const property = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
    const own = [...path, name]
    if (property && isWritable(property, mode)) collect(found, property.schema, value, own)
    else found.push({ path: own, readOnly: property !== undefined, value })
  }
}

function isIdentification(name: string): boolean {
  return name.startsWith('@') || name === 'id' || name === 'fallbacks'
}

/** The members of a nested value that its schema does not write. */
function collect(found: Unwritten[], schema: z.ZodType, value: Json, path: Path): void {
  if (found.length >= mostCounted) return
  const {
    passedOver,
    shape,
    alsoKnown = [],
  } = (schema.meta() ?? {}) as {
    passedOver?: boolean
    shape?: Shape
    alsoKnown?: readonly string[]
  }
  if (passedOver) found.push({ path, readOnly: true, value })
  else if (value === null || typeof value !== 'object') return
  else if (shape) collectOfShape(found, { input: value, shape, mode: 'create', path })
  else if (schema instanceof z.ZodUnion) {
    // Of the branches that take the value, the one that knows most of it.
    const branches = schema.options as readonly z.ZodType[]
    const taking = branches.filter((each) => each.safeParse(value).success)
    const unknown = (taking.length > 0 ? taking : branches).map((each) => {
      const own: Unwritten[] = []
      collect(own, each, value, path)
      return own
    })
    const [fewest = []] = unknown.toSorted((a, b) => a.length - b.length)
    found.push(...fewest.slice(0, mostCounted - found.length))
  } else if (schema instanceof z.ZodArray) {
    if (!isJsonArray(value)) return
    for (const [index, each] of value.entries()) {
      collect(found, schema.element as z.ZodType, each, [...path, index])
    }
  } else if (schema instanceof z.ZodRecord) {
    if (!isJsonObject(value)) return
    for (const [name, each] of Object.entries(value)) {
      collect(found, schema.valueType as z.ZodType, each, [...path, name])
    }
  } else if (schema instanceof z.ZodObject) {
    if (!isJsonObject(value)) return
    const loose = schema.def.catchall instanceof z.ZodUnknown
    for (const [name, nested] of Object.entries(value)) {
      if (found.length >= mostCounted) return
      if (name.startsWith('@')) continue
      const inner = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
      const readOnly = alsoKnown.includes(name)
      if (inner) collect(found, inner, nested, [...path, name])
      else if (!loose && !(readOnly && isIdentification(name))) {
        found.push({ path: [...path, name], readOnly, value: nested })
      }
    }
  } else {
    const inner = within(schema)
    if (inner) collect(found, inner, value, path)
  }
}
