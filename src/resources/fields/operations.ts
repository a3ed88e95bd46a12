import { serviceResource } from '../shared/service-resource.ts'
import { fieldTypes, type ReferenceKind, fieldType as shape, typeIri } from './types.ts'

const referencedTypes: Readonly<Record<ReferenceKind, string>> = {
  products: 'Product',
  variants: 'Variant',
  categories: 'Category',
  collections: 'ProductCollection',
  metaobjects: 'Metaobject',
}

const documents = fieldTypes.map(({ slug, name, description, list, refersTo, rules }) => ({
  '@id': typeIri(slug),
  '@type': shape.type,
  slug,
  name,
  description,
  list,
  referencedType: refersTo && referencedTypes[refersTo],
  validations: rules,
}))

export const resource = serviceResource({
  shape,
  list: { name: 'listMetafieldDefinitionTypes', summary: 'List the types that a custom field can have' },
  item: { name: 'getMetafieldDefinitionType', summary: 'Read a type of custom fields' },
  key: 'slug',
  documents: () => documents,
})
