import * as z from 'zod'
import { parseInstant } from '../../core/instant.ts'
import { idIn, isId, itemIn } from '../../core/iri.ts'
import { isCountry } from '../../core/locale.ts'
import { currencyExponent } from '../../core/money.ts'
import type { Violation } from '../../core/problem.ts'
import { formats, validationProblems as v, validationProblems } from '../../core/problems/validation.ts'
import { readOnly, shownAs, writable } from '../../core/schema.ts'
import { slugMaximumLength, slugPattern } from '../../core/slug.ts'
import { violation } from '../../core/violations.ts'
import { isWebAddress } from '../../core/web-address.ts'

/** Schemas of properties that several resources share. None of them accepts null. */

const problems = validationProblems

function issueOf(problem: Violation) {
  return { code: 'custom' as const, ...violation(problem) }
}

/** Text that Postgres can store: no U+0000, no unpaired surrogate. */
function text(maximum: number) {
  return z
    .string()
    .max(maximum)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), violation(problems.characters.at('')))
}

const visibleCharacter = /\S/

/** 1 to 255 characters, at least one of them visible. */
export const titleText = text(255).refine(
  (value) => visibleCharacter.test(value),
  violation(problems.blank.at('')),
)

/** 1 to 255 characters. */
export const shortText = text(255).min(1)

/** Up to 65,535 characters. */
export const longText = text(65_535)

/** An id in another system, 1 to 255 characters. */
export const externalId = text(255).min(1)

/** A handle: lower-case ASCII letters and digits in words joined by single hyphens, at most 255 characters. */
const slug = z
  .string()
  .max(slugMaximumLength)
  .refine((value) => slugPattern.test(value), violation(problems.handle.at('')))
  .meta({ pattern: slugPattern.source, examples: ['summer-sale-2026'] })

/** A position among siblings, from 0; -1 is the end. */
export const position = shownAs(z.int().min(-1), z.int().min(0))

/** The position among siblings, of which `end` is the last. Absent, null, negative and too large positions mean the end. */
export function positionIn(requested: unknown, end: number): number {
  return typeof requested !== 'number' || requested < 0 ? end : Math.min(requested, end)
}

/** The final positions of new rows that are inserted one after another. The siblings keep their order around them. */
export function finalPositions(
  rows: readonly { readonly id: string; readonly position: number | null | undefined }[],
  siblings: number,
): { readonly id: string; readonly position: number }[] {
  const order: (string | null)[] = Array.from({ length: siblings }, () => null)
  for (const { id, position } of rows) order.splice(positionIn(position, order.length), 0, id)
  return order.flatMap((id, position) => (id === null ? [] : [{ id, position }]))
}

/** Descriptions of write behaviour that several resources share. */
export const endPosition = '-1 is the end.'
export const replacedOrMerged = 'An array replaces them all, an object keyed by field key merges.'

const identifierPattern = /^[A-Za-z0-9_.:-]{1,255}$/

/** The free identifier of a channel or a supplier. */
export const identifier = z
  .string()
  .refine(
    (value) => identifierPattern.test(value),
    violation(problems.pattern.at('', { format: formats.identifier })),
  )
  .meta({ pattern: identifierPattern.source, examples: ['web'] })

/** A moment as documents show it: RFC 3339, UTC, microseconds. */
export const instantText = z.string().meta({ format: 'date-time', examples: ['2026-10-01T08:30:00.000000Z'] })

/** Parses a date-time (UTC if it has no zone) or a date into a canonical instant. */
export const instantInput = shownAs(
  z.string().transform((value, check) => {
    const parsed = parseInstant(value)
    if (parsed !== null) return parsed
    check.addIssue(issueOf(problems.instant.at('')))
    return z.NEVER
  }),
  instantText,
)

/** The IRI of another resource in a response. */
export const iriText = z.string().meta({ format: 'uri-reference' })

/**
 * A link to an item of a collection (`/api/categories`): its IRI, or an object with `@id`. Parses to the id.
 * Other members of the object are not written, but those in `checked` are validated.
 */
export function relation(collection: string, checked: z.ZodRawShape = {}) {
  return link((iri) => idIn(iri, collection), collection, checked)
}

/** A link to an item below an owner, like `relation`. Parses to both ids. */
export function ownedRelation(collection: string) {
  const find = (iri: string) => {
    const { id, ownerId } = itemIn(iri, collection) ?? {}
    return id && ownerId ? { id, ownerId } : null
  }
  return link(find, collection)
}

function link<Found extends NonNullable<unknown>>(
  find: (iri: string) => Found | null,
  collection: string,
  checked: z.ZodRawShape = {},
) {
  const iri = z
    .string()
    .meta({ format: 'uri-reference' })
    .transform((text, check) => {
      const target = find(text)
      if (target !== null) return target
      check.addIssue(issueOf(invalidIri(collection)))
      return z.NEVER
    })
  return z
    .union([iri, z.looseObject({ ...checked, '@id': iri }).transform((object) => object['@id'])])
    .meta({ leadsTo: collection })
}

