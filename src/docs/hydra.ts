import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Operation, Resource } from '../core/operation.ts'
import { anyType, fullDescription, type Property, type Shape } from '../core/schema.ts'
import { documentationTerms, entrypointType, prefixes } from './json-ld.ts'
import { shownSchema, targetOf } from './json-schema.ts'
import { problemShapes } from './problem-shapes.ts'
import {
  allOperations,
  camelCase,
  collectionsIn,
  documentedMembers,
  isItemPath,
  memberName,
  operationsIn,
  type Publication,
  writtenOnly,
} from './publication.ts'

const actions = {
  GET: 'schema:FindAction',
  POST: 'schema:CreateAction',
  PATCH: 'schema:UpdateAction',
  PUT: 'schema:ReplaceAction',
  DELETE: 'schema:DeleteAction',
} as const

/** An operation in Hydra: its method, what it expects and what it returns. */
function hydraOperation({ method, summary, description, shape, answers, body }: Operation): JsonObject {
  return {
    '@type': ['Operation', actions[method]],
    method,
    title: summary,
    label: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    ...(body && { expects: `#${(body.shape ?? shape).type}` }),
    returns:
      answers === 'empty' ? 'owl:Nothing' : answers === 'collection' ? 'hydra:Collection' : `#${shape.type}`,
  }
}

/** Something that is reached below an item: `/api/products/{productId}/variants`. */
type Below = {
  readonly name: string
  readonly of: string
  readonly operations: JsonObject[]
  readonly many: boolean
}

/** What is reached below the items of a shape, each with what can be done there. */
function listsBelow({ collection }: Shape, publication: Publication): Below[] {
  const pattern = new RegExp(`^${collection.replaceAll('{', '\\{')}/\\{\\w+\\}/(\\w+)(/\\{\\w+\\})?$`)
  const found = allOperations(publication).flatMap(({ resource, operation }) => {
    const segment = pattern.exec(operation.path)?.[1]
    // An item of its own is described by its own class.
    return segment === undefined || isItemPath(resource.shape, operation.path) ? [] : [{ segment, operation }]
  })
  return [...Map.groupBy(found, ({ segment }) => segment)].flatMap(([segment, group]) =>
    group.slice(0, 1).map(({ operation: { shape } }) => ({
      name: camelCase(segment),
      of: shape.type,
      operations: group.map(({ operation }) => hydraOperation(operation)),
      many: group.some(({ operation }) => operation.answers === 'collection'),
    })),
  )
}

/** What the values of a property are, in Hydra's terms. */

/** The class of what a property leads to or embeds, else the datatype of what it holds. */
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
  if (type === 'array') return literalRange(isJsonObject(items) ? items : {})
  const [one] = [type].flat().filter((each) => each !== 'null')
  return formats[String(format)] ?? types[String(one)] ?? 'rdf:JSON'
}

/** A Hydra collection whose members are of one class. */
function collectionRange(type: string): Json[] {
  return ['hydra:Collection', { equivalentClass: { onProperty: 'hydra:member', allValuesFrom: `#${type}` } }]
}

/** Hydra's draft says `writeable` and later texts `writable`; clients of both generations are about. */
function written(writable: boolean) {
  return { writeable: writable, writable }
}

/** A resource as a Hydra class: its properties, and what can be done with one item. */
function classOf(resource: Resource, publication: Publication): JsonObject {
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

/** The class of `/api`: a property for each collection, with what can be done with it. */
function entrypointClass(publication: Publication): JsonObject {
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

/** `/api/docs.jsonld`: every class, property and operation of a version, in the Hydra Core Vocabulary. */
export function apiDocumentation(publication: Publication): Json {
  const { resources, dialect, origin } = publication
  const address = '/api/docs.jsonld'
  return {
    '@context': {
      // Names stay the same whatever query the documentation was asked for with.
      '@base': `${origin}${address}`,
      ...prefixes,
      ...documentationTerms,
    },
    '@id': address,
    '@type': 'ApiDocumentation',
    title: 'Product catalogue',
    description: `Products, their variants and their prices, version ${dialect.version.name}.`,
    entrypoint: '/api',
    supportedClass: [
      entrypointClass(publication),
      ...resources.map((resource) => classOf(resource, publication)),
      ...[...writtenOnly(publication), ...problemShapes].map((shape) =>
        classOf({ shape, operations: [], problems: [] }, publication),
      ),
    ],
  }
}
