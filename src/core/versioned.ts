/** Documents and bodies between today's shape and a version's: every object by the breaking changes of its type. */
import type { Rung } from './breaking-change.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member, setMember } from './json.ts'
import { ladderOf, shapeIn } from './ladder.ts'
import type { Violation } from './problem.ts'
import { validationProblems, versionProblems } from './problems/index.ts'
import { holdersOf, type Shape } from './property.ts'
import type { Unwritten } from './unwritten.ts'
import type { Dialect } from './version.ts'
import { translatePath } from './version-path.ts'
import { down, downPart, type Misfit, type Purpose, places, up } from './versioned-object.ts'
import { choicesAt } from './versioned-schema.ts'
import { mostCounted, type Path, pathText, violationsOf } from './violations.ts'

type Shapes = ReadonlyMap<string, Shape>

/** Renders a document in a version: walks it by `@type`, leaves first. */
export function downgrade(node: Json, dialect: Dialect, shapes: Shapes): Json {
  if (isJsonArray(node)) return node.map((each) => downgrade(each, dialect, shapes))
  return isJsonObject(node) ? membersIn(node, dialect, shapes) : node
}

/** Renders a document's object in a version. */
export function membersIn(node: JsonObject, dialect: Dialect, shapes: Shapes): JsonObject {
  const members: Record<string, Json> = {}
  for (const [name, value] of Object.entries(node))
    setMember(members, name, downgrade(value, dialect, shapes))
  const shape = typeof node['@type'] === 'string' ? shapes.get(node['@type']) : undefined
  return shape ? objectIn(partsIn(members, shape, dialect), shape, dialect) : members
}

/** The members of an object, of which those that hold parts of others by a key have these in a version. */
function partsIn(members: JsonObject, shape: Shape, dialect: Dialect): JsonObject {
  const holding = holdersOf(shape).flatMap(([name, partsOf]) => {
    const parts = member(members, name)
    if (!isJsonObject(parts)) return []
    const spoken = Object.entries(parts).map(([key, part]) => [
      key,
      isJsonObject(part) ? propertyIn(part, partsOf.shape, dialect, { isWhole: false }) : part,
    ])
    return [[name, Object.fromEntries(spoken)] as const]
  })
  return holding.length === 0 ? members : { ...members, ...Object.fromEntries(holding) }
}

/** Members of an object of a type, whose values are in a version already, as the version has them. */
export function objectIn(members: JsonObject, shape: Shape, dialect: Dialect): JsonObject {
  return ladderOf(shape, dialect).reduce(down, members)
}

/** The same of one property or a part of it. What is a part, or becomes one by a move, is nothing that another property follows from. */
export function propertyIn(
  members: JsonObject,
  shape: Shape,
  dialect: Dialect,
  { isWhole }: { isWhole: boolean },
): JsonObject {
  const ladder = ladderOf(shape, dialect)
  const apart = ladder.findIndex(({ pairs }) => pairs.some(({ before }) => before.length > 1))
  const whole = isWhole ? (apart < 0 ? ladder.length : apart + 1) : 0
  return ladder.slice(whole).reduce(downPart, ladder.slice(0, whole).reduce(down, members))
}

/** A written body in today's shape, and what its version does not take, by the paths as the caller wrote them. */
export type Upgraded = {
  readonly body: Json
  readonly violations: readonly Violation[]
  /** What today's shape has no more, and its version showed without taking it. */
  readonly passedOver: readonly Unwritten[]
}

/** Reads a written body from a version into today's shape. */
export function upgrade(
  body: Json,
  shape: Shape,
  shapes: Shapes,
  dialect: Dialect,
  mode: 'create' | 'patch',
): Upgraded {
  const violations: Violation[] = []
  const passedOver: Unwritten[] = []
  // As nearly all are: nothing in it has to be made anew.
  if (dialect.breakingChanges.size === 0) {
    findMisnamed(body, shape, { shapes, dialect, violations }, [])
    return { body, violations, passedOver }
  }
  const found = (each: Violation) => {
    if (violations.length < mostCounted) violations.push(each)
  }
  const walk = (node: Json, of: Shape | undefined, path: Path, purpose: Purpose): Json => {
    if (isJsonArray(node)) return node.map((each, index) => walk(each, of, [...path, index], purpose))
    if (!isJsonObject(node) || !of) return node
    for (const each of misnamed(node, of, dialect)) found(namedAs(each, path, dialect))
    const today = upgradedObject(node, of, dialect, purpose, {
      violation: (each) => found(each(path)),
      removed: (place, value) => passedOver.push(removedAt([...path, ...place], value, node)),
    })
    const members: Record<string, Json> = {}
    for (const [name, value] of Object.entries(today)) {
      const property = member(of.properties, name)
      const nested = property?.of ? shapes.get(property.of) : undefined
      const within: Purpose = purpose === 'create' && property?.writable === 'create' ? 'create' : 'reference'
      const at = nested ? [...path, ...translatePath([name], of, shapes, dialect, 'version')] : path
      const parts = property?.partsOf
      if (parts && isJsonObject(value))
        setMember(members, name, walkParts(value, parts.shape, [...path, name]))
      else setMember(members, name, nested ? walk(value, nested, at, within) : value)
    }
    return members
  }
  const walkParts = (parts: JsonObject, of: Shape, path: Path): JsonObject =>
    Object.fromEntries(
      Object.entries(parts).map(([key, part]) => [key, walk(part, of, [...path, key], 'reference')]),
    )
  return { body: walk(body, shape, [], mode), violations, passedOver }
}

