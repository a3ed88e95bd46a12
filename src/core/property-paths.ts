import * as z from 'zod'
import { member } from './json.ts'
import { anyType, type Property, type Shape } from './schema.ts'
import { type ApiVersion, propertiesByName } from './versions.ts'
import { elementOf, membersOf, metaOf, within } from './zod.ts'

type Names = readonly string[]
type Shapes = ReadonlyMap<string, Shape>

/**
 * The position of a path prefix: in objects of these shapes, or (`open`) in an object with undeclared names.
 */
export type Position = { readonly shapes: readonly Shape[]; readonly open: boolean }

/** A path in current names as far as its names exist. The rest stays unchanged and selects nothing. */
type CurrentPath = {
  readonly current: Names
  /** The first unknown name, and the names at that place. */
  readonly unknown?: { readonly name: string; readonly knownNames: Names }
  readonly misnamed?: { readonly name: string; readonly rightName: string }
}

/** Resolves a path in the names of a version. Properties whose objects have none of these shapes are unknown. */
export function currentPath(
  names: Names,
  position: Position,
  shapes: Shapes,
  apiVersion: ApiVersion,
): CurrentPath {
  const [name, ...rest] = names
  if (name === undefined) return { current: [] }
  const continueAfter = (currentName: string): CurrentPath => {
    const path = currentPath(rest, positionBelow(position, currentName, shapes), shapes, apiVersion)
    return { ...path, current: [currentName, ...path.current] }
  }
  if (name === '*' || universalNames.has(name)) return continueAfter(name)
  const matchingShapes = position.shapes.filter((shape) => {
    const property = member(propertiesByName(shape, apiVersion), name)
    return property && isInDocuments(property, shapes)
  })
  const shape = matchingShapes.find(({ type }) => apiVersion.renames.has(type)) ?? matchingShapes[0]
  if (shape) {
    const currentName = apiVersion.currentNames.get(shape.type)?.get(name) ?? name
    const property = shape.properties[currentName]
    if (!property || property.objectType) return continueAfter(currentName)
    return { current: [currentName, ...rest], ...unknownIn(property.schema, rest) }
  }
  const [rightName] = position.shapes.flatMap(({ type }) => apiVersion.wrongNames.get(type)?.get(name) ?? [])
  if (rightName !== undefined) return { current: names, misnamed: { name, rightName } }
  if (position.open) return continueAfter(name)
  const knownNames = position.shapes.flatMap((each) =>
    Object.entries(propertiesByName(each, apiVersion)).flatMap(([known, property]) =>
      isInDocuments(property, shapes) ? known : [],
    ),
  )
  return { current: names, unknown: { name, knownNames } }
}

/** The first name of a path that the objects of a value, or of a list of values, do not have. */
function unknownIn(schema: z.ZodType, [name, ...rest]: Names): Pick<CurrentPath, 'unknown'> {
  const inner = metaOf(schema).shown ?? within(schema) ?? (schema instanceof z.ZodArray && elementOf(schema))
  if (name === undefined) return {}
  if (inner) return unknownIn(inner, inner instanceof z.ZodObject && name === '*' ? rest : [name, ...rest])
  if (!(schema instanceof z.ZodObject) || name === '*') return {}
  const members = membersOf(schema)
  const next = member(members, name)
  return next ? unknownIn(next, rest) : { unknown: { name, knownNames: Object.keys(members) } }
}

function isInDocuments({ writeOnly, objectType }: Property, shapes: Shapes): boolean {
  return !writeOnly && (objectType === null || objectType === anyType || shapes.has(objectType))
}

const universalNames: ReadonlySet<string> = new Set(['@context', '@id', '@type', 'id', 'fallbacks'])

/** The position below a name at a position. */
export function positionBelow({ shapes, open }: Position, name: string, known: Shapes): Position {
  const properties = shapes.flatMap((shape) =>
    Object.entries(shape.properties).flatMap(([propertyName, property]) =>
      name === '*' || name === propertyName ? [property] : [],
    ),
  )
  const embeddedShapes = properties.flatMap(({ objectType }) =>
    objectType === null ? [] : (known.get(objectType) ?? []),
  )
  // An array element has the same position as its array.
  if (name === '*') return { shapes: [...new Set([...shapes, ...embeddedShapes])], open: true }
  return {
    shapes: [...new Set(embeddedShapes)],
    open: open || embeddedShapes.length < properties.length || embeddedShapes.length === 0,
  }
}
