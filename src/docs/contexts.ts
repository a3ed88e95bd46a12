import type { Json } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import type { Shape } from '../core/property.ts'

const hydra = 'http://www.w3.org/ns/hydra/core#'

const hydraTerms = [
  'Collection',
  'PartialCollectionView',
  'IriTemplate',
  'IriTemplateMapping',
  'BasicRepresentation',
  'totalItems',
  'template',
  'mapping',
  'variable',
  'required',
]
const hydraLinks = [
  'member',
  'view',
  'first',
  'last',
  'previous',
  'next',
  'search',
  'variableRepresentation',
  'property',
]

const problemMembers = [
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'code',
  'slug',
  'message',
  'description',
  'violations',
  'propertyPath',
  'missingPermissions',
  'supportedVersions',
  'currentVersion',
]

/** The JSON-LD context of a type (JSON-LD 1.1 §3.1), with absolute IRIs on the host asked; null for an unknown type. */
export function contextOf(type: string, origin: string, resources: readonly Resource[]): Json {
  if (type === 'Error' || type === 'ConstraintViolation') {
    const members = problemMembers.map((name) => [name, `Error/${name}`])
    return { '@context': { ...baseOf(origin), ...Object.fromEntries(members) } }
  }
  const shape = resources.find((each) => each.shape.type === type)?.shape
  return shape ? { '@context': shapeContext(shape, origin) } : null
}

/** The context of a shape's documents: what `@context` stands for, or holds. */
export function shapeContext(shape: Shape, origin: string): Json {
  return { ...baseOf(origin), ...envelopeTerms(), ...propertyTerms(shape) }
}

function baseOf(origin: string): Record<string, Json> {
  return { '@vocab': `${origin}/api/docs.jsonld#`, hydra }
}

function envelopeTerms(): Record<string, Json> {
  return Object.fromEntries([
    ...hydraTerms.map((name) => [name, `hydra:${name}`]),
    ...hydraLinks.map((name) => [name, { '@id': `hydra:${name}`, '@type': '@id' }]),
  ])
}

function propertyTerms({ type, properties }: Shape): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { link }]) => {
      const id = `${type}/${name}`
      return [name, link ? { '@id': id, '@type': '@id' } : id]
    }),
  )
}
