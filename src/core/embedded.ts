import { z } from 'zod'
import { type Property, schemaShown } from './property.ts'

/** Whether documents show what a property holds unasked: a resource, a list of IRIs, or objects of its own. */
export function isEmbedded({ of, link, schema }: Property): boolean {
  return of !== null || (link && isList(schema)) || holdsObjects(schemaShown(schema) ?? schema)
}

function isList(schema: z.ZodType): boolean {
  return schema instanceof z.ZodPipe ? isList(schema.in as z.ZodType) : schema instanceof z.ZodArray
}

function holdsObjects(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodPipe) return holdsObjects(schema.in as z.ZodType)
  if (schema instanceof z.ZodArray) return holdsObjects(schema.element as z.ZodType)
  if (schema instanceof z.ZodNullable) return holdsObjects(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodObject
}
