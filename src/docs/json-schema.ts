import * as z from 'zod'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { anyType, fullDescription, type Property, type Shape } from '../core/schema.ts'
import { elementOf, type Keyword, metaOf, schemaIn, within } from '../core/zod.ts'
import { type Publication, propertiesIn } from './publication.ts'

/** Where links lead: the type of what stands behind them, and an address as an example. */

/** The `@type` that a property's links lead to or its objects have; `anyType` for each, null where it has neither. */
export function targetOf({ of, to, schema }: Property, resources: readonly Resource[]): string | null {
  if (of !== null || to !== null) return of ?? to
  const collection = collectionIn(schema)
  return resources.find(({ shape }) => shape.collection === collection)?.shape.type ?? null
}

function collectionIn(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodArray) return collectionIn(elementOf(schema))
  const inner = schema instanceof z.ZodPipe ? within(schema) : null
  return inner ? collectionIn(inner) : metaOf(schema).leadsTo
}

/** An id as the examples have it. */
export const exampleId = '019aa000-0000-7000-8000-000000000001'

/** The address of an item of a type, as the examples have it. */
export function exampleIri(type: string | null, resources: readonly Resource[]): string {
  const found = resources.find(({ shape }) => shape.type === type)
  if (!found) return `/api/products/${exampleId}`
  const { shape, operations } = found
  const item = operations.find(
    ({ path, method }) => method === 'GET' && path.startsWith(`${shape.collection}/{`),
  )
  return (item?.path ?? shape.collection).replace(/\{(\w+)\}/g, (_, name: string) =>
    item?.params?.[name] ? exampleKey(shape, name) : exampleId,
  )
}

function exampleKey({ properties }: Shape, name: string): string {
  return String(properties[name]?.example ?? name)
}

/** JSON Schemas (2020-12) of what is read and what is written, from the zod schemas that judge it. */

/** A JSON Schema that can still be added to. */
export type Schema = { [keyword: string]: Json }

export type Direction = 'read' | 'write'

/** The keywords that a zod schema's metadata may add or put right. */
const keywords: readonly Keyword[] = [
  'type',
  'format',
  'pattern',
  'enum',
  'minimum',
  'maximum',
  'default',
  'examples',
  'description',
]

const noMetadata = z.registry<Record<string, unknown>>()

/** A zod schema as JSON Schema: of the values that it takes, or that documents show in their place. */
export function schemaOf(schema: z.ZodType, direction: Direction, publication: Publication): Schema {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    metadata: noMetadata,
    override({ zodSchema, jsonSchema }) {
      const target = schemaJson(jsonSchema)
      const node = schemaIn(zodSchema)
      const { shape, resource, ...meta } = metaOf(node)
      const shown = direction === 'read' ? meta.shown : undefined
      if (shown) replace(target, schemaOf(shown, direction, publication))
      else if (shape) replace(target, writtenSchema(shape, 'create', publication))
      // Embedded as long as there is room, then told by its IRI.
      else if (resource) replace(target, { anyOf: [reference(resource), iriSchema] })
      for (const keyword of keywords) {
        const value = meta[keyword]
        if (value !== undefined) target[keyword] = value
      }
      if (target.maximum === Number.MAX_SAFE_INTEGER) delete target.maximum
      if (target.minimum === Number.MIN_SAFE_INTEGER) delete target.minimum
    },
  })
  const { $schema: _, ...rest } = schemaJson(converted)
  return rest
}

/** zod types its JSON Schemas by their keywords; the functions that it may hang on them are not enumerable. */
function schemaJson(schema: object): Schema {
  return schema as Schema
}

function replace(target: Schema, by: Schema): void {
  for (const keyword of Object.keys(target)) delete target[keyword]
  Object.assign(target, by)
}

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The IRI of something of ours. */
export const iriSchema: Schema = { type: 'string', format: 'uri-reference' }

