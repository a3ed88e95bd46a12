/**
 * `includeFields` contains dot paths into a topic's documents. Requests and responses use the names of the
 * subscription's version. The database stores current names, so changing the pinned version never changes the
 * selection.
 */

import type { Violation } from '../../../core/problem.ts'
import { versionProblems } from '../../../core/problems/validation.ts'
import { currentPath, type Position, positionBelow } from '../../../core/property-paths.ts'
import type { Shape } from '../../../core/schema.ts'
import { maximumPathDepth } from '../../../core/select.ts'
import { truncate } from '../../../core/sizes.ts'
import type { ApiVersion } from '../../../core/versions.ts'
import { eventKinds, kindOf, topicsMatching } from '../../events/topics.ts'
import { webhookProblems } from '../problems.ts'

/** A path that matches no member of its topic's documents. */
export type UnknownPath = {
  readonly at: string
  readonly path: string
  /** Its first unknown name, and the names at that place. */
  readonly name: string
  readonly knownNames: readonly string[]
}

/**
 * Converts paths of a version to current names. Returns the paths without a matching member and the
 * violations of malformed ones.
 */
export function parsePaths(
  paths: readonly string[],
  topic: PathTopic,
  apiVersion: ApiVersion,
): { paths: string[]; unknown: UnknownPath[]; violations: Violation[] } {
  const parsedPaths = paths.map((path, index) =>
    parsePath(path, `includeFields[${index}]`, topic, apiVersion),
  )
  return {
    paths: [...new Set(parsedPaths.map(({ path }) => path))],
    unknown: parsedPaths.flatMap(({ unknown }) => unknown ?? []),
    violations: parsedPaths.flatMap(({ violation }) => violation ?? []),
  }
}

/** The topic whose documents paths select from. Without a topic, a path may match documents of any type. */
type PathTopic = string | null | undefined

/** Stored paths in the names of a version. */
export function pathsToVersion(paths: readonly string[], topic: PathTopic, apiVersion: ApiVersion): string[] {
  return translatePaths(paths, startPosition(topic), apiVersion)
}

/** Stored paths into documents of one shape, in the names of a version. */
export function shapePathsToVersion(
  paths: readonly string[],
  shape: Shape,
  apiVersion: ApiVersion,
): string[] {
  return translatePaths(paths, { shapes: [shape], open: false }, apiVersion)
}

function translatePaths(paths: readonly string[], position: Position, apiVersion: ApiVersion): string[] {
  return [...new Set(paths.map((path) => translateNames(path.split('.'), position, apiVersion).join('.')))]
}

type Names = readonly string[]

function translateNames([name, ...rest]: Names, position: Position, apiVersion: ApiVersion): Names {
  if (name === undefined) return []
  const renaming = position.shapes.find(({ type }) => apiVersion.renames.get(type)?.has(name))
  const translated = renaming && apiVersion.renames.get(renaming.type)?.get(name)
  return [
    translated ?? name,
    ...translateNames(rest, positionBelow(position, name, shapesByType), apiVersion),
  ]
}

function parsePath(
  path: string,
  at: string,
  topic: PathTopic,
  apiVersion: ApiVersion,
): { path: string; unknown?: UnknownPath; violation?: Violation } {
  const names = path.split('.')
  if (names.length > maximumPathDepth || !names.every(isName))
    return { path, violation: webhookProblems.include_fields.at(at, { path: shortenPath(path) }) }
  const { current, unknown, misnamed } = currentPath(names, startPosition(topic), shapesByType, apiVersion)
  if (misnamed) {
    const values = { ...misnamed, version: apiVersion.version.name }
    return { path, violation: versionProblems.renamed_property.at(at, values) }
  }
  return { path: current.join('.'), ...(unknown && { unknown: { at, path, ...unknown } }) }
}

const shapesByType = new Map(Object.values(eventKinds).map(({ shape }) => [shape.type, shape]))

function startPosition(topic: PathTopic): Position {
  const topicKinds = topicsMatching(topic ?? '*').map(kindOf)
  const shapes = topicKinds.flatMap((kind) => kind?.shape ?? [])
  return { shapes: [...new Set(shapes)], open: shapes.length < topicKinds.length }
}

/** Whether a text is a name that Postgres can store, or `*`. */
function isName(text: string): boolean {
  return text === '*' || (/^[^\s*[\]"\\\p{Cc}]{1,255}$/u.test(text) && text.isWellFormed())
}

/** A path, shortened for a message. */
export function shortenPath(path: string): string {
  return path.length > 100 ? `${truncate(path, 100).toWellFormed()}…` : path.toWellFormed()
}
