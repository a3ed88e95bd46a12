import * as z from 'zod'
import type { Property } from './property.ts'
import { metaOf } from './schema-meta.ts'
import { elementOf, within } from './schema-parts.ts'

/** Whether documents show what a property holds unasked: a resource, a list of IRIs, or objects of its own. */
export function isEmbedded({ of, link, schema, writeOnly }: Property): boolean {
  if (writeOnly) return false
  return of !== null || (link && isList(schema)) || holdsObjects(metaOf(schema).shown ?? schema)
}

function isList(schema: z.ZodType): boolean {
  const inner = schema instanceof z.ZodPipe ? within(schema) : null
  return inner ? isList(inner) : schema instanceof z.ZodArray
}

function holdsObjects(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return holdsObjects(elementOf(schema))
  const inner = schema instanceof z.ZodPipe || schema instanceof z.ZodNullable ? within(schema) : null
  return inner ? holdsObjects(inner) : schema instanceof z.ZodObject
}
