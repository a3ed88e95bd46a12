import * as z from 'zod'
import { member } from './json.ts'
import type { Operation } from './operation.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/validation.ts'
import type { Property, Shape } from './schema.ts'
import type { ApiVersion } from './versions.ts'
import { elementOf, metaOf, within } from './zod.ts'

/** Whether documents show what a property holds unasked: a resource, a list of IRIs, or objects of its own. */
function isEmbedded({ of, link, schema, writeOnly }: Property): boolean {
  if (writeOnly) return false
  return of !== null || (link && isList(schema)) || holdsObjects(metaOf(schema).shown ?? schema)
}

function isList(schema: z.ZodType): boolean {
  const inner = schema instanceof z.ZodPipe ? within(schema) : null
  return inner ? isList(inner) : schema instanceof z.ZodArray
}

function holdsObjects(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return holdsObjects(elementOf(schema))
  const inner = schema instanceof z.ZodPipe || schema instanceof z.ZodNullable ? within(schema) : null
  return inner ? holdsObjects(inner) : schema instanceof z.ZodObject
}

/** `expand`: which relations of an answer are embedded, by their paths, in the names of whatever version. */

/** The parameter `expand` of operations that can embed what these paths lead to; read, it is a list of some of them. */
export function expandable(choices: readonly [string, ...string[]], description: string) {
  return z.array(z.enum(choices)).optional().meta({ choices, description })
}

/** The paths that an operation can expand; none where it has no such parameter. */
function choicesOf({ query }: Pick<Operation, 'query'>): readonly string[] {
  return (query.expand && metaOf(query.expand).choices) ?? []
}

/** Whether a parameter of the query is `expand`, which is also taken as the array `expand[]`. */
export function namesExpand(name: string): boolean {
  return /^expand(?:\[\d*\])?$/.test(name)
}

/**
 * Reads what is to be expanded: paths separated by commas, in the names of any version, since what an older one calls
 * differently is the same relation. A relation that is embedded anyway changes nothing, and what follows it in a path is
 * expanded in its place: `categories.children` is `children`.
 */
export function readExpand(
  written: readonly string[],
  operation: Pick<Operation, 'query' | 'shape'>,
  shapes: ReadonlyMap<string, Shape>,
  dialect: ApiVersion,
): { paths: string[]; faults: Violation[] } {
  const choices = choicesOf(operation)
  const paths = new Set<string>()
  const faults: Violation[] = []
  for (const text of written.flatMap((each) => each.split(','))) {
    const path = text.trim().split('.')
    const found = choiceIn(path.map(todayOf(dialect)), choices, operation.shape, shapes)
    if (found === null) faults.push(notExpandable(text.trim(), operation, dialect))
    else if (found !== '') paths.add(found)
  }
  return { paths: [...paths], faults: faults.slice(0, 1) }
}

/** The violation of a path that leads to nothing; its message lists the choices in the names of the version. */
export function notExpandable(
  path: string,
  operation: Pick<Operation, 'query'>,
  dialect: ApiVersion,
): Violation {
  const choices = choicesOf(operation).map((each) => inNamesOf(each, dialect))
  return validationProblems.expand.at('expand', { path: path.slice(0, 100), choices: choices.join(', ') })
}

/** Whether paths name nothing but what an operation's answer embeds anyway. */
export function expandsNothing(
  written: string,
  operation: Pick<Operation, 'answers' | 'query' | 'shape'>,
  shapes: ReadonlyMap<string, Shape>,
  dialect: ApiVersion,
): boolean {
  if (operation.answers === 'empty') return false
  const { paths, faults } = readExpand([written], operation, shapes, dialect)
  return paths.length === 0 && faults.length === 0
}

/**
 * Every single path that can be expanded, for doors that list what they take: in the names of the version, then in those of
 * all versions, then the members that are embedded anyway.
 */
export function expandPaths(operation: Pick<Operation, 'query' | 'shape'>, dialect: ApiVersion): string[] {
  const choices = choicesOf(operation)
  const embedded = Object.entries(operation.shape.properties)
    .filter(([name, property]) => isEmbedded(property) && !isChoice(name, choices))
    .map(([name]) => name)
  return [
    ...new Set([
      ...choices.map((each) => inNamesOf(each, dialect)),
      ...choices.flatMap((each) => spellingsOf(each.split('.'), dialect)),
      ...embedded.flatMap((each) => spellingsOf([each], dialect)),
    ]),
  ]
}

/** A path of today's names in every combination of the names that its segments have in any version. */
function spellingsOf([segment, ...rest]: readonly string[], dialect: ApiVersion): string[] {
  if (segment === undefined) return []
  const today = todayOf(dialect)
  const others = [...dialect.wrongNames.values()].flatMap((names) => [...names.keys()])
  const names = [inNamesOf(segment, dialect), ...others.filter((each) => today(each) === segment)]
  const ends = spellingsOf(rest, dialect)
  return names.flatMap((name) => (ends.length === 0 ? [name] : ends.map((end) => `${name}.${end}`)))
}

/** A path of today's names in those of a version. */
export function inNamesOf(path: string, { renames }: ApiVersion): string {
  const names = new Map([...renames.values()].flatMap((each) => [...each]))
  return path
    .split('.')
    .map((segment) => names.get(segment) ?? segment)
    .join('.')
}

/** Today's name of what any version calls so. */
function todayOf({ renames, wrongNames }: ApiVersion): (segment: string) => string {
  const today = new Set([...renames.values()].flatMap((names) => [...names.keys()]))
  const before = [...renames.values()].flatMap((names) =>
    [...names].map(([now, then]) => [then, now] as const),
  )
  const wrong = [...wrongNames.values()].flatMap((names) => [...names])
  const known = new Map([...wrong, ...before])
  return (segment) => (today.has(segment) ? segment : (known.get(segment) ?? segment))
}

/** Whether a member is embedded only where it is asked for. */
function isChoice(name: string, choices: readonly string[]): boolean {
  return choices.some((each) => each.split('.')[0] === name)
}

/** The choice that a path stands for: none (`''`) where all of it is embedded anyway, null where it leads to nothing. */
function choiceIn(
  path: readonly string[],
  choices: readonly string[],
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
): string | null {
  if (choices.includes(path.join('.'))) return path.join('.')
  let of: Shape | undefined = shape
  for (const [index, segment] of path.entries()) {
    const property: Property | undefined = of && member(of.properties, segment)
    if (!property) return null
    const rest = path.slice(index).join('.')
    if (index > 0 && choices.includes(rest)) return rest
    if (isChoice(segment, choices) || !isEmbedded(property)) return null
    of = property.of === null ? undefined : shapes.get(property.of)
  }
  return ''
}