/** The violation for a text that is no IRI of a collection's item, with a request that finds the item. */
export function invalidIri(collection: string): Violation {
  const help =
    helpBelowProducts[collection] ??
    `Send the @id of an item. GET ${collection}?externalId=… finds one by its externalId.`
  return problems.invalid_iri.at('', { expected: `${collection}/{id}` }, help)
}

/** Collections without a list of all items. */
const helpBelowProducts: Readonly<Record<string, string>> = {
  '/api/product_options':
    'Send the @id of an option. GET /api/products?handle=… finds a product, with the @id of each option.',
  '/api/products/{productId}/variants':
    'Send the @id of a variant. GET /api/products?sku=… finds the product of a SKU, with the @id of each variant.',
}

/** A reference in a query: an IRI of the collection or only the id. Parses to the id. */
export function referenceParameter(collection: string) {
  return z
    .string()
    .meta({ leadsTo: collection })
    .transform((text, check) => {
      const id = isId(text) ? text : idIn(text, collection)
      if (id !== null) return id
      check.addIssue(issueOf(invalidIri(collection)))
      return z.NEVER
    })
}

const webAddress = text(2048)
  .refine(isWebAddress, violation(problems.url.at('')))
  .meta({ format: 'uri', examples: ['https://www.example.com/shirt.jpg'] })

/** Maximum number of media of a resource. */
export const maximumMedia = 250

/** Media, each at an absolute http or https URL. */
export const mediaList = z
  .array(
    z.object({
      url: webAddress,
      alt: text(1000).nullable().default(null),
      type: z.enum(['IMAGE', 'VIDEO', 'MODEL_3D', 'DOCUMENT']).default('IMAGE'),
    }),
  )
  .max(maximumMedia)

/** Texts for search engines. Each part can be omitted or cleared separately. */
export const seo = z.object({
  title: text(255).nullable().optional(),
  description: text(65_535).nullable().optional(),
})

/** The property `externalId` of a resource; `noun` is `category`. */
export function externalIdProperty(noun: string, example: string) {
  return writable(externalId, `The identifier of the ${noun} in another system.`, { example })
}

/** The property `title` of a resource that must have one. */
export function requiredTitle(description: string, example: string) {
  return writable(titleText, description, { required: true, translatable: true, example })
}

/** The property `handle` of a resource. `scope` says where it is unique: `the categories`. */
export function handleProperty(
  scope: string,
  example: string,
  writeDescription = 'Derived from the title when absent.',
) {
  return writable(slug, `A readable key, unique among ${scope}.`, { example, writeDescription })
}

/** The property `description` of a resource. */
export function descriptionProperty(example: string) {
  return writable(longText, 'The description; may be HTML.', { translatable: true, example })
}

/** A link to the elements of a resource that its document does not embed. */
export const partialView = z.object({
  '@id': iriText,
  '@type': z.literal('PartialCollectionView'),
  next: iriText,
})

/** Builds a `partialView`: `list` is the path of the elements, `next` the link to those that are not embedded. */
export function viewOf(list: string, next: string) {
  return { '@id': list, '@type': 'PartialCollectionView', next }
}

/** The properties that the service maintains for every resource: its version and its times. */
export function stamps() {
  return {
    version: readOnly(z.int(), 'How many times it was written; the first part of its ETag.'),
    createdAt: readOnly(instantText, 'When it was created: RFC 3339, UTC, microseconds.'),
    updatedAt: readOnly(instantText, 'When it last changed: RFC 3339, UTC, microseconds.'),
  }
}

/** An amount of money in responses: a decimal without a sign. */
const amountText = z.string().meta({ pattern: '^\\d+(\\.\\d+)?$', examples: ['19.90'] })

/** An amount of money in requests. It is validated together with its currency. */
export const moneyInput = shownAs(
  z.union([z.string().max(64), z.number()]).meta({ examples: ['19.90'] }),
  amountText,
)

/** An ISO 4217 code, in upper case. */
export const currencyCode = z
  .string()
  .refine((code) => currencyExponent(code) !== undefined, violation(v.currency.at('')))
  .meta({ pattern: '^[A-Z]{3}$', examples: ['EUR'] })

/** A currency in a query: an ISO 4217 code in any case. Parses to upper case. */
export const currencyInAnyCase = z.string().transform((text, check) => {
  const code = /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : ''
  if (currencyExponent(code) === undefined)
    check.addIssue({ code: 'custom', ...violation(v.currency.at('')) })
  return code
})

/** A whole number of pieces, at least one, that fits a Postgres `int`. */
export const quantity = z.int().min(1).max(2_147_483_647)

/** An ISO 3166-1 alpha-2 code, in upper case. */
export const countryCode = z
  .string()
  .refine(isCountry, violation(v.country.at('')))
  .meta({ pattern: '^[A-Z]{2}$', examples: ['FR'] })

/** A country in a query: ISO 3166-1 alpha-2 in any case. Parses to upper case. */
export const countryInAnyCase = z.string().transform((text, check) => {
  // Checked before the conversion, because some single letters become two letters in upper case.
  const code = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : ''
  if (!isCountry(code)) check.addIssue({ code: 'custom', ...violation(v.country.at('')) })
  return code
})
