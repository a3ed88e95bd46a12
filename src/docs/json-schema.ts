import * as z from 'zod'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { anyType, fullDescription, type Property, type Shape } from '../core/schema.ts'
import { elementOf, type Keyword, metaOf, schemaIn, within } from '../core/zod.ts'
import { exampleOf } from './examples.ts'
import { type Publication, propertiesIn } from './publication.ts'

/**
 * The `@type` of the resources that a property links to or contains. `anyType` if any type is possible, null
 * if it has no type.
 */
export function targetOf(property: Property, resources: readonly Resource[]): string | null {
  const { objectType, targetType, schema } = property
  if (objectType !== null || targetType !== null) return objectType ?? targetType
  return typeAt(collectionIn(schema), resources)
}

function typeAt(collection: string | undefined, resources: readonly Resource[]): string | null {
  return resources.find(({ shape }) => shape.collection === collection)?.shape.type ?? null
}

function collectionIn(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodArray) return collectionIn(elementOf(schema))
  const inner = schema instanceof z.ZodPipe ? within(schema) : null
  return inner ? collectionIn(inner) : metaOf(schema).leadsTo
}

/** The recorded IRI of an item of a type; of the first type if any is possible. */
export function exampleIri(type: string | null, resources: readonly Resource[]): string {
  const { shape, operations } = resources.find((resource) => resource.shape.type === type) ?? resources[0]!
  const items = operations.filter(
    (operation) => operation.answers === 'item' && operation.shape.type === shape.type,
  )
  // A read before a write, whose item does not exist before it.
  const reads = items.toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'))
  const iris = reads.map((operation) => {
    const { response } = exampleOf(operation)
    return isJsonObject(response) ? response['@id'] : undefined
  })
  return String(
    iris.find((iri) => iri !== undefined) ??
      shape.collection.replaceAll(/\{\w+\}/g, '01a22a60-2b1c-7d11-8c55-0f6a2b9d4c31'),
  )
}

/** A JSON Schema (2020-12) that can still be extended. */
export type Schema = { [keyword: string]: Json }

export type Direction = 'read' | 'write'

/** The JSON Schema keywords that a zod schema's metadata can add or override. */
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

/** A zod schema as JSON Schema, either of the input or of the value in documents. */
export function schemaOf(schema: z.ZodType, direction: Direction, publication: Publication): Schema {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    metadata: noMetadata,
    override({ zodSchema, jsonSchema }) {
      const target: Record<string, unknown> = jsonSchema
      const node = schemaIn(zodSchema)
      const { shape, resource, leadsTo, ...meta } = metaOf(node)
      const override = direction === 'read' ? meta.shown : undefined
      if (override) replace(target, schemaOf(override, direction, publication))
      else if (shape) replace(target, bodySchema(shape, shape.mode, publication))
      // Documents embed the resource while it fits, else they contain its IRI.
      else if (resource) replace(target, { anyOf: [reference(resource), iriSchema] })
      if (leadsTo && direction === 'write') {
        target.examples = [exampleIri(typeAt(leadsTo, publication.resources), publication.resources)]
      }
      for (const keyword of keywords) {
        const value = meta[keyword]
        if (value !== undefined) target[keyword] = value
      }
      if (target.maximum === Number.MAX_SAFE_INTEGER) delete target.maximum
      if (target.minimum === Number.MIN_SAFE_INTEGER) delete target.minimum
    },
  })
  const { $schema: _, ...rest }: Schema = JSON.parse(JSON.stringify(converted))
  return rest
}

function replace(target: Record<string, unknown>, replacement: Schema): void {
  for (const keyword of Object.keys(target)) delete target[keyword]
  Object.assign(target, replacement)
}

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The IRI of a resource of this service. */
export const iriSchema: Schema = { type: 'string', format: 'uri-reference' }

