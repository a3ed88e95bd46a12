/** How a property's values are to be read in JSON-LD: links as IRIs, free JSON as JSON, objects by their own members. */
import { z } from 'zod'
import type { Json, JsonObject } from '../core/json.ts'
import { type Property, schemaShown } from '../core/property.ts'

/** The term of a property in a context. */
export function propertyTerm(id: string, { schema, link, of }: Property): Json {
  const shown = bare(schema)
  const list = shown instanceof z.ZodArray
  if (link || of !== null) return { '@id': id, '@type': '@id', ...(list && set) }
  return termOf(id, shown)
}

const set = { '@container': '@set' }

function termOf(id: string, schema: z.ZodType): Json {
  const list = schema instanceof z.ZodArray
  const one = list ? bare(schema.element as z.ZodType) : schema
  const container = list ? set : {}
  // What has a type of its own has terms of its own.
  if (one instanceof z.ZodObject && '@type' in one.shape) return { '@id': id, '@type': '@id', ...container }
  if (one instanceof z.ZodObject) return { '@id': id, '@context': membersOf(id, one), ...container }
  if (isLink(one)) return { '@id': id, '@type': '@id', ...container }
  if (isFree(one)) return { '@id': id, '@type': '@json' }
  return list ? { '@id': id, ...container } : id
}

/** They reach into what stands in these objects, which has terms of its own: not every parser follows `@propagate: false` into lists. */
function membersOf(id: string, { shape }: z.ZodObject): JsonObject {
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([name]) => !name.startsWith('@'))
      .map(([name, each]) => [name, termOf(`${id}/${name}`, bare(each as z.ZodType))]),
  )
}

/** The types of the resources that a property's values can embed. */
export function typesIn({ schema, of }: Property): string[] {
  return of === null ? embeddedTypes(bare(schema)) : [of]
}

function embeddedTypes(schema: z.ZodType): string[] {
  const resource = schema.meta()?.resource
  if (typeof resource === 'string') return [resource]
  if (schema instanceof z.ZodArray) return embeddedTypes(bare(schema.element as z.ZodType))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.values(schema.shape).flatMap((each) => embeddedTypes(bare(each as z.ZodType)))
}

/** Objects with any members, and what may be anything. */
function isFree(schema: z.ZodType): boolean {
  return schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown || schema instanceof z.ZodAny
}

function isLink(schema: z.ZodType): boolean {
  const { format, resource } = schema.meta() ?? {}
  return format === 'uri-reference' || resource !== undefined
}

/** The schema of what documents show, without what only says when there is none. */
function bare(schema: z.ZodType): z.ZodType {
  const shown = schemaShown(schema)
  if (shown) return bare(shown)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return bare(schema.unwrap() as z.ZodType)
  }
  return schema instanceof z.ZodPipe ? bare(schema.in as z.ZodType) : schema
}
