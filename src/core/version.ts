/**
 * API versions: business code has one shape, today's. What an older version shows and accepts is derived here from
 * the dated changes in `versions/`.
 */
import { isJsonObject, type Json } from './json.ts'
import type { Shape } from './property.ts'

/** One breaking change, for one `@type`. */
type Change = {
  /** Begins with a verb: what an integrator has to do differently. */
  readonly description: string
  readonly type: string
  /** Today's name → the name before this change. */
  readonly renames: Readonly<Record<string, string>>
}

/** One dated version of the API. */
export type Version = {
  readonly name: string
  /** ISO dates; null for the rolling version. */
  readonly released: string | null
  readonly sunset: string | null
  /** What broke with this version, against the one before. */
  readonly changes: readonly Change[]
}

/** What separates a version from today's shape. */
export type Dialect = {
  readonly version: Version
  readonly deprecated: boolean
  /** `@type` → today's name → the name in this version. Empty where nothing differs. */
  readonly renames: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** `@type` → a name that this version does not know → the one that it does. */
  readonly wrongNames: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The dialect of each version of a list that is ordered oldest first. */
export function dialectsOf(versions: readonly Version[], current: string): ReadonlyMap<string, Dialect> {
  return new Map(
    versions.map((version, index) => {
      const renames = new Map<string, Map<string, string>>()
      const wrongNames = new Map<string, Map<string, string>>()
      for (const [at, other] of versions.entries()) {
        for (const { type, renames: pairs } of other.changes) {
          for (const [now, before] of Object.entries(pairs)) {
            const known = at > index ? before : now
            const unknown = at > index ? now : before
            if (at > index) set(renames, type, now, before)
            set(wrongNames, type, unknown, known)
          }
        }
      }
      const deprecated = version.name !== current && version.released !== null
      return [version.name, { version, deprecated, renames, wrongNames }]
    }),
  )
}

function set(maps: Map<string, Map<string, string>>, type: string, key: string, value: string): void {
  const names = maps.get(type) ?? new Map()
  names.set(key, value)
  maps.set(type, names)
}

/** Renders a document in a version: walks it by `@type`, leaves first. */
export function downgrade(node: Json, dialect: Dialect): Json {
  if (Array.isArray(node)) return node.map((each) => downgrade(each, dialect))
  if (!isJsonObject(node)) return node
  const names = typeof node['@type'] === 'string' ? dialect.renames.get(node['@type']) : undefined
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [names?.get(name) ?? name, downgrade(value, dialect)]),
  )
}

/** How many wrong names are told. */
const mostMisnamed = 1000

/** A name that a body has and its version does not. */
export type Misnamed = {
  readonly path: readonly (string | number)[]
  readonly name: string
  readonly rightName: string
}

/**
 * Reads a written body from a version into today's names. Names of another version's are reported in `misnamed`, with
 * their paths as the caller wrote them.
 */
export function upgrade(
  body: Json,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
): { body: Json; misnamed: Misnamed[] } {
  const misnamed: Misnamed[] = []
  const walk = (node: Json, of: Shape | undefined, path: readonly (string | number)[]): Json => {
    if (Array.isArray(node)) return node.map((each, index) => walk(each, of, [...path, index]))
    if (!isJsonObject(node) || !of) return node
    const wrong = dialect.wrongNames.get(of.type)
    const today = new Map([...(dialect.renames.get(of.type) ?? [])].map(([now, before]) => [before, now]))
    const upgraded: Record<string, Json> = {}
    for (const [name, value] of Object.entries(node)) {
      const rightName = wrong?.get(name)
      if (rightName !== undefined && misnamed.length < mostMisnamed)
        misnamed.push({ path: [...path, name], name, rightName })
      const target = today.get(name) ?? name
      const nested = of.properties[target]?.of
      define(upgraded, target, walk(value, nested ? shapes.get(nested) : undefined, [...path, name]))
    }
    return upgraded
  }
  return { body: walk(body, shape, []), misnamed }
}

/** Translates a path of property names between a version and today, in the direction of `to`. */
export function translatePath(
  path: readonly (string | number)[],
  shape: Shape | undefined,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
  to: 'today' | 'version',
): (string | number)[] {
  let of = shape
  return path.map((segment) => {
    if (typeof segment === 'number' || segment === '*' || !of) return segment
    const pairs = [...(dialect.renames.get(of.type) ?? [])]
    const today = to === 'today' ? (pairs.find(([, before]) => before === segment)?.[0] ?? segment) : segment
    const spoken = to === 'version' ? (dialect.renames.get(of.type)?.get(segment) ?? segment) : today
    const nested = of.properties[today]?.of
    of = nested ? shapes.get(nested) : undefined
    return spoken
  })
}

function define(object: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/** An own member by its name, whatever the name is. */
export function member<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
