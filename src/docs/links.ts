/** Where links lead: the type of what stands behind them, and an address as an example. */
import * as z from 'zod'
import type { Resource } from '../core/operation.ts'
import type { Property, Shape } from '../core/property.ts'
import { metaOf } from '../core/schema-meta.ts'
import { elementOf, within } from '../core/schema-parts.ts'

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
