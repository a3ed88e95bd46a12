import type { Json, JsonObject } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { anyType, type Property, type Shape } from '../core/property.ts'
import { entrypointType } from './entrypoint.ts'
import { hydraOperation } from './hydra-operations.ts'
import { shownSchema } from './json-schema.ts'
import { targetOf } from './links.ts'
import {
  allOperations,
  camelCase,
  collectionsIn,
  isItemPath,
  memberName,
  membersIn,
  operationsIn,
  type Publication,
} from './publication.ts'

/** A resource as a Hydra class: its properties, and what can be done with one item. */
export function classOf(resource: Resource, publication: Publication): JsonObject {
  const { shape } = resource
  const below = listsBelow(shape, publication)
  const own = membersIn(resource, publication.dialect).map(([name, property]) => {
    const beside = below.find((each) => each.of === property.of && property.of !== null)
    return propertyOf(shape, name, property, publication, beside?.operations ?? [])
  })
  const shown = new Set(Object.values(shape.properties).map(({ of }) => of))
  const itemOperations = operationsIn(resource, publication.dialect).filter(({ path }) =>
    isItemPath(shape, path),
  )
  return {
    '@id': `#${shape.type}`,
    '@type': 'Class',
    title: shape.type,
    description: shape.description,
    ...(shape.type === 'ConstraintViolation' && { subClassOf: '#Error' }),
    supportedProperty: [
      ...own,
      ...below.filter(({ of }) => !shown.has(of)).map((each) => linkBelow(shape, each)),
    ],
    supportedOperation: itemOperations.map((each) => hydraOperation(each)),
  }
}

function propertyOf(
  { type }: Shape,
  name: string,
  property: Property,
  publication: Publication,
  operations: readonly JsonObject[],
): Json {
  const schema = shownSchema(property, publication)
  const isList = schema.type === 'array'
  const { link, required, writable, description } = property
  return {
    '@type': 'SupportedProperty',
    property: {
      '@id': `#${type}/${name}`,
      '@type': link ? 'Link' : 'rdf:Property',
      label: name,
      domain: `#${type}`,
      range: [rangeOf(property, schema, publication)],
      ...(!isList && { maxCardinality: 1 }),
      ...(operations.length > 0 && { supportedOperation: operations }),
    },
    title: name,
    required: required && writable !== 'never',
    readable: true,
    ...written(writable !== 'never'),
    description,
  }
}

/** Hydra's draft says `writeable` and later texts `writable`; clients of both generations are about. */
function written(writable: boolean) {
  return { writeable: writable, writable }
}

function rangeOf(property: Property, schema: JsonObject, { resources }: Publication): string {
  const target = targetOf(property, resources)
  if (target !== null) return target === anyType ? 'hydra:Resource' : `#${target}`
  return property.link ? 'hydra:Resource' : literalRange(schema)
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'xsd:dateTime',
  date: 'xsd:date',
  uri: 'xsd:anyURI',
}
const types: Readonly<Record<string, string>> = {
  string: 'xsd:string',
  integer: 'xsd:integer',
  number: 'xsd:decimal',
  boolean: 'xsd:boolean',
}

function literalRange({ type, format, items }: JsonObject): string {
  if (type === 'array') return literalRange((items ?? {}) as JsonObject)
  const [one] = [type].flat().filter((each) => each !== 'null')
  return formats[String(format)] ?? types[String(one)] ?? 'rdf:JSON'
}

/** Something that is reached below an item: `/api/products/{productId}/variants`. */
type Below = {
  readonly name: string
  readonly of: string
  readonly operations: JsonObject[]
  readonly many: boolean
}

function listsBelow({ collection }: Shape, publication: Publication): Below[] {
  const pattern = new RegExp(`^${collection.replaceAll('{', '\\{')}/\\{\\w+\\}/(\\w+)(/\\{\\w+\\})?$`)
  const found = allOperations(publication).flatMap(({ resource, operation }) => {
    const segment = pattern.exec(operation.path)?.[1]
    // An item of its own is described by its own class.
    return segment === undefined || isItemPath(resource.shape, operation.path) ? [] : [{ segment, operation }]
  })
  return [...Map.groupBy(found, ({ segment }) => segment)].map(([segment, group]) => ({
    name: camelCase(segment),
    of: group[0]!.operation.shape.type,
    operations: group.map(({ operation }) => hydraOperation(operation)),
    many: group.some(({ operation }) => operation.answers === 'collection'),
  }))
}

/** A link that documents do not carry: its address is the item's with the name behind it. */
function linkBelow({ type }: Shape, { name, of, operations, many }: Below): Json {
  return {
    '@type': 'SupportedProperty',
    property: {
      '@id': `#${type}/${name}`,
      '@type': 'Link',
      label: name,
      domain: `#${type}`,
      range: many ? collectionRange(of) : [`#${of}`],
      supportedOperation: operations,
    },
    title: name,
    required: false,
    readable: false,
    ...written(false),
    description: operations.map(({ description }) => `${description}.`).join(' '),
  }
}

/** A Hydra collection whose members are of one class. */
function collectionRange(type: string): Json[] {
  return ['hydra:Collection', { equivalentClass: { onProperty: 'hydra:member', allValuesFrom: `#${type}` } }]
}

/** The class of `/api`: a property for each collection, with what can be done with it. */
export function entrypointClass(publication: Publication): JsonObject {
  return {
    '@id': `#${entrypointType}`,
    '@type': 'Class',
    title: entrypointType,
    description: 'Where the service begins: one link for each collection.',
    supportedProperty: collectionsIn(publication).map(({ resource, operation }) => {
      const { type, collection } = resource.shape
      const name = memberName(type)
      const operations = operationsIn(resource, publication.dialect).filter(({ path }) => path === collection)
      return {
        '@type': 'SupportedProperty',
        property: {
          '@id': `#${entrypointType}/${name}`,
          '@type': 'Link',
          label: name,
          domain: `#${entrypointType}`,
          range: collectionRange(type),
          maxCardinality: 1,
          supportedOperation: operations.map((each) => hydraOperation(each)),
        },
        title: name,
        required: false,
        readable: true,
        ...written(false),
        description: `${operation.summary}.`,
      }
    }),
    supportedOperation: [
      {
        '@type': ['Operation', 'schema:FindAction'],
        method: 'GET',
        title: 'Read the entrypoint',
        label: 'Read the entrypoint',
        description: 'Read the entrypoint',
        returns: `#${entrypointType}`,
      },
    ],
  }
}