type Misnaming = { readonly shapes: Shapes; readonly dialect: Dialect; readonly violations: Violation[] }

/** Finds what a body in today's shape has by the name of another version, in all that it holds. */
function findMisnamed(node: Json, shape: Shape, of: Misnaming, path: Path): void {
  if (node === null || typeof node !== 'object') return
  if (isJsonArray(node)) {
    for (const [index, each] of node.entries()) findMisnamed(each, shape, of, [...path, index])
    return
  }
  for (const each of misnamed(node, shape, of.dialect)) {
    if (of.violations.length < mostCounted) of.violations.push(namedAs(each, path, of.dialect))
  }
  for (const [name, value] of Object.entries(node)) {
    if (value === null || typeof value !== 'object') continue
    const { of: type = null, partsOf } = member(shape.properties, name) ?? {}
    const nested = type === null ? undefined : of.shapes.get(type)
    if (partsOf && isJsonObject(value)) {
      for (const [key, part] of Object.entries(value))
        findMisnamed(part, partsOf.shape, of, [...path, name, key])
    } else if (nested) findMisnamed(value, nested, of, [...path, name])
  }
}

function removedAt(path: Path, value: Json, node: JsonObject): Unwritten {
  const iri = member(node, '@id')
  const told = { path, readOnly: true, removed: true, value } as const
  return typeof iri === 'string' ? { ...told, beside: iri } : told
}

/** Who is told what is found in an object, by its place within that. */
type Finds = {
  readonly violation: (violation: (base: Path) => Violation) => void
  readonly removed: (place: Path, value: Json) => void
}

/** One object through every breaking change of its type, the oldest first. */
function upgradedObject(
  object: JsonObject,
  shape: Shape,
  dialect: Dialect,
  purpose: Purpose,
  found: Finds,
): JsonObject {
  const ladder = ladderOf(shape, dialect)
  let body = object
  for (const [at, rung] of [...ladder.entries()].toReversed()) {
    const risen = up(body, rung, purpose)
    const placed = (path: Path) => ladder.slice(at + 1).reduce(placeBefore, path)
    for (const misfit of risen.misfits) {
      for (const each of violationsAt(misfit, placed(misfit.path), shapeIn(shape, dialect)))
        found.violation(each)
    }
    for (const name of risen.passedOver) found.removed(placed([name]), body[name] ?? null)
    body = risen.body
  }
  return body
}

function placeBefore(path: Path, { pairs, before }: Rung): Path {
  return places(pairs, path, 'before', before.properties)[0] ?? path
}

function violationsAt(misfit: Misfit, place: Path, shape: Shape): ((base: Path) => Violation)[] {
  if ('error' in misfit) {
    return violationsOf(misfit.error).map((each) => (base) => ({
      ...each,
      propertyPath: joined(pathText([...base, ...place]), each.propertyPath),
    }))
  }
  const [head = '', ...below] = place.filter((each) => typeof each === 'string')
  const { schema } = shape.properties[head] ?? {}
  const choices = schema ? choicesAt(schema, below).join(', ') : ''
  return [(base) => validationProblems.choice.at(pathText([...base, ...place]), { choices })]
}

const joined = (base: string, path: string) =>
  path === '' || path.startsWith('[') ? `${base}${path}` : `${base}.${path}`

type Misnamed = { readonly wrong: readonly string[]; readonly right: readonly string[] }

/** The members that an object has where another version has them. */
function misnamed(object: JsonObject, shape: Shape, dialect: Dialect): Misnamed[] {
  const { properties } = shapeIn(shape, dialect)
  const places = dialect.wrongPlaces.get(shape.type) ?? []
  return places.filter(({ wrong }) => {
    const [head = ''] = wrong
    if (wrong.length === 1 && Object.hasOwn(properties, head)) return false
    return isThere(object, wrong)
  })
}

function isThere(object: JsonObject, [head = '', ...below]: readonly string[]): boolean {
  if (!Object.hasOwn(object, head)) return false
  const value = object[head]
  return below.length === 0 || (isJsonObject(value) && isThere(value, below))
}

function namedAs({ wrong, right }: Misnamed, path: Path, { version }: Dialect): Violation {
  const [name, rightName] = [pathText(wrong), pathText(right)]
  return versionProblems.renamed_property.at(pathText([...path, ...wrong]), {
    name,
    rightName,
    version: version.name,
  })
}
