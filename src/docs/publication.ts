import * as z from 'zod'
import type { Operation, Resource } from '../core/operation.ts'
import { type Property, readOnly, type Shape } from '../core/schema.ts'
import { type ApiVersion, propertiesByName } from '../core/versions.ts'

/** What the documents are made from: the resources as one version has them. */
export type Publication = {
  readonly resources: readonly Resource[]
  readonly dialect: ApiVersion
  /** Where the service is reached: `https://acme.example`. */
  readonly origin: string
  /** True where whoever asks has told no version: contexts then know the names of all of them. */
  readonly everyName: boolean
}

/** A property under the name that it has in a version. */
export type NamedProperty = readonly [name: string, property: Property]

/** A shape's properties in their order, as the version has them. */
export function propertiesIn(shape: Shape, dialect: ApiVersion): NamedProperty[] {
  return Object.entries(propertiesByName(shape, dialect))
}

const id = readOnly(z.string().meta({ format: 'uuid' }), 'Its identifier, a UUIDv7.')

const fallbacks = readOnly(
  z.record(z.string(), z.string()),
  'The locale of each text that is not available in the one asked for; absent where all are.',
  { example: { title: 'en-US' } },
)

/** What documents of a resource show: its properties, and what the service adds to them. */
export function documentedMembers(resource: Resource, dialect: ApiVersion): NamedProperty[] {
  const { shape } = resource
  return [
    ...(isIdentified(resource) ? [['id', id] as const] : []),
    ...propertiesIn(shape, dialect),
    ...(isStamped(shape) ? [['fallbacks', fallbacks] as const] : []),
  ]
}

/** A resource's operations that the version has. */
export function operationsIn({ operations }: Resource, { version }: ApiVersion): Operation[] {
  return operations.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version.name)
}

/** Every operation of a version, each with its resource. */
export function allOperations({
  resources,
  dialect,
}: Publication): { resource: Resource; operation: Operation }[] {
  return resources.flatMap((resource) =>
    operationsIn(resource, dialect).map((operation) => ({ resource, operation })),
  )
}

/** Whether a path leads to an item: the resource's collection, and parameters alone behind it. */
export function isItemPath({ collection }: Shape, path: string): boolean {
  return path.startsWith(`${collection}/`) && /^(?:\/\{\w+\})+$/.test(path.slice(collection.length))
}

/** Whether items have an id, which the service mints. */
function isIdentified({ shape, operations }: Resource): boolean {
  return operations.some(({ path, params, method }) => isItemPath(shape, path) && !params && method === 'GET')
}

/** Whether a property says when a resource was last written: those that have events of their own. */
function isStamped({ properties }: Shape): boolean {
  return Object.hasOwn(properties, 'updatedAt') && Object.hasOwn(properties, 'version')
}

/** The lists that need no identifier to be asked for: what the entrypoint leads to. */
export function collectionsIn(publication: Publication): { resource: Resource; operation: Operation }[] {
  return allOperations(publication).filter(
    ({ resource: { shape }, operation: { method, path, answers } }) =>
      method === 'GET' && answers === 'collection' && path === shape.collection && !path.includes('{'),
  )
}

/** Shapes of bodies that no resource is shown in. */
export function writtenOnly(publication: Publication): Shape[] {
  const shown = new Set(publication.resources.map(({ shape }) => shape.type))
  const written = allOperations(publication).flatMap(({ operation: { body } }) => body?.shape ?? [])
  return [
    ...new Map(written.filter(({ type }) => !shown.has(type)).map((each) => [each.type, each])).values(),
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
