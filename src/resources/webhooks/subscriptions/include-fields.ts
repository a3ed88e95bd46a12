/**
 * `includeFields`: dot paths into a topic's documents. They are written and shown in the names of the subscription's
 * version and kept in today's, so that moving the pin never changes what is selected.
 */

import { cut } from '../../../core/cut.ts'
import { removedSince, shapeIn, shownIn } from '../../../core/ladder.ts'
import type { Violation } from '../../../core/problem.ts'
import { versionProblems } from '../../../core/problems/index.ts'
import type { Shape } from '../../../core/property.ts'
import { maximumPathDepth } from '../../../core/select.ts'
import type { Dialect, WrongPlace } from '../../../core/version.ts'
import { translatedPaths } from '../../../core/version-path.ts'
import { kindOf, kinds, topicsMatching } from '../../events/index.ts'
import { webhookProblems } from './problems.ts'

/** A path that names nothing that its topic's documents have. */
export type UnknownPath = { readonly at: string; readonly path: string; readonly known: readonly string[] }

/** Paths as a version calls a topic's documents, in today's names; those that name nothing, and what is wrong with others. */
export function writtenPaths(
  paths: readonly string[],
  topic: string,
  dialect: Dialect,
): { paths: string[]; unknown: UnknownPath[]; violations: Violation[] } {
  const read = paths.map((path, index) => writtenPath(path, `includeFields[${index}]`, topic, dialect))
  return {
    paths: [...new Set(read.flatMap(({ paths }) => paths))],
    unknown: read.flatMap(({ unknown }) => unknown ?? []),
    violations: read.flatMap(({ violation }) => violation ?? []),
  }
}

/** The topic whose documents paths are read by: while there is none, any that has the name. */
export function topicOrAny(topic: string | null | undefined): string {
  return topic ?? '*'
}

/** Paths of today's names as a version calls them. */
export function spokenPaths(paths: readonly string[], topic: string, dialect: Dialect): string[] {
  return spokenFrom(paths, startOf(topic), dialect)
}

/** The same paths into documents of one shape. */
export function spokenPathsOf(paths: readonly string[], shape: Shape, dialect: Dialect): string[] {
  return spokenFrom(paths, { shapes: [shape], open: false }, dialect)
}

function spokenFrom(paths: readonly string[], place: Place, dialect: Dialect): string[] {
  const spoken = paths.flatMap((path) => spokenNames(path.split('.'), place, dialect))
  return [...new Set(spoken.map((names) => names.join('.')))]
}

type Names = readonly string[]

function spokenNames(names: Names, place: Place, dialect: Dialect): Names[] {
  const [name, ...rest] = names
  if (name === undefined) return [[]]
  const shape = place.shapes.find(
    (each) =>
      dialect.breakingChanges.has(each.type) &&
      (Object.hasOwn(each.properties, name) || removedSince(each, dialect).has(name)),
  )
  const nested = shape === undefined || shape.properties[name]?.of
  const own = shape === undefined ? [names] : across(nested ? [name] : names, shape, dialect, 'version')
  if (!nested) return own
  const ends = spokenNames(rest, below(place, name), dialect)
  return own.flatMap(([head = name]) => ends.map((end) => [head, ...end]))
}

function across(names: Names, shape: Shape, dialect: Dialect, to: 'today' | 'version'): Names[] {
  return translatedPaths(names, shape, new Map(), dialect, to).map((path) => path.map(String))
}

function writtenPath(
  path: string,
  at: string,
  topic: string,
  dialect: Dialect,
): { paths: string[]; unknown?: UnknownPath; violation?: Violation } {
  const names = path.split('.')
  const paths = [path]
  if (names.length > maximumPathDepth || !names.every(isName))
    return { paths, violation: webhookProblems.include_fields.at(at, { path: shortened(path) }) }
  const read = namesToday(names, startOf(topic), dialect)
  if (read.misnamed) {
    const [name, rightName] = [read.misnamed.wrong.join('.'), read.misnamed.right.join('.')]
    const values = { name, rightName, version: dialect.version.name }
    return { paths, violation: versionProblems.renamed_property.at(at, values) }
  }
  const unknown = read.known && { at, path, known: read.known }
  return { paths: read.paths.map((each) => each.join('.')), ...(unknown && { unknown }) }
}

