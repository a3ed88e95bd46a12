import type { Json, JsonObject } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { anyType, type Shape } from '../core/property.ts'
import { entrypointType } from './entrypoint.ts'
import { constraintViolationShape, errorShape, problemShapes } from './problem-shapes.ts'
import { collectionsIn, memberName, type Publication, propertiesIn } from './publication.ts'
import { propertyTerm, typesIn } from './terms.ts'
import { listTerms, prefixes } from './vocabulary.ts'

/**
 * The JSON-LD context of a type, with absolute IRIs on the host asked; null for an unknown type. What is embedded has the
 * terms of its own type (JSON-LD 1.1 §4.1.9), so that the title of a category is not the title of its product.
 */
export function contextOf(type: string, publication: Publication): JsonObject | null {
  const { resources } = publication
  if (type === entrypointType) return entrypointContext(publication)
  const shape = [...resources.map((each) => each.shape), ...problemShapes].find((each) => each.type === type)
  if (!shape) return null
  const embedded = shape === errorShape ? [constraintViolationShape] : embeddedIn(shape, resources)
  return {
    ...baseOf(publication),
    ...termsOf(shape, publication),
    ...listTerms,
    ...Object.fromEntries(
      embedded.map((each) => [each.type, { '@id': each.type, '@context': termsOf(each, publication) }]),
    ),
  }
}

function baseOf({ origin }: Publication): JsonObject {
  return { '@version': 1.1, '@vocab': `${origin}/api/docs.jsonld#`, hydra: prefixes.hydra }
}

function termsOf(shape: Shape, { dialect, everyName }: Publication): JsonObject {
  const { type } = shape
  // Its own names come first; where versions share one, the one in use says what it is.
  const dialects = everyName ? [dialect, ...dialect.all.values(), dialect] : [dialect]
  const terms = dialects
    .flatMap((each) => propertiesIn(shape, each))
    .map(([name, property]) => [name, propertyTerm(`${type}/${name}`, property)])
  const fallbacks = { '@id': `${type}/fallbacks`, '@type': '@json' }
  return { id: `${type}/id`, fallbacks, ...Object.fromEntries(terms) }
}

/** Every shape that can stand inside documents of this one, through whatever they embed. */
function embeddedIn(shape: Shape, resources: readonly Resource[]): Shape[] {
  const shapes = new Map(resources.map((each) => [each.shape.type, each.shape]))
  const reached = new Set<Shape>()
  const visit = (each: Shape | undefined): void => {
    for (const property of Object.values(each?.properties ?? {})) {
      const types = typesIn(property)
      const inside = types.includes(anyType) ? [...shapes.values()] : types.map((type) => shapes.get(type))
      for (const next of inside) {
        if (!next || reached.has(next)) continue
        reached.add(next)
        visit(next)
      }
    }
  }
  visit(shape)
  return [...reached]
}

function entrypointContext(publication: Publication): JsonObject {
  const members = collectionsIn(publication).map(({ resource }): [string, Json] => {
    const name = memberName(resource.shape.type)
    return [name, { '@id': `${entrypointType}/${name}`, '@type': '@id' }]
  })
  return { ...baseOf(publication), ...Object.fromEntries(members) }
}
