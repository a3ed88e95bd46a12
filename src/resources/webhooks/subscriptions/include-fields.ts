/**
 * `includeFields`: dot paths into a topic's documents. They are written and shown in the names of the subscription's
 * version and kept in today's, so that moving the pin never changes what is selected.
 */

import type { Violation } from '../../../core/problem.ts'
import { versionProblems } from '../../../core/problems/validation.ts'
import type { Shape } from '../../../core/schema.ts'
import { maximumPathDepth } from '../../../core/select.ts'
import { truncate } from '../../../core/slug.ts'
import { type ApiVersion, propertiesByName } from '../../../core/versions.ts'
import { kindOf, kinds, topicsMatching } from '../../events/topics.ts'
import { webhookProblems } from '../problems.ts'

/** A path that names nothing that its topic's documents have. */
export type UnknownPath = { readonly at: string; readonly path: string; readonly known: readonly string[] }

/** Paths as a version calls a topic's documents, in today's names; those that name nothing, and what is wrong with others. */
export function writtenPaths(
  paths: readonly string[],
  topic: string,
  dialect: ApiVersion,
): { paths: string[]; unknown: UnknownPath[]; violations: Violation[] } {
  const read = paths.map((path, index) => writtenPath(path, `includeFields[${index}]`, topic, dialect))
  return {
    paths: [...new Set(read.map(({ path }) => path))],
    unknown: read.flatMap(({ unknown }) => unknown ?? []),
    violations: read.flatMap(({ violation }) => violation ?? []),
  }
}

/** The topic whose documents paths are read by: while there is none, any that has the name. */
export function topicOrAny(topic: string | null | undefined): string {
  return topic ?? '*'
}

/** Stored paths in the names of a version. */
export function pathsToVersion(paths: readonly string[], topic: string, dialect: ApiVersion): string[] {
  return translatePaths(paths, startOf(topic), dialect)
}

/** Stored paths into documents of one shape, in the names of a version. */
export function shapePathsToVersion(paths: readonly string[], shape: Shape, dialect: ApiVersion): string[] {
  return translatePaths(paths, { shapes: [shape], open: false }, dialect)
}

function translatePaths(paths: readonly string[], place: Place, dialect: ApiVersion): string[] {
  return [...new Set(paths.map((path) => translateNames(path.split('.'), place, dialect).join('.')))]
}

type Names = readonly string[]

function translateNames([name, ...rest]: Names, place: Place, dialect: ApiVersion): Names {
  if (name === undefined) return []
  const renaming = place.shapes.find(({ type }) => dialect.renames.get(type)?.has(name))
  const translated = renaming && dialect.renames.get(renaming.type)?.get(name)
  return [translated ?? name, ...translateNames(rest, below(place, name), dialect)]
}

function writtenPath(
  path: string,
  at: string,
  topic: string,
  dialect: ApiVersion,
): { path: string; unknown?: UnknownPath; violation?: Violation } {
  const names = path.split('.')
  if (names.length > maximumPathDepth || !names.every(isName))
    return { path, violation: webhookProblems.include_fields.at(at, { path: shortened(path) }) }
  const { current, knownNames, misnamed } = currentPath(names, startOf(topic), dialect)
  if (misnamed) {
    const values = { ...misnamed, version: dialect.version.name }
    return { path, violation: versionProblems.renamed_property.at(at, values) }
  }
  return { path: current.join('.'), ...(knownNames && { unknown: { at, path, known: knownNames } }) }
}

/** A path in current names as far as its names exist. The rest stays as it was written, and selects nothing. */
type CurrentPath = {
  readonly current: Names
  readonly knownNames?: readonly string[]
  readonly misnamed?: { readonly name: string; readonly rightName: string }
}

function currentPath(names: Names, place: Place, dialect: ApiVersion): CurrentPath {
  const [name, ...rest] = names
  if (name === undefined) return { current: [] }
  const behind = (currentName: string): CurrentPath => {
    const path = currentPath(rest, below(place, currentName), dialect)
    return { ...path, current: [currentName, ...path.current] }
  }
  if (name === '*' || everywhere.has(name)) return behind(name)
  const knowing = place.shapes.filter((shape) => Object.hasOwn(shownIn(shape, dialect), name))
  const shape = knowing.find(({ type }) => dialect.renames.has(type)) ?? knowing[0]
  if (shape) {
    const currentName = dialect.currentNames.get(shape.type)?.get(name) ?? name
    return shape.properties[currentName]?.of ? behind(currentName) : { current: [currentName, ...rest] }
  }
  const [rightName] = place.shapes.flatMap(({ type }) => dialect.wrongNames.get(type)?.get(name) ?? [])
  if (rightName !== undefined) return { current: names, misnamed: { name, rightName } }
  if (place.open) return behind(name)
  return { current: names, knownNames: place.shapes.flatMap((each) => Object.keys(shownIn(each, dialect))) }
}

/** The properties that documents of a type show in a version. */
function shownIn(shape: Shape, dialect: ApiVersion): Shape['properties'] {
  const properties = Object.entries(propertiesByName(shape, dialect))
  return Object.fromEntries(properties.filter(([, { writeOnly }]) => !writeOnly))
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
  return path.length > 100 ? `${truncate(path, 100).toWellFormed()}…` : path.toWellFormed()
}
