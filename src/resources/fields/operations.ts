import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { publicRead } from '../shared/ordinary-operations.ts'
import {
  type FieldType,
  fieldTypes,
  type ReferenceKind,
  fieldType as shape,
  typeIri,
  typeOfSlug,
} from './types.ts'

const common = { ...publicRead, shape } as const

export const resource: Resource = {
  shape,
  problems: [],
  operations: [
    operation({
      ...common,
      name: 'listMetafieldDefinitionTypes',
      summary: 'List the types that a custom field can have',
      path: shape.collection,
      answers: 'collection',
      run: listTypes,
    }),
    operation({
      ...common,
      name: 'getMetafieldDefinitionType',
      summary: 'Read a type of custom fields',
      path: '/api/metafield_definition_types/{slug}',
      params: { slug: z.string() },
      answers: 'item',
      run: getType,
    }),
  ],
}

async function listTypes(): Promise<Answer> {
  return { kind: 'collection', members: fieldTypes.map(document), total: fieldTypes.length }
}

async function getType(_: Context, { params: { slug } }: Input<{ params: 'slug' }>): Promise<Answer> {
  const fieldType = typeOfSlug(slug)
  if (!fieldType) throw publicRead.notFound()
  return { kind: 'item', document: document(fieldType), version: null }
}

const referencedTypes: Readonly<Record<ReferenceKind, string>> = {
  products: 'Product',
  variants: 'Variant',
  categories: 'Category',
  collections: 'ProductCollection',
  metaobjects: 'Metaobject',
}

function document({ slug, name, description, list, refersTo, rules }: FieldType): Value {
  return {
    '@id': typeIri(slug),
    '@type': shape.type,
    slug,
    name,
    description,
    list,
    referencedType: refersTo && referencedTypes[refersTo],
    validations: rules,
  }
}
