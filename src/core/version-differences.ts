import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { type Difference, differencesBetween } from './patch.ts'
import type { Shape } from './property.ts'
import { spokenIn } from './spoken.ts'
import type { Dialect } from './version.ts'
import { objectIn, propertyIn } from './versioned.ts'
import { pathSegments } from './violations.ts'

/**
 * A difference between two states of a document as a version tells it: of what is apart there, several. Within lists and other resources the path alone
 * is translated.
 */
export function differencesIn(
  difference: Difference,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
): Difference[] {
  if (!dialect.breakingChanges.has(shape.type)) return [difference]
  const spoken = spokenIn(dialect, shape, shapes)
  const path = pathSegments(difference.path)
  const names = path.filter((each) => typeof each === 'string')
  const [head = ''] = names
  const isWithin =
    names.length < path.length ||
    difference.path.includes('"') ||
    (names.length > 1 && isResource(head, shape))
  if (difference.omitted || isWithin) return [{ ...difference, path: spoken(difference.path) }]
  const isWhole = names.length === 1
  const side = (value: Json) =>
    names.length === 0
      ? objectIn(placed(names, value), shape, dialect)
      : propertyIn(placed(names, value), shape, dialect, { isWhole })
  return differencesBetween(side(difference.before), side(difference.after))
}

const isResource = (name: string, { properties }: Shape) =>
  Object.hasOwn(properties, name) && properties[name]?.of !== null

function placed([head, ...below]: readonly string[], value: Json): JsonObject {
  const inner = below.length === 0 ? value : placed(below, value)
  return head === undefined ? (isJsonObject(value) ? value : {}) : { [head]: inner }
}
