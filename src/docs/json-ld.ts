import * as z from 'zod'
import type { Json, JsonObject } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { anyType, type Property, type Shape } from '../core/schema.ts'
import { elementOf, membersOf, metaOf, within } from '../core/zod.ts'
import { constraintViolationShape, errorShape, problemShapes } from './problem-shapes.ts'
import { collectionsIn, memberName, type Publication, propertiesIn } from './publication.ts'

export const entrypointType = 'Entrypoint'

/** `/api`: one member for each collection. Hydra clients start here. */
export function entrypoint(publication: Publication): Json {
  const members = collectionsIn(publication).map(({ resource: { shape } }) => [
    memberName(shape.type),
    shape.collection,
  ])
  return {
    '@context': `/api/contexts/${entrypointType}`,
    '@id': '/api',
    '@type': entrypointType,
    ...Object.fromEntries(members),
  }
}

/**
 * The term of a property in a JSON-LD context: links are IRIs, free JSON is JSON, and objects have the terms
 * of their members.
 */
function propertyTerm(id: string, { schema, isLink, objectType }: Property): Json {
  const inner = unwrapped(schema)
  const isList = inner instanceof z.ZodArray
  if (isLink || objectType !== null) return { '@id': id, '@type': '@id', ...(isList && set) }
  return termOf(id, inner)
}

const set = { '@container': '@set' }

function termOf(id: string, schema: z.ZodType): Json {
  const isList = schema instanceof z.ZodArray
  const element = isList ? unwrapped(elementOf(schema)) : schema
  const container = isList ? set : {}
  if (element instanceof z.ZodArray) return { ...Object(termOf(id, element)), '@container': '@list' }
  // Objects with an `@type` have the terms of that type.
  if (element instanceof z.ZodObject && '@type' in element.shape)
    return { '@id': id, '@type': '@id', ...container }
  if (element instanceof z.ZodObject) return { '@id': id, '@context': memberTerms(id, element), ...container }
  if (isLink(element)) return { '@id': id, '@type': '@id', ...container }
  if (isFree(element)) return { '@id': id, '@type': '@json' }
  return isList ? { '@id': id, ...container } : id
}

/**
 * The terms of an object's members. They also apply to resources inside these objects, which bring their own
 * terms. Not every parser applies `@propagate: false` inside lists.
 */
function memberTerms(id: string, object: z.ZodObject): JsonObject {
  return Object.fromEntries(
    Object.entries(membersOf(object))
      .filter(([name]) => !name.startsWith('@'))
      .map(([name, schema]) => [name, termOf(`${id}/${name}`, unwrapped(schema))]),
  )
}

/** The types of the resources that a property's values can embed. */
function typesIn({ schema, objectType }: Property): string[] {
  return objectType === null ? embeddedTypes(unwrapped(schema)) : [objectType]
}

function embeddedTypes(schema: z.ZodType): string[] {
  const { resource } = metaOf(schema)
  if (resource !== undefined) return [resource]
  if (schema instanceof z.ZodArray) return embeddedTypes(unwrapped(elementOf(schema)))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.values(membersOf(schema)).flatMap((schema) => embeddedTypes(unwrapped(schema)))
}

/** Whether a schema accepts objects with any members, or any value. */
function isFree(schema: z.ZodType): boolean {
  return schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown || schema instanceof z.ZodAny
}

function isLink(schema: z.ZodType): boolean {
  const { format, resource } = metaOf(schema)
  return format === 'uri-reference' || resource !== undefined
}

/** The schema of a value in documents, without its wrappers for absent values. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const inner = metaOf(schema).shown ?? within(schema)
  return inner ? unwrapped(inner) : schema
}

/** The vocabularies of the documents and their documentation, with the prefixes that contexts use. */
export const prefixes = {
  hydra: 'http://www.w3.org/ns/hydra/core#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  owl: 'http://www.w3.org/2002/07/owl#',
  schema: 'https://schema.org/',
} as const

type Term = Json

const link = (id: string): Term => ({ '@id': id, '@type': '@id' })
const links = (id: string): Term => ({ '@id': id, '@type': '@id', '@container': '@set' })

/** Hydra's terms in lists, without a prefix, so that `member` is hydra:member. */
const listTerms: Readonly<Record<string, Term>> = {
  Collection: 'hydra:Collection',
  PartialCollectionView: 'hydra:PartialCollectionView',
  IriTemplate: 'hydra:IriTemplate',
  IriTemplateMapping: 'hydra:IriTemplateMapping',
  totalItems: 'hydra:totalItems',
  member: links('hydra:member'),
  view: link('hydra:view'),
  first: link('hydra:first'),
  last: link('hydra:last'),
  previous: link('hydra:previous'),
  next: link('hydra:next'),
  search: link('hydra:search'),
  template: 'hydra:template',
  // The value is a term of Hydra, not a URL.
  variableRepresentation: { '@id': 'hydra:variableRepresentation', '@type': '@vocab' },
  BasicRepresentation: 'hydra:BasicRepresentation',
  mapping: links('hydra:mapping'),
  variable: 'hydra:variable',
  property: { '@id': 'hydra:property', '@type': '@vocab' },
  required: 'hydra:required',
}

