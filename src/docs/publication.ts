import * as z from 'zod'
import type { Operation, Resource } from '../core/operation.ts'
import { type Property, readOnly, type Shape } from '../core/schema.ts'
import { type ApiVersion, propertiesByName } from '../core/versions.ts'
import { metaOf } from '../core/zod.ts'

/** The input of every published document: the resources, and the version and host to publish them for. */
export type Publication = {
  readonly resources: readonly Resource[]
  readonly apiVersion: ApiVersion
  /** The origin of the service: `https://acme.example`. */
  readonly origin: string
  /** True if the request names no version. Contexts then contain the names of all versions. */
  readonly everyName: boolean
}

/** A property with its name in a version. */
export type NamedProperty = readonly [name: string, property: Property]

/** A shape's properties in their order, with their names in the version. */
export function propertiesIn(shape: Shape, apiVersion: ApiVersion): NamedProperty[] {
  return Object.entries(propertiesByName(shape, apiVersion))
}

const id = readOnly(z.string().meta({ format: 'uuid' }), 'Its identifier, a UUIDv7.')

const fallbacks = readOnly(
  z.record(z.string(), z.string()),
  'The locale of each text that is not available in the one asked for; absent where all are.',
  { example: { title: 'en-US' } },
)

/** The members of a resource's documents: its properties and those that the service adds. */
export function documentedMembers(resource: Resource, apiVersion: ApiVersion): NamedProperty[] {
  const { shape } = resource
  return [
    ...(isIdentified(resource) ? [['id', id] as const] : []),
    ...propertiesIn(shape, apiVersion),
    ...(isStamped(shape) ? [['fallbacks', fallbacks] as const] : []),
  ]
}

/** A resource's operations that exist in the version. */
export function operationsIn({ operations }: Resource, { version }: ApiVersion): Operation[] {
  return operations.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version.name)
}

/** Every operation of a version, with its resource. */
export function allOperations({
  resources,
  apiVersion,
}: Publication): { resource: Resource; operation: Operation }[] {
  return resources.flatMap((resource) =>
    operationsIn(resource, apiVersion).map((operation) => ({ resource, operation })),
  )
}

/** Whether a path is that of an item: the collection, followed only by parameters, or by the name of a parameter and its value. */
export function isItemPath({ collection }: Shape, path: string): boolean {
  return (
    path.startsWith(`${collection}/`) &&
    /^(?:\/by-[\w-]+)?(?:\/\{\w+\})+$/.test(path.slice(collection.length))
  )
}

/** Whether items have an id, which the service mints. */
function isIdentified({ shape, operations }: Resource): boolean {
  return operations.some(({ path, params, method }) => isItemPath(shape, path) && !params && method === 'GET')
}

/** Whether documents show the time and version of the last write. Resources with events do. */
function isStamped({ properties }: Shape): boolean {
  return Object.hasOwn(properties, 'updatedAt') && Object.hasOwn(properties, 'version')
}

/** The lists that are read without parameters. The entrypoint links to them. */
export function collectionsIn(publication: Publication): { resource: Resource; operation: Operation }[] {
  return allOperations(publication).filter(
    ({ resource: { shape }, operation: { method, path, answers, query = {} } }) =>
      method === 'GET' &&
      answers === 'collection' &&
      path === shape.collection &&
      !path.includes('{') &&
      !Object.values(query).some((parameter) => metaOf(parameter).mandatory),
  )
}

/** Shapes of bodies that no document has. */
export function bodyOnlyShapes(publication: Publication): Shape[] {
  const documentTypes = new Set(publication.resources.map(({ shape }) => shape.type))
  const bodyShapes = allOperations(publication).flatMap(({ operation: { body } }) => body?.shape ?? [])
  return [
    ...new Map(
      bodyShapes.filter(({ type }) => !documentTypes.has(type)).map((shape) => [shape.type, shape]),
    ).values(),
  ]
}

/** `productOption` for `ProductOption`. */
export function memberName(type: string): string {
  return type.charAt(0).toLowerCase() + type.slice(1)
}

/** `auditTrail` for `audit_trail`. */
export function camelCase(text: string): string {
  return text.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
}
