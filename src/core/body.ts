import { distance } from 'fastest-levenshtein'
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
  ViolationList,
  violation,
  violationsOf,
} from './violations.ts'
import { boundFaults, branchesOf, elementOf, judged, membersOf, metaOf, valuesOf, within } from './zod.ts'

/** A body after its shape: writable values by name (null where the caller cleared), and what is wrong with them. */
export type Body = {
  readonly values: Readonly<Record<string, Json>>
  readonly violations: readonly Violation[]
}

/**
 * Reads one object of a create (`create`) or merge patch (`patch`) body, until it has found enough that is wrong. Members
 * that are not written are passed over (`unwritten` tells them); an object property of a patch is left for `merge`, since
 * RFC 7396 merges it with what is stored.
 */
export function readBody(input: Json, shape: Shape, mode: 'create' | 'patch', base: Path = []): Body {
  const faults = new ViolationList()
  if (!isJsonObject(input)) {
    faults.add(validationProblems.type.at(pathText(base), { expected: 'object' }))
    return { values: {}, violations: faults.found }
  }
  const values: Record<string, Json> = {}
  for (const [name, value] of Object.entries(input)) {
    if (faults.areEnough) break
    if (name.startsWith('@') || name === 'id') continue
    if (name === 'fallbacks') {
      // Sent back with a document that was read: `merged` tells what fell back from what was written.
      if (isJsonObject(value)) values[name] = value
      continue
    }
    const property = member(shape.properties, name)
    if (!property || !isWritable(property, mode)) continue
    if (value === null) values[name] = null
    else if (mode === 'patch' && property.schema instanceof z.ZodObject && isJsonObject(value)) {
      values[name] = value
    } else {
      const path = [...base, name]
      // Bounds come first: what is too much is not looked at one by one.
      const outOfBounds = boundFaults(property.schema, value, path)
      const parsed = outOfBounds.length === 0 ? judged(property.schema, value) : undefined
      if (parsed?.success) values[name] = parsed.data
      else faults.add(...(parsed ? violationsOf(parsed.error, path) : outOfBounds))
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
      faults.add(validationProblems.required.at(pathText([...base, name])))
    }
  }
  // A patch is judged once it is merged; before, only to be told beside what refuses it already.
  if (mode === 'create' || faults.found.length > 0) faults.add(...disagreements(values, shape, base))
  faults.add(...contradictions(input, shape, base))
  return { values, violations: faults.found }
}

/** What values have wrong that their schemas take: each by itself, and with each other. */
function disagreements(values: Body['values'], shape: Shape, base: Path): Violation[] {
  const at = (path: string) => (base.length === 0 ? path : `${pathText(base)}.${path}`)
  return [
    ...Object.entries(values).flatMap(([name, value]) => shape.properties[name]?.judge?.(value, at) ?? []),
    ...(shape.together?.(values, at) ?? []),
  ]
}

function contradictions(input: JsonObject, shape: Shape, base: Path): Violation[] {
  const type = member(input, '@type')
  if (type === undefined || type === shape.type || (Array.isArray(type) && type.includes(shape.type)))
    return []
  return [validationProblems.identity_mismatch.at(pathText([...base, '@type']), { name: '@type' })]
}

/** No name of ours is half as long, so none is near. */
const longestMistyped = 64

/** ` (→ title)` for the known name nearest to a mistyped one, or nothing when none is near. */
export function hint(name: string, known: readonly string[]): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (last.length > longestMistyped) return ''
  const [best] = known
    .map((each) => ({ each, away: distance(last.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  return best && best.away <= (last.length < 4 ? 1 : Math.max(2, Math.floor(last.length / 3)))
    ? ` (→ ${best.each})`
    : ''
}

/** The members of a body that are not written: unknown ones and read-only ones. */

/** Marks the schema of a member that is checked and then passed over, like one that is read-only. */
export function checkedAndIgnored(schema: z.ZodType): z.ZodType {
  return schema.meta({ passedOver: true })
}

/** Gives an object's schema the names of its read-only members, which a client that sends back what it read may write. */
export function withReadOnlyNames<Schema extends z.ZodType>(
  schema: Schema,
  names: readonly string[],
): Schema {
  return schema.meta({ alsoKnown: names })
}

/** Marks a schema that reads its values by a shape of their own, whose unknown members are told like any. */
function shapedBy<Schema extends z.ZodType>(schema: Schema, shape: Shape): Schema {
  return schema.meta({ shape })
}

/** A member of a body that is not written: one that nobody knows, or a read-only one with what was sent for it. */
export type IgnoredMember = {
  readonly path: Path
  readonly readOnly: boolean
  readonly value: Json
  /** The `@id` beside which it was sent, where it says something of a resource that documents embed and a body refers to. */
  readonly beside?: string
}

/** The members of a body that are not written: unknown ones up to as many as anybody is told. `@` members are JSON-LD's own. */
export function findIgnoredMembers(
  input: Json,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  mode: 'create' | 'patch',
  base: Path = [],
): IgnoredMember[] {
  const found = new Found(shapes)
  collectOfShape(found, { input, shape, mode, path: base })
  return found.members
}

/** What was found. Only unknown members are bounded: as many of them as somebody thinks of fit into a body. */
class Found {
  readonly members: IgnoredMember[] = []
  readonly shapes: ReadonlyMap<string, Shape>
  private unknown = 0

  constructor(shapes: ReadonlyMap<string, Shape>) {
    this.shapes = shapes
  }

  get isFull(): boolean {
    return this.unknown >= maximumViolations
  }

  add(...members: readonly IgnoredMember[]): void {
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

/** Reads objects that are created with the one in whose body they stand, by their shape; their violations join those of that one. */
export function nested<Of extends Shape>(shape: Of) {
  return shapedBy(
    z.unknown().transform((input, check): BodyOf<Of> => {
      const { values, violations } = readBody(input as Json, shape, 'create')
      for (const found of violations) {
        check.addIssue({ code: 'custom', path: pathSegments(found.propertyPath), ...violation(found) })
      }
      // What was read by the shape has its types.
      return values as BodyOf<Of>
    }),
    shape,
  )
}
