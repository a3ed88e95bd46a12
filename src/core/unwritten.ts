/** The members of a body that are not written: unknown ones and read-only ones. */
import * as z from 'zod'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from './json.ts'
import { isWritable, type Shape } from './property.ts'
import { metaOf } from './schema-meta.ts'
import { branchesOf, elementOf, membersOf, valuesOf, within } from './schema-parts.ts'
import { maximumViolations, type Path } from './violations.ts'

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
export type Unwritten = {
  readonly path: Path
  readonly readOnly: boolean
  readonly value: Json
  /** The `@id` beside which it was sent, where it says something of a resource that documents embed and a body refers to. */
  readonly beside?: string
}

/** The members of a body that are not written: unknown ones up to as many as anybody is told. `@` members are JSON-LD's own. */
export function unwritten(
  input: Json,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  mode: 'create' | 'patch',
  base: Path = [],
): Unwritten[] {
  const found = new Found(shapes)
  collectOfShape(found, { input, shape, mode, path: base })
  return found.members
}

/** What was found. Only unknown members are bounded: as many of them as somebody thinks of fit into a body. */
class Found {
  readonly members: Unwritten[] = []
  readonly shapes: ReadonlyMap<string, Shape>
  private unknown = 0

  constructor(shapes: ReadonlyMap<string, Shape>) {
    this.shapes = shapes
  }

  get isFull(): boolean {
    return this.unknown >= maximumViolations
  }

  add(...members: readonly Unwritten[]): void {
    for (const each of members) {
      if (!each.readOnly && this.isFull) continue
      if (!each.readOnly) this.unknown += 1
      this.members.push(each)
    }
  }
}

type Shaped = {
  readonly input: Json
  readonly shape: Shape
  readonly mode: 'create' | 'patch'
  readonly path: Path
}

function collectOfShape(found: Found, { input, shape, mode, path }: Shaped): void {
  if (!isJsonObject(input)) return
  for (const [name, value] of Object.entries(input)) {
    if (found.isFull) return
    if (isIdentification(name)) continue
    const property = member(shape.properties, name)
    const own = [...path, name]
    if (property && isWritable(property, mode)) {
      const embedded = property.of === null ? undefined : found.shapes.get(property.of)
      collect(found, property.schema, value, own, embedded)
    } else {
      found.add({ path: own, readOnly: property !== undefined && !property.writeOnly, value })
      if (property) collectUnshown(found, property.schema, value, own)
    }
  }
}

/** The members of what is read-only that no document shows: nobody has read them, so whoever sends them means to write. */
function collectUnshown(found: Found, schema: z.ZodType, value: Json, path: Path): void {
  if (found.isFull) return
  if (schema instanceof z.ZodArray && isJsonArray(value)) {
    for (const [index, each] of value.entries()) {
      collectUnshown(found, elementOf(schema), each, [...path, index])
    }
  }
  const { shape } = metaOf(schema)
  if (!shape || !isJsonObject(value)) return
  for (const [name, { writeOnly }] of Object.entries(shape.properties)) {
    const sent = writeOnly ? member(value, name) : undefined
    if (sent !== undefined) found.add({ path: [...path, name], readOnly: false, value: sent })
  }
}

function isIdentification(name: string): boolean {
  return name.startsWith('@') || name === 'id' || name === 'fallbacks'
}

/** The members of a nested value that its schema does not write; `embedded` is what documents show where it is a relation. */
function collect(found: Found, schema: z.ZodType, value: Json, path: Path, embedded?: Shape): void {
  if (found.isFull) return
  const { passedOver, shape, alsoKnown = [] } = metaOf(schema)
  if (passedOver) found.add({ path, readOnly: true, value })
  else if (value === null || typeof value !== 'object') return
  else if (shape) collectOfShape(found, { input: value, shape, mode: 'create', path })
  else if (schema instanceof z.ZodUnion) {
    // Of the branches that take the value, the one that knows most of it.
    const branches = branchesOf(schema)
    const taking = branches.filter((each) => each.safeParse(value).success)
    const unknown = (taking.length > 0 ? taking : branches).map((each) => {
      const own = new Found(found.shapes)
      collect(own, each, value, path, embedded)
      return own.members
    })
    const [fewest = []] = unknown.toSorted((a, b) => a.length - b.length)
    found.add(...fewest)
  } else if (schema instanceof z.ZodArray) {
    if (!isJsonArray(value)) return
    for (const [index, each] of value.entries()) {
      collect(found, elementOf(schema), each, [...path, index], embedded)
    }
  } else if (schema instanceof z.ZodRecord) {
    if (!isJsonObject(value)) return
    for (const [name, each] of Object.entries(value)) collect(found, valuesOf(schema), each, [...path, name])
  } else if (schema instanceof z.ZodObject) {
    if (!isJsonObject(value)) return
    if (isReference(schema)) {
      collectBeside(found, value, path, embedded)
      return
    }
    const members = membersOf(schema)
    for (const [name, nested] of Object.entries(value)) {
      if (found.isFull) return
      if (name.startsWith('@')) continue
      const inner = member(members, name)
      const readOnly = alsoKnown.includes(name)
      if (inner) collect(found, inner, nested, [...path, name])
      else if (!(readOnly && isIdentification(name))) {
        found.add({ path: [...path, name], readOnly, value: nested })
      }
    }
  } else {
    const inner = within(schema)
    if (inner) collect(found, inner, value, path, embedded)
  }
}

/**
 * What an object says beside its `@id`, which is all that is written of a relation. Where documents embed the resource, a
 * client may send back what it read; where they show its IRI alone, it has read nothing of the kind.
 */
function collectBeside(found: Found, related: JsonObject, path: Path, embedded: Shape | undefined): void {
  const beside = String(member(related, '@id'))
  for (const [name, value] of Object.entries(related)) {
    if (name.startsWith('@')) continue
    const readOnly = embedded !== undefined && isNamed(name, embedded)
    found.add({ path: [...path, name], readOnly, value, beside })
  }
}

/** Objects that may say anything are those that refer to a resource by its `@id`. */
function isReference(schema: z.ZodObject): boolean {
  return schema.def.catchall instanceof z.ZodUnknown
}

function isNamed(name: string, shape: Shape): boolean {
  return isIdentification(name) || Object.hasOwn(shape.properties, name)
}
