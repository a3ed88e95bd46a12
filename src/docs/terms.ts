/** How a property's values are to be read in JSON-LD: links as IRIs, free JSON as JSON, objects by their own members. */
import * as z from 'zod'
import type { Json, JsonObject } from '../core/json.ts'
import type { Property } from '../core/property.ts'
import { metaOf } from '../core/schema-meta.ts'
import { elementOf, membersOf, within } from '../core/schema-parts.ts'

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
  const one = list ? bare(elementOf(schema)) : schema
  const container = list ? set : {}
  // What has a type of its own has terms of its own.
  if (one instanceof z.ZodObject && '@type' in one.shape) return { '@id': id, '@type': '@id', ...container }
  if (one instanceof z.ZodObject) return { '@id': id, '@context': memberTerms(id, one), ...container }
  if (isLink(one)) return { '@id': id, '@type': '@id', ...container }
  if (isFree(one)) return { '@id': id, '@type': '@json' }
  return list ? { '@id': id, ...container } : id
}

/** They reach into what stands in these objects, which has terms of its own: not every parser follows `@propagate: false` into lists. */
function memberTerms(id: string, object: z.ZodObject): JsonObject {
  return Object.fromEntries(
    Object.entries(membersOf(object))
      .filter(([name]) => !name.startsWith('@'))
      .map(([name, each]) => [name, termOf(`${id}/${name}`, bare(each))]),
  )
}

/** The types of the resources that a property's values can embed. */
export function typesIn({ schema, of }: Property): string[] {
  return of === null ? embeddedTypes(bare(schema)) : [of]
}

function embeddedTypes(schema: z.ZodType): string[] {
  const { resource } = metaOf(schema)
  if (resource !== undefined) return [resource]
  if (schema instanceof z.ZodArray) return embeddedTypes(bare(elementOf(schema)))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.values(membersOf(schema)).flatMap((each) => embeddedTypes(bare(each)))
}

/** Objects with any members, and what may be anything. */
function isFree(schema: z.ZodType): boolean {
  return schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown || schema instanceof z.ZodAny
}

function isLink(schema: z.ZodType): boolean {
  const { format, resource } = metaOf(schema)
  return format === 'uri-reference' || resource !== undefined
}

/** The schema of what documents show, without what only says when there is none. */
function bare(schema: z.ZodType): z.ZodType {
  const inner = metaOf(schema).shown ?? within(schema)
  return inner ? bare(inner) : schema
}
