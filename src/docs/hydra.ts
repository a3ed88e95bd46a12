import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Operation, Resource } from '../core/operation.ts'
import { anyType, fullDescription, type Property, type Shape } from '../core/schema.ts'
import { documentationTerms, entrypointType, prefixes } from './json-ld.ts'
import { documentSchema, targetOf } from './json-schema.ts'
import { problemShapes } from './problem-shapes.ts'
import {
  allOperations,
  bodyOnlyShapes,
  camelCase,
  collectionsIn,
  documentedMembers,
  isItemPath,
  memberName,
  operationsIn,
  type Publication,
} from './publication.ts'

const actions = {
  GET: 'schema:FindAction',
  POST: 'schema:CreateAction',
  PATCH: 'schema:UpdateAction',
  PUT: 'schema:ReplaceAction',
  DELETE: 'schema:DeleteAction',
} as const

/** An operation in Hydra: its method, its expected body and its result. */
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

/** A path below an item, with its operations: `/api/products/{productId}/variants`. */
type Subpath = {
  readonly name: string
  readonly of: string
  readonly operations: JsonObject[]
  readonly many: boolean
}

/** The paths below the items of a shape, each with its operations. */
function subpathsOf({ collection }: Shape, publication: Publication): Subpath[] {
  const pattern = new RegExp(`^${collection.replaceAll('{', '\\{')}/\\{\\w+\\}/(\\w+)(/\\{\\w+\\})?$`)
  const matches = allOperations(publication).flatMap(({ resource, operation }) => {
    const segment = pattern.exec(operation.path)?.[1]
    // Items of another resource are described by the class of that resource.
    return segment === undefined || isItemPath(resource.shape, operation.path) ? [] : [{ segment, operation }]
  })
  return [...Map.groupBy(matches, ({ segment }) => segment)].flatMap(([segment, group]) =>
    group.slice(0, 1).map(({ operation: { shape } }) => ({
      name: camelCase(segment),
      of: shape.type,
      operations: group.map(({ operation }) => hydraOperation(operation)),
      many: group.some(({ operation }) => operation.answers === 'collection'),
    })),
  )
}

/** The Hydra range of a property: the class of the linked or embedded resource, else the datatype. */
function rangeOf(property: Property, schema: JsonObject, { resources }: Publication): string {
  const target = targetOf(property, resources)
  if (target !== null) return target === anyType ? 'hydra:Resource' : `#${target}`
  return property.isLink ? 'hydra:Resource' : literalRange(schema)
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
  const [primary] = [type].flat().filter((name) => name !== 'null')
  return formats[String(format)] ?? types[String(primary)] ?? 'rdf:JSON'
}

function collectionRange(type: string): Json[] {
  return ['hydra:Collection', { equivalentClass: { onProperty: 'hydra:member', allValuesFrom: `#${type}` } }]
}

/** A resource as a Hydra class: its properties and the operations of one item. */
function classOf(resource: Resource, publication: Publication): JsonObject {
  const { shape } = resource
  // Shapes without items of their own share the collection of another one.
  const hasItems = resource.operations.some(({ path }) => isItemPath(shape, path))
  const subpaths = hasItems ? subpathsOf(shape, publication) : []
  const members = documentedMembers(resource, publication.apiVersion)
  const names = new Set(members.map(([name]) => name))
  const listPaths = new Set(collectionsIn(publication).map(({ operation }) => operation.path))
  const itemOperations = operationsIn(resource, publication.apiVersion).filter(
    // Operations at URLs that neither the entrypoint nor an item links to are described here.
    ({ path }) => isItemPath(shape, path) || !(path.includes('{') || listPaths.has(path)),
  )
  return {
    '@id': `#${shape.type}`,
    '@type': 'Class',
    title: shape.type,
    description: shape.description,
    ...(shape.type === 'ConstraintViolation' && { subClassOf: '#Error' }),
    supportedProperty: [
      ...members.map(([name, property]) => propertyOf(shape, name, property, publication)),
      // The operations of a list do not apply to each resource that a document embeds from it.
      ...subpaths.map((subpath) =>
        linkToSubpath(shape, names.has(subpath.name) ? `${subpath.name}List` : subpath.name, subpath),
      ),
    ],
    supportedOperation: itemOperations.map((operation) => hydraOperation(operation)),
  }
}

type SupportedProperty = {
  readonly kind: 'Link' | 'rdf:Property'
  readonly details: JsonObject
  readonly required: boolean
  readonly readable: boolean
  readonly writable: boolean
  readonly description: string
}

function supportedProperty(type: string, name: string, property: SupportedProperty): Json {
  const { kind, details, required, readable, writable, description } = property
  return {
    '@type': 'SupportedProperty',
    property: { '@id': `#${type}/${name}`, '@type': kind, label: name, domain: `#${type}`, ...details },
    title: name,
    required,
    readable,
    // Hydra's draft says `writeable` and later texts say `writable`. Clients of both generations are in use.
    writeable: writable,
    writable,
    description,
  }
}

function propertyOf({ type }: Shape, name: string, property: Property, publication: Publication): Json {
  const schema = documentSchema(property, publication)
  const isList = schema.type === 'array'
  const { isLink, required, writable, writeOnly } = property
  return supportedProperty(type, name, {
    kind: isLink ? 'Link' : 'rdf:Property',
    details: { range: [rangeOf(property, schema, publication)], ...(!isList && { maxCardinality: 1 }) },
    required: required && writable !== 'never',
    readable: !writeOnly,
    writable: writable !== 'never',
    description: fullDescription(property),
  })
}

/** A link that documents do not contain. Its URL is the item's URL with one more segment. */
function linkToSubpath({ type }: Shape, name: string, { of, operations, many }: Subpath): Json {
  return supportedProperty(type, name, {
    kind: 'Link',
    details: { range: many ? collectionRange(of) : [`#${of}`], supportedOperation: operations },
    required: false,
    readable: false,
    writable: false,
    description: operations.map(({ description }) => `${description}.`).join(' '),
  })
}

/** The class of `/api`: a property for each collection, with its operations. */
function entrypointClass(publication: Publication): JsonObject {
  return {
    '@id': `#${entrypointType}`,
    '@type': 'Class',
    title: entrypointType,
    description: 'Where the service begins: one link for each collection.',
    supportedProperty: collectionsIn(publication).map(({ resource, operation }) => {
      const { type, collection } = resource.shape
      const operations = operationsIn(resource, publication.apiVersion).filter(
        ({ path }) => path === collection,
      )
      return supportedProperty(entrypointType, memberName(type), {
        kind: 'Link',
        details: {
          range: collectionRange(type),
          maxCardinality: 1,
          supportedOperation: operations.map((operation) => hydraOperation(operation)),
        },
        required: false,
        readable: true,
        writable: false,
        description: `${operation.summary}.`,
      })
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
  const { resources, apiVersion, origin } = publication
  const address = '/api/docs.jsonld'
  return {
    '@context': {
      // The names do not depend on the query of the request.
      '@base': `${origin}${address}`,
      ...prefixes,
      ...documentationTerms,
    },
    '@id': address,
    '@type': 'ApiDocumentation',
    title: 'Product catalogue',
    description: `Products, their variants and their prices, version ${apiVersion.version.name}.`,
    entrypoint: '/api',
    supportedClass: [
      entrypointClass(publication),
      ...resources.map((resource) => classOf(resource, publication)),
      ...[...bodyOnlyShapes(publication), ...problemShapes].map((shape) =>
        classOf({ shape, operations: [], problems: [] }, publication),
      ),
    ],
  }
}
