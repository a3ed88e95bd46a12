/** What the values of a property are, in Hydra's terms. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { anyType, type Property } from '../core/property.ts'
import { targetOf } from './links.ts'
import type { Publication } from './publication.ts'

/** The class of what a property leads to or embeds, else the datatype of what it holds. */
export function rangeOf(property: Property, schema: JsonObject, { resources }: Publication): string {
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
export function collectionRange(type: string): Json[] {
  return ['hydra:Collection', { equivalentClass: { onProperty: 'hydra:member', allValuesFrom: `#${type}` } }]
}

/** Hydra's draft says `writeable` and later texts `writable`; clients of both generations are about. */
export function written(writable: boolean) {
  return { writeable: writable, writable }
}