/** Paths in today's names as far as they are known: the rest is kept as it was written, and selects nothing. */
type Read = { readonly paths: Names[]; readonly known?: readonly string[]; readonly misnamed?: WrongPlace }

function namesToday(names: Names, place: Place, dialect: Dialect): Read {
  const [name, ...rest] = names
  if (name === undefined) return { paths: [[]] }
  if (name === '*' || everywhere.has(name))
    return behind([name], namesToday(rest, below(place, name), dialect))
  const misnamed = place.shapes.flatMap((shape) => misnamedIn(names, shape, dialect))
  const knowing = place.shapes.filter(
    (shape) => Object.hasOwn(shownIn(shape, dialect), name) && !misnamedIn(names, shape, dialect)[0],
  )
  const shape = knowing.find(({ type }) => dialect.breakingChanges.has(type)) ?? knowing[0]
  if (shape) {
    const found = across(names, shape, dialect, 'today').map(([head = name, ...end]) =>
      behind(
        [head],
        shape.properties[head]?.of ? namesToday(end, below(place, head), dialect) : { paths: [end] },
      ),
    )
    return found.find((each) => each.misnamed ?? each.known) ?? { paths: found.flatMap(({ paths }) => paths) }
  }
  if (misnamed[0]) return { paths: [names], misnamed: misnamed[0] }
  if (place.open) return behind([name], namesToday(rest, below(place, name), dialect))
  const known = place.shapes.flatMap((each) => Object.keys(shownIn(each, dialect)))
  return { paths: [names], known }
}

function behind(start: Names, { paths, ...read }: Read): Read {
  return { ...read, paths: paths.map((each) => [...start, ...each]) }
}

function misnamedIn(names: Names, shape: Shape, dialect: Dialect): WrongPlace[] {
  const { properties } = shapeIn(shape, dialect)
  return (dialect.wrongPlaces.get(shape.type) ?? []).filter(
    ({ wrong }) =>
      wrong.every((each, index) => names[index] === each) &&
      !(wrong.length === 1 && Object.hasOwn(properties, wrong[0] ?? '')),
  )
}

/** Where in documents a path has come to: in one of these, or (`open`) in something whose names nobody declares. */
type Place = { readonly shapes: readonly Shape[]; readonly open: boolean }

const everywhere: ReadonlySet<string> = new Set(['@context', '@id', '@type', 'id', 'fallbacks'])
const shapesByType = new Map(Object.values(kinds).map(({ shape }) => [shape.type, shape]))

function startOf(topic: string): Place {
  const found = topicsMatching(topic).map(kindOf)
  const shapes = found.flatMap((kind) => kind?.shape ?? [])
  return { shapes: [...new Set(shapes)], open: shapes.length < found.length }
}

function below({ shapes, open }: Place, name: string): Place {
  const properties = shapes.flatMap((shape) =>
    Object.entries(shape.properties).flatMap(([each, property]) =>
      name === '*' || name === each ? [property] : [],
    ),
  )
  const found = properties.flatMap(({ of }) => (of === null ? [] : (shapesByType.get(of) ?? [])))
  // An element of an array is at the same place as the array.
  if (name === '*') return { shapes: [...new Set([...shapes, ...found])], open: true }
  return { shapes: [...new Set(found)], open: open || found.length < properties.length || found.length === 0 }
}

/** A name that Postgres can store, or `*`. */
function isName(text: string): boolean {
  return text === '*' || (/^[^\s*[\]"\\\p{Cc}]{1,255}$/u.test(text) && text.isWellFormed())
}

/** A path as a message shows it. */
export function shortened(path: string): string {
  return path.length > 100 ? `${cut(path, 100).toWellFormed()}…` : path.toWellFormed()
}
