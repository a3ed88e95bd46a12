/** The vocabularies that documents and documentation speak, and how their terms are spelled in a context of ours. */
import type { Json } from '../core/json.ts'

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

/** Hydra's terms in what lists answer: unprefixed, so that `member` is hydra:member. */
export const listTerms: Readonly<Record<string, Term>> = {
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
  // The value is a term of Hydra's, not an address.
  variableRepresentation: { '@id': 'hydra:variableRepresentation', '@type': '@vocab' },
  BasicRepresentation: 'hydra:BasicRepresentation',
  mapping: links('hydra:mapping'),
  variable: 'hydra:variable',
  property: { '@id': 'hydra:property', '@type': '@vocab' },
  required: 'hydra:required',
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
