import * as z from 'zod'
import { parseInstant } from '../../core/instant.ts'
import { idIn, relativeIri } from '../../core/iri.ts'
import { isJsonArray, isJsonObject, type Json } from '../../core/json.ts'
import { canonicalAmount, compareDecimals, currencyExponent } from '../../core/money.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { parseJson } from '../../core/strict-json.ts'
import { isWebAddress } from '../../core/web-address.ts'

/** Types of field values: the base types, and a list of each. Definitions add rules to them. */

/** The resources that a value can refer to. */
export type ReferenceKind = 'products' | 'variants' | 'categories' | 'collections' | 'metaobjects'

type Base = {
  readonly name: string
  readonly description: string
  readonly refersTo?: ReferenceKind
  /** The rules that a definition may add, in addition to those of lists. */
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

type BaseType = keyof typeof baseTypes
const isBaseType = (name: string): name is BaseType => Object.hasOwn(baseTypes, name)

/** The type of a field; in the API, a metafield definition type. */
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
  Object.keys(baseTypes)
    .filter((name) => isBaseType(name))
    .map((base) => {
      const type: Base = baseTypes[base]
      return {
        slug: list ? `list.${base}` : base,
        base,
        list,
        name: list ? `List: ${type.name}` : type.name,
        description: list ? `JSON text of an array. Each entry: ${type.description}` : type.description,
        refersTo: type.refersTo ?? null,
        rules: [...(type.rules ?? []), ...(list ? ['list.min', 'list.max'] : [])],
      }
    }),
)

const bySlug = new Map(fieldTypes.map((type) => [type.slug, type]))

const collection = '/api/metafield_definition_types'

/** `/api/metafield_definition_types/date` */
export function typeIri(slug: string): string {
  return `${collection}/${slug}`
}

/** The violation for a text that is no IRI of a type. */
export const unknownType = (path: string) =>
  validationProblems.invalid_iri.at(
    path,
    { expected: typeIri('{slug}') },
    `GET ${collection} lists the types.`,
  )

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

/** A rule that a definition adds to the type of a field, as texts: `{name: "max", value: "10"}`. */
export type Rule = { readonly name: string; readonly value: string }

/** Returns whether one entry, already valid for its type, meets a rule. */
type Test = (entry: string) => boolean

type Rules = {
  readonly tests: readonly Test[]
  readonly minimum: number
  readonly maximum: number
  /** The definition that a referenced metaobject must have; null for any. */
  readonly definitionId: string | null
}

/** Maximum number of entries of a list. */
export const maxListLength = 128

/** True if a definition may add the rule to the type: the type supports its name, and its value is valid. */
export function isRule(type: FieldType, rule: Rule): boolean {
  if (!type.rules.includes(rule.name)) return false
  if (rule.name === 'list.min' || rule.name === 'list.max') return countIn(rule.value) !== null
  if (namesDefinition(rule.name)) return definitionIn(rule.value) !== null
  return testOf(type.base, rule) !== null
}

/** True if the value of a rule is the IRI of a definition. */
export function namesDefinition(rule: string): boolean {
  return rule === 'metaobject_definition'
}

/** Parses the rules of a field. Each of them has passed `isRule`. */
function rulesOf({ base }: FieldType, rules: readonly Rule[]): Rules {
  const ruleValue = (name: string) => rules.find((rule) => rule.name === name)?.value
  const [minimum, maximum, definition] = [
    ruleValue('list.min'),
    ruleValue('list.max'),
    ruleValue('metaobject_definition'),
  ]
  return {
    tests: rules.flatMap((rule) => testOf(base, rule) ?? []),
    minimum: minimum === undefined ? 0 : (countIn(minimum) ?? 0),
    maximum: maximum === undefined ? maxListLength : (countIn(maximum) ?? maxListLength),
    definitionId: definition === undefined ? null : definitionIn(definition),
  }
}

const integer = /^-?(?:0|[1-9]\d{0,15})$/
const decimal = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/

/** Checks the form of an entry by base type. `readReferences` checks references. */
const forms: Readonly<Partial<Record<BaseType, Test>>> = {
  single_line_text_field: (entry) => entry !== '' && !/[\n\r\u2028\u2029]/.test(entry),
  multi_line_text_field: (entry) => entry !== '',
  number_integer: (entry) => integer.test(entry) && Number.isSafeInteger(Number(entry)),
  number_decimal: (entry) => decimal.test(entry),
  boolean: (entry) => entry === 'true' || entry === 'false',
  date: (entry) => entry.length === 10 && parseInstant(entry) !== null,
  date_time: (entry) => entry.length > 10 && parseInstant(entry) !== null,
  color: (entry) => /^#[0-9a-f]{6}$/i.test(entry),
  money: isMoney,
  json: (entry) => parsed(entry) !== undefined,
}

