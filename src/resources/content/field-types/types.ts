/** What the value of a field can be: the base types, and a list of each. */

import { relativeIri } from '../../../core/iri.ts'

/** The resources that a value can refer to. */
export type ReferenceKind = 'products' | 'variants' | 'categories' | 'collections' | 'metaobjects'

type Base = {
  readonly name: string
  readonly description: string
  readonly refersTo?: ReferenceKind
  /** The rules that a definition may add, beside those of lists. */
  readonly rules?: readonly string[]
}

const baseTypes = {
  single_line_text_field: {
    name: 'Single-line text',
    description: 'Text without line breaks.',
    rules: ['min', 'max', 'choices'],
  },
  multi_line_text_field: {
    name: 'Multi-line text',
    description: 'Text that may have line breaks.',
    rules: ['min', 'max'],
  },
  number_integer: {
    name: 'Integer',
    description: 'A whole number from -9007199254740991 to 9007199254740991: 42.',
    rules: ['min', 'max'],
  },
  number_decimal: {
    name: 'Decimal',
    description: 'A decimal number with up to 15 digits before the point and 9 after it: 19.5.',
    rules: ['min', 'max', 'max_precision'],
  },
  boolean: { name: 'True or false', description: 'true or false.' },
  date: { name: 'Date', description: 'An RFC 3339 full-date: 2026-10-01.', rules: ['min', 'max'] },
  date_time: {
    name: 'Date and time',
    description:
      'An ISO 8601 date and time, with Z, a numeric offset, or no zone for UTC: 2026-10-01T12:00:00Z.',
    rules: ['min', 'max'],
  },
  url: { name: 'URL', description: 'An absolute http or https URL.', rules: ['allowed_domains'] },
  color: { name: 'Colour', description: 'An RGB colour in six hexadecimal digits: #33cc99.' },
  money: {
    name: 'Money',
    description: 'JSON text of an amount and its ISO 4217 currency: {"amount":"19.90","currency":"EUR"}.',
  },
  json: { name: 'JSON', description: 'Any JSON text.' },
  product_reference: { name: 'Product', description: 'The IRI of a product.', refersTo: 'products' },
  variant_reference: { name: 'Variant', description: 'The IRI of a variant.', refersTo: 'variants' },
  category_reference: { name: 'Category', description: 'The IRI of a category.', refersTo: 'categories' },
  collection_reference: {
    name: 'Collection',
    description: 'The IRI of a collection of products.',
    refersTo: 'collections',
  },
  metaobject_reference: {
    name: 'Metaobject',
    description: 'The IRI of a metaobject.',
    refersTo: 'metaobjects',
    rules: ['metaobject_definition'],
  },
} as const satisfies Record<string, Base>

export type BaseType = keyof typeof baseTypes

/** A type that a field can have: on the wire, a metafield definition type. */
export type FieldType = {
  /** `date`, `list.date` */
  readonly slug: string
  readonly base: BaseType
  readonly list: boolean
  readonly name: string
  readonly description: string
  readonly refersTo: ReferenceKind | null
  /** The names of the rules that a definition may add. */
  readonly rules: readonly string[]
}

/** Every type: the base types, then the list of each, in a stable order. */
export const fieldTypes: readonly FieldType[] = [false, true].flatMap((list) =>
  Object.entries(baseTypes).map(([base, each]: [string, Base]) => ({
    slug: list ? `list.${base}` : base,
    // Object.entries forgets which names there are.
    base: base as BaseType,
    list,
    name: list ? `List: ${each.name}` : each.name,
    description: list ? `JSON text of an array. Each entry: ${each.description}` : each.description,
    refersTo: each.refersTo ?? null,
    rules: [...(each.rules ?? []), ...(list ? ['list.min', 'list.max'] : [])],
  })),
)

const bySlug = new Map(fieldTypes.map((each) => [each.slug, each]))

/** The type of a slug; undefined when there is none. */
export function typeOfSlug(slug: string): FieldType | undefined {
  return bySlug.get(slug)
}

const collection = '/api/metafield_definition_types'

/** `/api/metafield_definition_types/date` */
export function typeIri(slug: string): string {
  return `${collection}/${slug}`
}

/** The type that the IRI of a stored field names. */
export function knownType(iri: string): FieldType {
  const type = typeIn(iri)
  if (!type) throw new Error(`a stored field has the unknown type ${iri}`)
  return type
}

/** The type that an IRI names, or null. */
export function typeIn(text: string): FieldType | null {
  const iri = relativeIri(text)
  return iri.startsWith(`${collection}/`) ? (bySlug.get(iri.slice(collection.length + 1)) ?? null) : null
}
