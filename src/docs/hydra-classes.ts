import type { Json, JsonObject } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { fullDescription, type Property, type Shape } from '../core/property.ts'
import { type Below, listsBelow } from './hydra-below.ts'
import { hydraOperation } from './hydra-operations.ts'
import { collectionRange, rangeOf, written } from './hydra-ranges.ts'
import { shownSchema } from './json-schema.ts'
import {
  collectionsIn,
  documentedMembers,
  isItemPath,
  operationsIn,
  type Publication,
} from './publication.ts'

/** A resource as a Hydra class: its properties, and what can be done with one item. */
export function classOf(resource: Resource, publication: Publication): JsonObject {
  const { shape } = resource
  const below = listsBelow(shape, publication)
  const own = documentedMembers(resource, publication.dialect)
  const names = new Set(own.map(([name]) => name))
  const led = new Set(collectionsIn(publication).map(({ operation }) => operation.path))
  const itemOperations = operationsIn(resource, publication.dialect).filter(
    // What has an address of its own, to which neither the entrypoint nor an item leads, is described here.
    ({ path }) => isItemPath(shape, path) || !(path.includes('{') || led.has(path)),
  )
  return {
    '@id': `#${shape.type}`,
    '@type': 'Class',
    title: shape.type,
    description: shape.description,
    ...(shape.type === 'ConstraintViolation' && { subClassOf: '#Error' }),
    supportedProperty: [
      ...own.map(([name, property]) => propertyOf(shape, name, property, publication)),
      // What can be done with a list cannot be done with each resource that a document embeds of it.
      ...below.map((each) => linkBelow(shape, names.has(each.name) ? `${each.name}List` : each.name, each)),
    ],
    supportedOperation: itemOperations.map((each) => hydraOperation(each)),
  }
}

function propertyOf({ type }: Shape, name: string, property: Property, publication: Publication): Json {
  const schema = shownSchema(property, publication)
  const isList = schema.type === 'array'
  const { link, required, writable, writeOnly } = property
  return {
    '@type': 'SupportedProperty',
    property: {
      '@id': `#${type}/${name}`,
      '@type': link ? 'Link' : 'rdf:Property',
      label: name,
      domain: `#${type}`,
      range: [rangeOf(property, schema, publication)],
      ...(!isList && { maxCardinality: 1 }),
    },
    title: name,
    required: required && writable !== 'never',
    readable: !writeOnly,
    ...written(writable !== 'never'),
    description: fullDescription(property),
  }
}

/** A link that documents do not carry: its address is the item's with a segment behind it. */
function linkBelow({ type }: Shape, name: string, { of, operations, many }: Below): Json {
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
