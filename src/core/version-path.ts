/** Paths and texts of documents between today's names and a version's. */

import { member } from './json.ts'
import { ladderOf } from './ladder.ts'
import type { Shape } from './property.ts'
import type { Dialect } from './version.ts'
import { places } from './versioned-object.ts'

type Path = readonly (string | number)[]
type Direction = 'today' | 'version'

/** Translates a path of property names between a version and today, in the direction of `to`. */
export function translatePath(
  path: Path,
  shape: Shape | undefined,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
  to: Direction,
): (string | number)[] {
  return [...(translatedPaths(path, shape, shapes, dialect, to)[0] ?? path)]
}

/** The same, of what holds several members on this side that are apart on the other: all of their paths. */
export function translatedPaths(
  path: Path,
  shape: Shape | undefined,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
  to: Direction,
): Path[] {
  const start = path.findIndex((each) => !isElement(each))
  if (!shape || dialect.breakingChanges.size === 0 || start < 0) return [path]
  const [elements, names] = [path.slice(0, start), path.slice(start)]
  const found = acrossAll(to === 'today' ? names : [names[0] ?? ''], shape, dialect, to)
  const own = to === 'today' ? found : acrossAll(names, shape, dialect, to)
  const all = own.flatMap((translated) => {
    // What lies below a property that holds another resource is in the names of that one.
    const today = to === 'today' ? translated[0] : names[0]
    const property = member(shape.properties, String(today))
    if (property?.partsOf) {
      const [head = '', key = '', ...below] = translated
      if (below.length === 0) return [translated]
      return translatedPaths(below, property.partsOf.shape, shapes, dialect, to).map((each) => [
        head,
        key,
        ...each,
      ])
    }
    const nested = property?.of ? shapes.get(property.of) : undefined
    if (!nested) return [translated]
    const [head = '', ...below] = translated
    return translatedPaths(below, nested, shapes, dialect, to).map((each) => [head, ...each])
  })
  return all.map((each) => [...elements, ...each])
}

const isElement = (segment: string | number) => typeof segment === 'number' || segment === '*'

/** A path through every breaking change of one type. */
function acrossAll(path: Path, shape: Shape, dialect: Dialect, to: Direction): Path[] {
  const ladder = ladderOf(shape, dialect)
  const rungs = to === 'today' ? ladder.toReversed() : ladder
  return rungs.reduce<Path[]>(
    (paths, { pairs, after, before }) =>
      paths.flatMap((each) =>
        to === 'today'
          ? places(pairs, each, 'after', after.properties)
          : places(pairs, each, 'before', before.properties),
      ),
    [path],
  )
}

/** A text that stands at a path of today's, as a version calls it. */
export function spokenText(
  text: string,
  path: Path,
  shape: Shape | undefined,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
): string {
  if (!shape || dialect.breakingChanges.size === 0) return text
  const names = path.filter((each) => !isElement(each)).map(String)
  const [head = '', ...below] = names
  const property = member(shape.properties, head)
  if (property?.partsOf) return spokenText(text, below.slice(1), property.partsOf.shape, shapes, dialect)
  const nested = below.length > 0 && property?.of ? shapes.get(property.of) : undefined
  if (nested) return spokenText(text, below, nested, shapes, dialect)
  let at: Path = names
  let spoken = text
  for (const { breakingChange, pairs, before } of ladderOf(shape, dialect)) {
    const values = breakingChange.values?.[at.join('.')]
    spoken = (values && member(values, spoken)) ?? spoken
    at = places(pairs, at, 'before', before.properties)[0] ?? at
  }
  return spoken
}
