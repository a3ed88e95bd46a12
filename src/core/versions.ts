/**
 * API versions. The code has one shape, the current one. A version renames properties of some types, and everything that
 * its callers read and write is translated here. A breaking change that is no rename needs a pair of functions for its
 * `@type`, called in `objectToVersion` and `fromVersion`.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from './json.ts'
import type { Difference } from './patch.ts'
import { Problem, type Violation } from './problem.ts'
import { versionProblems } from './problems/validation.ts'
import type { Property, Shape } from './schema.ts'
import { maximumViolations, type Path, pathSegments, pathText } from './violations.ts'

/** One breaking change: properties of one `@type` that have another name. */
type BreakingChange = {
  /** Begins with a verb: what an integrator has to do. */
  readonly description: string
  readonly type: string
  /** The name since this version → the name before. */
  readonly renames: Readonly<Record<string, string>>
}

/** One dated version of the API. */
export type Version = {
  readonly name: string
  /** ISO dates; null for the rolling version. */
  readonly released: string | null
  readonly sunset: string | null
  /** The changes since the version before. */
  readonly breakingChanges: readonly BreakingChange[]
}

type NamesByType = ReadonlyMap<string, ReadonlyMap<string, string>>
type Shapes = ReadonlyMap<string, Shape>

/** The names that a version uses. A type without renamed properties has no entry. */
export type ApiVersion = {
  readonly version: Version
  readonly deprecated: boolean
  /** `@type` → current name → name in this version, for names that differ. */
  readonly renames: NamesByType
  /** `@type` → name in this version → current name, for names that differ. */
  readonly currentNames: NamesByType
  /** `@type` → a name that only other versions use → the name in this version. */
  readonly wrongNames: NamesByType
  /** All API versions by name. */
  readonly all: ReadonlyMap<string, ApiVersion>
}

type RenamedProperty = {
  readonly type: string
  readonly currentName: string
  /** The name in each version, oldest first. */
  readonly names: string[]
}

/** Builds the names of each version. `versions` are ordered oldest first; `current` is the newest stable one. */
export function buildApiVersions(
  versions: readonly Version[],
  current: string,
): ReadonlyMap<string, ApiVersion> {
  const properties = renamedProperties(versions)
  const apiVersions = new Map<string, ApiVersion>()
  for (const [index, version] of versions.entries()) {
    const names = properties.map(({ type, currentName, names }) => {
      const name = names[index] ?? currentName
      return { type, currentName, name, otherNames: names.filter((otherName) => otherName !== name) }
    })
    const renamed = names.filter(({ name, currentName }) => name !== currentName)
    apiVersions.set(version.name, {
      version,
      deprecated: version.name !== current && version.released !== null,
      renames: byType(renamed.map(({ type, name, currentName }) => [type, currentName, name])),
      currentNames: byType(renamed.map(({ type, name, currentName }) => [type, name, currentName])),
      wrongNames: byType(
        names.flatMap(({ type, name, otherNames }) =>
          otherNames.map((candidate): [string, string, string] => [type, candidate, name]),
        ),
      ),
      all: apiVersions,
    })
  }
  return apiVersions
}

/** Follows each renamed property from the newest version to the oldest. */
function renamedProperties(versions: readonly Version[]): RenamedProperty[] {
  const properties: RenamedProperty[] = []
  for (const [index, { breakingChanges }] of [...versions.entries()].toReversed()) {
    for (const { type, renames } of breakingChanges) {
      for (const [name, nameBefore] of Object.entries(renames)) {
        let property = properties.find(
          (otherName) => otherName.type === type && otherName.names[index] === name,
        )
        if (!property) {
          property = { type, currentName: name, names: versions.map(() => name) }
          properties.push(property)
        }
        property.names.fill(nameBefore, 0, index)
      }
    }
  }
  return properties
}

function byType(names: readonly (readonly [type: string, from: string, to: string])[]): NamesByType {
  return new Map(
    [...Map.groupBy(names, ([type]) => type)].map(([type, entries]) => [
      type,
      new Map(entries.map(([, from, to]) => [from, to])),
    ]),
  )
}

/** A document in the names of a version: every object by its `@type`. */
export function toVersion(node: Json, apiVersion: ApiVersion): Json {
  if (isJsonArray(node)) return node.map((element) => toVersion(element, apiVersion))
  return isJsonObject(node) ? objectToVersion(node, apiVersion) : node
}