/** The schema of a property in documents. */
export function documentSchema(property: Property, publication: Publication): Schema {
  const { schema, objectType, isLink, description, example } = property
  const valueSchema = schemaOf(schema, 'read', publication)
  const isList = valueSchema.type === 'array'
  const address = isLink ? addressSchema(property, publication) : null
  const itemSchema = objectType === null ? address : embedded(objectType, address, publication)
  const propertySchema =
    itemSchema === null ? valueSchema : isList ? { type: 'array', items: itemSchema } : itemSchema
  const nullableSchema = isNullable(property, isList) ? orNull(propertySchema) : propertySchema
  const hasExample = example !== undefined && objectType === null && !metaOf(schema).shown
  return { ...nullableSchema, description, ...(hasExample && { examples: [example] }) }
}

function addressSchema(property: Property, { resources }: Publication): Schema {
  return { ...iriSchema, examples: [exampleIri(targetOf(property, resources), resources)] }
}

function embedded(of: string, address: Schema | null, { resources }: Publication): Schema {
  if (of !== anyType) return address ? { anyOf: [reference(of), address] } : reference(of)
  const eventedResources = resources.filter(({ shape }) => Object.hasOwn(shape.properties, 'updatedAt'))
  return { anyOf: [...eventedResources.map(({ shape }) => reference(shape.type)), { type: 'null' }] }
}

/**
 * Whether a property can be null. A property that can be cleared is null if it has no default. A property
 * from another table is null only if it is a link. The schema of a derived property declares it.
 */
function isNullable(
  { schema, writable, required, defaultValue, stored, isLink }: Property,
  isList: boolean,
): boolean {
  if (writable === 'never') return schema instanceof z.ZodNullable
  return !required && defaultValue === null && (stored || (isLink && !isList))
}

function orNull(schema: Schema): Schema {
  if (Array.isArray(schema.enum)) return { ...schema, type: ['string', 'null'], enum: [...schema.enum, null] }
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] }
  if (Array.isArray(schema.type))
    return schema.type.includes('null') ? schema : { ...schema, type: [...schema.type, 'null'] }
  if (isJsonArray(schema.anyOf)) {
    const hasNull = schema.anyOf.some((choice) => isJsonObject(choice) && choice.type === 'null')
    return hasNull ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  }
  return '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : schema
}

/**
 * The schema of a body: the writable properties of a shape. Null is allowed for each property that can be
 * cleared.
 */
export function bodySchema(shape: Shape, mode: 'create' | 'patch', publication: Publication): Schema {
  const writableProperties = propertiesIn(shape, publication.apiVersion).filter(
    ([, { writable }]) => writable === 'always' || (writable === 'create' && mode === 'create'),
  )
  const properties = writableProperties.map(([name, property]) => {
    const { schema, required, translatable, objectType } = property
    const { example = addressIn(property, publication) } = property
    const inputSchema = renamedInside(schemaOf(schema, 'write', publication), objectType, publication)
    const clears = !required || (mode === 'patch' && translatable)
    const nullableSchema = clears ? orNull(inputSchema) : inputSchema
    return [
      name,
      {
        ...nullableSchema,
        description: `${fullDescription(property)}${mode === 'create' ? defaultText(property) : ''}`,
        ...(property.writeOnly && { writeOnly: true }),
        ...(example !== undefined && { examples: [example] }),
      },
    ]
  })
  const required =
    mode === 'create' ? writableProperties.filter(([, choice]) => choice.required).map(([name]) => name) : []
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** Not the keyword `default`, from which generators of types conclude that a body must have the property. */
function defaultText({ defaultValue }: Property): string {
  return defaultValue === null ? '' : ` By default \`${JSON.stringify(defaultValue)}\`.`
}

/** The example of a link, as a list if the property can hold several. */
function addressIn(property: Property, { resources }: Publication): Json | undefined {
  const target = property.isLink ? targetOf(property, resources) : null
  if (target === null) return undefined
  const address = exampleIri(target, resources)
  return property.schema instanceof z.ZodArray || property.schema instanceof z.ZodPipe ? [address] : address
}

/** Renames the properties of objects that represent a resource to the names of the version. */
function renamedInside(schema: Schema, of: string | null, publication: Publication): Schema {
  const names = of === null ? undefined : publication.apiVersion.renames.get(of)
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
      const renamed = Object.entries(value).map(([name, member]) => [names.get(name) ?? name, walk(member)])
      return [key, Object.fromEntries(renamed)]
    }),
  )
}
