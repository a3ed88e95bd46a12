import { distance } from 'fastest-levenshtein'
import * as z from 'zod'
import { boundFaults } from './bounds.ts'
import { isJsonObject, type Json, type JsonObject, member } from './json.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/index.ts'
import { isWritable, type Shape } from './property.ts'
import { judged } from './schema-parts.ts'
import { Faults, type Path, pathText, violationsOf } from './violations.ts'

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