/** Parses JSON. Returns undefined for invalid JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function isMoney(text: string): boolean {
  const money = parsed(text)
  if (!isJsonObject(money) || Object.keys(money).length !== 2) return false
  const { amount, currency } = money
  const exponent = typeof currency === 'string' ? currencyExponent(currency) : undefined
  const isText = typeof amount === 'string' || typeof amount === 'number'
  return exponent !== undefined && isText && canonicalAmount(amount, exponent) !== null
}

/** The test of one entry by a rule. Null if the value of the rule is invalid, or the rule applies to lists only. */
function testOf(base: BaseType, { name, value }: Rule): Test | null {
  if (name === 'choices') {
    const choices = textsIn(value)
    return choices && ((entry) => choices.includes(entry))
  }
  if (name === 'allowed_domains') {
    const domains = textsIn(value)?.map((domain) => domain.toLowerCase())
    return domains ? (entry) => domains.includes(new URL(entry).hostname) : null
  }
  if (name === 'max_precision') {
    const maximum = countIn(value)
    return maximum === null ? null : (entry) => (entry.split('.')[1] ?? '').length <= maximum
  }
  const sign = name === 'min' ? 1 : name === 'max' ? -1 : 0
  const compare = sign === 0 ? null : comparison(base, value)
  return compare && ((entry) => compare(entry) * sign >= 0)
}

/** Compares an entry with a bound: negative, zero or positive. Texts compare by their number of characters. */
function comparison(base: BaseType, bound: string): ((entry: string) => number) | null {
  if (base === 'single_line_text_field' || base === 'multi_line_text_field') {
    const length = countIn(bound)
    return length === null ? null : (entry) => [...entry].length - length
  }
  if (!forms[base]?.(bound)) return null
  if (base !== 'date' && base !== 'date_time') return (entry) => compareDecimals(entry, bound)
  const moment = (text: string) => parseInstant(text) ?? ''
  return (entry) => (moment(entry) < moment(bound) ? -1 : Number(moment(entry) > moment(bound)))
}

function countIn(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null
}

function definitionIn(text: string): string | null {
  return idIn(text, '/api/metaobject_definitions')
}

function textsIn(text: string): readonly string[] | null {
  const list = parsed(text)
  if (!isJsonArray(list) || list.length === 0) return null
  return list.every((item): item is string => typeof item === 'string') ? list : null
}

/** Maximum length of a value in UTF-16 units. */
export const maxValueLength = 65_535

/** A resource that a value refers to. It must exist. */
export type Reference = {
  readonly kind: ReferenceKind
  readonly id: string
  readonly iri: string
  /** The definition that the referenced metaobject must have; null for any. */
  readonly definitionId: string | null
}

/**
 * Parses a value of a type under the rules of a definition. A value is always text; lists and structures are JSON text.
 * Returns its references in order, which the caller looks up, or null if the value is invalid.
 */
export function readValue(
  type: FieldType,
  value: string,
  rules: readonly Rule[] = [],
): { readonly references: readonly Reference[] } | null {
  if (value.length > maxValueLength || value.includes('\0') || !value.isWellFormed()) return null
  const entries = type.list ? entriesIn(type, value) : [value]
  const fieldRules = rulesOf(type, rules)
  if (
    !entries ||
    (type.list && !(entries.length >= fieldRules.minimum && entries.length <= fieldRules.maximum))
  )
    return null
  if (type.refersTo) return readReferences(entries, type.refersTo, fieldRules)
  const isValid = type.base === 'url' ? isUrl : forms[type.base]
  return isValid && entries.every((entry) => isValid(entry) && fieldRules.tests.every((test) => test(entry)))
    ? { references: [] }
    : null
}

function isUrl(entry: string): boolean {
  return entry.length <= 2048 && isWebAddress(entry)
}

function readReferences(entries: readonly string[], kind: ReferenceKind, { definitionId }: Rules) {
  const references = entries.flatMap((iri) => {
    const id = referredId(iri, kind)
    return id === null ? [] : [{ kind, id, iri, definitionId }]
  })
  return references.length === entries.length ? { references } : null
}

function referredId(text: string, kind: ReferenceKind): string | null {
  return idIn(text, kind === 'variants' ? '/api/products/{productId}/variants' : `/api/${kind}`)
}

/** The entries of a list as texts of single values. Null if the value is not a list of its type. */
function entriesIn({ base }: FieldType, value: string): string[] | null {
  const list = parsed(value)
  if (!isJsonArray(list) || list.length > maxListLength) return null
  const texts = list.map((entry) => textOf(entry, base))
  return texts.every((text) => text !== null) ? texts : null
}

function textOf(entry: Json, base: FieldType['base']): string | null {
  if (base === 'json') return JSON.stringify(entry)
  if (base === 'money') return isJsonObject(entry) ? JSON.stringify(entry) : null
  if (typeof entry === 'number') return base.startsWith('number_') ? String(entry) : null
  if (typeof entry === 'boolean') return base === 'boolean' ? String(entry) : null
  return typeof entry === 'string' ? entry : null
}

const anyId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** All ids in some values, whatever their types, so that one query can look up all of them. */
export function possibleReferences(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => value.match(anyId) ?? []))]
}

export const fieldType = {
  type: 'MetafieldDefinitionType',
  description: 'The kind of value that a custom field can have.',
  collection: '/api/metafield_definition_types',
  readWith: null,
  properties: {
    slug: readOnly(z.string(), 'The stable key of the type.', { example: 'single_line_text_field' }),
    name: readOnly(z.string(), 'The name of the type, in English.', { example: 'Single-line text' }),
    description: readOnly(z.string(), 'The meaning of a value, in English.', {
      example: 'Text without line breaks.',
    }),
    list: readOnly(z.boolean(), 'Whether a value is JSON text of an array.', { example: false }),
    referencedType: readOnly(
      z.string().nullable(),
      'The @type of the resources that a value refers to; null for none.',
      { example: null },
    ),
    validations: readOnly(z.array(z.string()), 'The names of the rules that a field definition may add.', {
      example: ['min', 'max', 'choices'],
    }),
  },
} satisfies Shape