/** An object of a document in the names of a version. */
export function objectToVersion(object: JsonObject, apiVersion: ApiVersion): JsonObject {
  const names = apiVersion.renames.get(String(object['@type']))
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names?.get(name) ?? name, toVersion(value, apiVersion)]),
  )
}

/** A body in current names, and a violation for each name that only another version uses; paths are the caller's. */
export function fromVersion(
  body: Json,
  shape: Shape,
  shapes: Shapes,
  apiVersion: ApiVersion,
): { body: Json; violations: Violation[] } {
  const violations: Violation[] = []
  const read = (node: Json, nodeShape: Shape | undefined, path: Path): Json => {
    if (isJsonArray(node)) return node.map((element, index) => read(element, nodeShape, [...path, index]))
    if (!isJsonObject(node) || !nodeShape) return node
    const wrongNames = apiVersion.wrongNames.get(nodeShape.type)
    const currentNames = apiVersion.currentNames.get(nodeShape.type)
    const members = Object.entries(node).map(([name, value]) => {
      const rightName = wrongNames?.get(name)
      if (rightName !== undefined && violations.length < maximumViolations) {
        const values = { name, rightName, version: apiVersion.version.name }
        violations.push(versionProblems.renamed_property.at(pathText([...path, name]), values))
      }
      const currentName = currentNames?.get(name) ?? name
      if (value === null || typeof value !== 'object') return [currentName, value] as const
      return [
        currentName,
        read(value, embeddedShape(nodeShape, currentName, shapes), [...path, name]),
      ] as const
    })
    return Object.fromEntries(members)
  }
  return { body: read(body, shape, []), violations }
}

function embeddedShape(shape: Shape, name: string, shapes: Shapes): Shape | undefined {
  const type = member(shape.properties, name)?.objectType
  return type ? shapes.get(type) : undefined
}

/** A type's properties by their names in a version. */
export function propertiesByName(shape: Shape, apiVersion: ApiVersion): Readonly<Record<string, Property>> {
  const names = apiVersion.renames.get(shape.type)
  if (!names) return shape.properties
  return Object.fromEntries(
    Object.entries(shape.properties).map(([name, property]) => [names.get(name) ?? name, property]),
  )
}

/** Translates the path of a violation or a change into the names of a caller's version. */
export type PathTranslator = (path: string) => string

/**
 * Translates paths into documents of a shape into a version's names. A string that is no path, such as a parameter's
 * name, is unchanged.
 */
export function pathTranslator(apiVersion: ApiVersion, shape: Shape, shapes: Shapes): PathTranslator {
  return (path) => {
    if (apiVersion.renames.size === 0) return path
    const segments = pathSegments(path)
    if (pathText(segments) !== path) return path
    let currentShape: Shape | undefined = shape
    const translated = segments.map((segment) => {
      if (typeof segment === 'number' || !currentShape) return segment
      const name = apiVersion.renames.get(currentShape.type)?.get(segment) ?? segment
      currentShape = embeddedShape(currentShape, segment, shapes)
      return name
    })
    return pathText(translated)
  }
}

/** A violation with its path in the caller's version. */
export function translateViolation(violation: Violation, translate: PathTranslator): Violation {
  return { ...violation, propertyPath: translate(violation.propertyPath) }
}

/** An error with the paths of its violations in the caller's version. Other errors are returned unchanged. */
export function translateError(error: unknown, translate: PathTranslator): unknown {
  if (!(error instanceof Problem) || !error.extras.violations) return error
  const violations = error.extras.violations.map((violation) => translateViolation(violation, translate))
  return new Problem(error.kind, error.values, { ...error.extras, violations })
}

/** A difference with its path, and the members of its values, in a version's names. */
export function differenceToVersion(
  difference: Difference,
  shape: Shape,
  shapes: Shapes,
  apiVersion: ApiVersion,
): Difference {
  if (!apiVersion.renames.has(shape.type)) return difference
  const path = pathTranslator(apiVersion, shape, shapes)(difference.path)
  return {
    path,
    before: toVersion(difference.before, apiVersion),
    after: toVersion(difference.after, apiVersion),
    ...(difference.omitted && { omitted: true }),
  }
}