/** What a document shows of a property. */
export function shownSchema(property: Property, publication: Publication): Schema {
  const { schema, of, link, description, example } = property
  const own = schemaOf(schema, 'read', publication)
  const isList = own.type === 'array'
  const address = link ? addressSchema(property, publication) : null
  const one = of === null ? address : embedded(of, address, publication)
  const shown = one === null ? own : isList ? { type: 'array', items: one } : one
  const whole = isNullable(property, isList) ? orNull(shown) : shown
  const ownExample = example !== undefined && of === null && !metaOf(schema).shown
  return { ...whole, description, ...(ownExample && { examples: [example] }) }
}

/** The address of what a property leads to. */
function addressSchema(property: Property, { resources }: Publication): Schema {
  return { ...iriSchema, examples: [exampleIri(targetOf(property, resources), resources)] }
}

function embedded(of: string, address: Schema | null, { resources }: Publication): Schema {
  if (of !== anyType) return address ? { anyOf: [reference(of), address] } : reference(of)
  const own = resources.filter(({ shape }) => Object.hasOwn(shape.properties, 'updatedAt'))
  return { anyOf: [...own.map(({ shape }) => reference(shape.type)), { type: 'null' }] }
}

/**
 * What may be cleared is null when it has no other value to fall back to; what is spliced in is null only as a link. What
 * the service derives says itself whether it can be null.
 */
function isNullable(
  { schema, writable, required, standard, stored, link }: Property,
  isList: boolean,
): boolean {
  if (writable === 'never') return schema instanceof z.ZodNullable
  return !required && standard === null && (stored || (link && !isList))
}

/** A schema that null fits, too. */
function orNull(schema: Schema): Schema {
  if (Array.isArray(schema.enum)) return { ...schema, type: ['string', 'null'], enum: [...schema.enum, null] }
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] }
  if (Array.isArray(schema.type))
    return schema.type.includes('null') ? schema : { ...schema, type: [...schema.type, 'null'] }
  if (isJsonArray(schema.anyOf)) {
    const known = schema.anyOf.some((each) => isJsonObject(each) && each.type === 'null')
    return known ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  }
  return '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** What a body may hold: the writable properties of a shape. Null clears, where something can be cleared. */
export function writtenSchema(shape: Shape, mode: 'create' | 'patch', publication: Publication): Schema {
  const taken = propertiesIn(shape, publication.dialect).filter(
    ([, { writable }]) => writable === 'always' || (writable === 'create' && mode === 'create'),
  )
  const properties = taken.map(([name, property]) => {
    const { schema, required, translatable, of, example = addressIn(property, publication) } = property
    const own = renamedInside(schemaOf(schema, 'write', publication), of, publication)
    const clears = !required || (mode === 'patch' && translatable)
    const whole = clears ? orNull(own) : own
    return [
      name,
      {
        ...whole,
        description: fullDescription(property),
        ...(property.writeOnly && { writeOnly: true }),
        ...(example !== undefined && { examples: [example] }),
      },
    ]
  })
  const required = mode === 'create' ? taken.filter(([, each]) => each.required).map(([name]) => name) : []
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** The example of a link, in a list where there may be several. */
function addressIn(property: Property, { resources }: Publication): Json | undefined {
  const target = property.link ? targetOf(property, resources) : null
  if (target === null) return undefined
  const address = exampleIri(target, resources)
  return property.schema instanceof z.ZodArray || property.schema instanceof z.ZodPipe ? [address] : address
}

/** Objects that stand for a resource name its properties as the version does. */
function renamedInside(schema: Schema, of: string | null, publication: Publication): Schema {
  const names = of === null ? undefined : publication.dialect.renames.get(of)
  if (!names) return schema
  return renamedIn(schema, names)
}

function renamedIn(schema: JsonObject, names: ReadonlyMap<string, string>): Schema {
  const walk = (node: Json): Json => {
    if (isJsonArray(node)) return node.map(walk)
    return isJsonObject(node) ? renamedIn(node, names) : node
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key !== 'properties' || !isJsonObject(value)) return [key, walk(value)]
      const renamed = Object.entries(value).map(([name, each]) => [names.get(name) ?? name, walk(each)])
      return [key, Object.fromEntries(renamed)]
    }),
  )
}