/** The terms of facets. They have contexts of their own, because the title of a value is no title of a member. */
const facetTerms: Readonly<Record<string, Term>> = {
  Facet: { '@id': 'Facet', '@context': { name: 'Facet/name', values: links('Facet/values') } },
  FacetValue: {
    '@id': 'FacetValue',
    '@context': {
      title: 'FacetValue/title',
      value: 'FacetValue/value',
      from: 'FacetValue/from',
      until: 'FacetValue/until',
      fallbacks: { '@id': 'FacetValue/fallbacks', '@type': '@json' },
    },
  },
}

/** The terms of the API documentation. */
export const documentationTerms: Readonly<Record<string, Term>> = {
  ApiDocumentation: 'hydra:ApiDocumentation',
  Class: 'hydra:Class',
  SupportedProperty: 'hydra:SupportedProperty',
  Operation: 'hydra:Operation',
  Link: 'hydra:Link',
  Status: 'hydra:Status',
  entrypoint: link('hydra:entrypoint'),
  supportedClass: links('hydra:supportedClass'),
  supportedProperty: links('hydra:supportedProperty'),
  supportedOperation: links('hydra:supportedOperation'),
  possibleStatus: links('hydra:possibleStatus'),
  statusCode: 'hydra:statusCode',
  title: 'hydra:title',
  description: 'hydra:description',
  property: link('hydra:property'),
  required: 'hydra:required',
  readable: 'hydra:readable',
  writeable: 'hydra:writeable',
  writable: 'hydra:writable',
  method: 'hydra:method',
  expects: link('hydra:expects'),
  returns: link('hydra:returns'),
  label: 'rdfs:label',
  domain: link('rdfs:domain'),
  range: links('rdfs:range'),
  subClassOf: link('rdfs:subClassOf'),
  maxCardinality: 'owl:maxCardinality',
  equivalentClass: link('owl:equivalentClass'),
  onProperty: link('owl:onProperty'),
  allValuesFrom: link('owl:allValuesFrom'),
}

/**
 * The JSON-LD context of a type, with absolute IRIs on the request's host. Null for an unknown type. Embedded
 * resources have the terms of their own type (JSON-LD 1.1 §4.1.9). The title of a category is therefore not
 * the title of its product.
 */
export function jsonLdContext(type: string, publication: Publication): JsonObject | null {
  const { resources } = publication
  if (type === entrypointType) return entrypointContext(publication)
  const shape = [...resources.map((resource) => resource.shape), ...problemShapes].find(
    (resource) => resource.type === type,
  )
  if (!shape) return null
  const hasFacets = resources.some(({ operations }) =>
    operations.some(({ shape: listed, query }) => listed === shape && Object.hasOwn(query, 'facets[]')),
  )
  const embedded = shape === errorShape ? [constraintViolationShape] : embeddedIn(shape, resources)
  return {
    ...baseOf(publication),
    ...termsOf(shape, publication),
    ...listTerms,
    ...(hasFacets ? facetTerms : {}),
    ...Object.fromEntries(
      embedded.map((shape) => [shape.type, { '@id': shape.type, '@context': termsOf(shape, publication) }]),
    ),
  }
}

function baseOf({ origin }: Publication): JsonObject {
  return { '@version': 1.1, '@vocab': `${origin}/api/docs.jsonld#`, hydra: prefixes.hydra }
}

function termsOf(shape: Shape, { apiVersion, everyName }: Publication): JsonObject {
  const { type } = shape
  // The terms of the version in use come first. If several versions share a name, the version in use defines
  // it.
  const apiVersions = everyName ? [apiVersion, ...apiVersion.all.values(), apiVersion] : [apiVersion]
  const terms = apiVersions
    .flatMap((version) => propertiesIn(shape, version))
    .map(([name, property]) => [name, propertyTerm(`${type}/${name}`, property)])
  const fallbacks = { '@id': `${type}/fallbacks`, '@type': '@json' }
  return { id: `${type}/id`, fallbacks, ...Object.fromEntries(terms) }
}

/** Every shape that documents of this shape can embed, directly or indirectly. */
function embeddedIn(shape: Shape, resources: readonly Resource[]): Shape[] {
  const shapes = new Map(resources.map((resource) => [resource.shape.type, resource.shape]))
  const reached = new Set<Shape>()
  const visit = (shape: Shape | undefined): void => {
    for (const property of Object.values(shape?.properties ?? {})) {
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
