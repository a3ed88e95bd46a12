import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { boundFaults, within } from './bounds.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/index.ts'
import type { Property, Shape } from './property.ts'
import { member } from './version.ts'
import { Faults, mostCounted, type Path, pathText, violationsOf } from './violations.ts'

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
  const faults = new Faults()
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
    const property = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
    if (!property || !isWritable(property, mode)) continue
    if (value === null) values[name] = null
    else if (mode === 'patch' && property.schema instanceof z.ZodObject && isJsonObject(value)) {
      values[name] = value
    } else {
      const path = [...base, name]
      // Bounds come first: what is too much is not looked at one by one.
      const outOfBounds = boundFaults(property.schema, value, path)
      const parsed =
        outOfBounds.length === 0 ? property.schema.safeParse(value, { reportInput: true }) : undefined
      if (parsed?.success) values[name] = parsed.data as Json
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

function isWritable(property: Property, mode: 'create' | 'patch'): boolean {
  return property.writable === 'always' || (property.writable === 'create' && mode === 'create')
}

function contradictions(input: JsonObject, shape: Shape, base: Path): Violation[] {
  const type = member(input, '@type')
  if (type === undefined || type === shape.type || (Array.isArray(type) && type.includes(shape.type)))
    return []
  return [validationProblems.identity_mismatch.at(pathText([...base, '@type']), { name: '@type' })]
}

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
