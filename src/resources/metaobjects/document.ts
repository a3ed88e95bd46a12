import * as z from 'zod'
import { documentInLocale, fitsIn, sized, type Value } from '../../core/document.ts'
import { idIn } from '../../core/iri.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { bytesOf } from '../../core/sizes.ts'
import { stampedRow, stamps } from '../../db/columns.ts'
import { columnsOf, type RowOf } from '../../db/query.ts'
import { typeIri } from '../fields/types.ts'
import { type Definition, definitionOf } from './definitions/document.ts'
import { metaobject, metaobjectIri } from './schema.ts'

const texts = z.record(z.string(), z.string()).readonly()
type Texts = z.infer<typeof texts>

/** The values of a metaobject's fields: shared by all locales, and by locale. */
export const fieldValues = { fields: texts, translations: z.record(z.string(), texts).readonly() }
export type FieldValues = RowOf<typeof fieldValues>

/** The columns of a metaobject's row, except the metaobjects that its values refer to. */
const storedRow = {
  ...columnsOf(z.string(), 'id', 'definitionId', 'document', 'status'),
  ...fieldValues,
  ...stampedRow,
}

/** The columns of a metaobject's row. `referenceIds`: the metaobjects that its values refer to, in any locale. */
export const metaobjectRow = { ...storedRow, referenceIds: z.array(z.string()).readonly() }

/** The parts of a definition that a metaobject's document needs. */
export type DefinitionOutline = z.infer<typeof definitionOutline>
const definitionOutline = z.object({
  displayNameField: z.string().nullable(),
  /** `type` is the slug of its type. */
  fields: z
    .array(z.object({ ...columnsOf(z.string(), 'key', 'type'), translatable: z.boolean() }))
    .readonly(),
})

/** A metaobject's row with the outline of its definition. */
export type MetaobjectRow = RowOf<typeof metaobjectRow> & { readonly outline: DefinitionOutline }

/** A referenced metaobject that the query skipped because of its byte limit. The document shows its IRI. */
export type SkippedMetaobject = Pick<MetaobjectRow, 'id' | 'status'> & { readonly document: null }

/** The data that a metaobject's document is rendered from: its row and the referenced metaobjects. Plain JSON. */
export type MetaobjectParts = MetaobjectRow & {
  readonly references: readonly (MetaobjectRow | SkippedMetaobject)[]
}

const eventMetaobject = z
  .object({ ...metaobjectRow, outline: definitionOutline })
  .omit(stamps)
  .extend({
    references: z
      .array(
        z.union([
          z.object({ ...metaobjectRow, outline: definitionOutline }),
          z.object({ ...columnsOf(z.string(), 'id', 'status'), document: z.null() }),
        ]),
      )
      .readonly(),
  })

export function outlineOf({ displayNameField, fields }: Definition): DefinitionOutline {
  return {
    displayNameField,
    fields: fields.map(({ key, type, translatable }) => ({ key, type: type.slug, translatable })),
  }
}

/**
 * The document that a metaobject's event stores. It can be rendered in any locale.
 * References are included up to a byte limit.
 */
export function metaobjectEventDocument(parts: MetaobjectParts): string {
  let remainingBytes: number = byteLimits.embeddedInEvent
  const references = parts.references.map((reference) => {
    remainingBytes -= bytesOf(JSON.stringify(reference))
    return remainingBytes < 0 ? { id: reference.id, status: reference.status, document: null } : reference
  })
  return JSON.stringify({ ...parts, references })
}

/**
 * Renders a metaobject in a locale, with referenced metaobjects embedded one level deep.
 * Drafts are embedded only if `seesDrafts`.
 */
export function metaobjectDocument(parts: MetaobjectParts, locale: Locale, seesDrafts: boolean): Value {
  const { outline, version, createdAt, updatedAt } = parts
  const fallbacks: Record<string, string> = {}
  const visible = [...parts.references, parts].filter(({ status }) => seesDrafts || status === 'ACTIVE')
  const references = visible.filter(({ id }) => parts.referenceIds.includes(id))
  const findEmbedded =
    parts.references.length === 0 && parts.referenceIds.length === 0
      ? null
      : embeddedDocuments(references, (row) =>
          row.document === null
            ? metaobjectIri(row.id)
            : metaobjectDocument({ ...row, references: [], referenceIds: [] }, locale, false),
        )
  const displayName = displayNameOf(parts, locale)
  if (displayName?.fellBack) fallbacks.displayName = displayName.fellBack
  const fields = outline.fields.flatMap((field) => {
    const text = shownValue(parts, field, locale)
    if (!text) return []
    if (text.fellBack) fallbacks[`fields.${field.key}`] = text.fellBack
    return [
      {
        key: field.key,
        value: text.value,
        type: typeIri(field.type),
        metaobject: findEmbedded ? referredDocuments(field.type, text.value, findEmbedded) : [],
      },
    ]
  })
  return {
    ...documentInLocale(parts, metaobject, locale),
    displayName: displayName?.value ?? null,
    fields,
    fallbacks: Object.keys(fallbacks).length > 0 ? fallbacks : undefined,
    version,
    createdAt,
    updatedAt,
  }
}

/**
 * A metaobject as published_metaobjects() returns it: with the stored document of its definition, or only its id. Plain
 * JSON.
 */
export type EmbeddedMetaobject = z.infer<typeof embeddedMetaobject>

const embeddedMetaobject = z.union([
  z.object({ ...storedRow, definition: z.string() }).readonly(),
  z.object({ id: z.string(), document: z.never().optional() }).readonly(),
])

/** The column of the metaobjects that the custom fields of a row refer to. */
export const embeddedMetaobjects = z.array(embeddedMetaobject).readonly().nullable()

/**
 * Renders a metaobject inside another resource, without its own references. Returns the IRI if the query skipped it.
 */
export function embeddedDocument(embedded: EmbeddedMetaobject, locale: Locale): Value {
  if (embedded.document === undefined) return metaobjectIri(embedded.id)
  const { definition, ...row } = embedded
  const { id, version } = row
  const outline = outlineOf(definitionOf({ id, version, document: definition }))
  return metaobjectDocument({ ...row, outline, references: [], referenceIds: [] }, locale, false)
}

type FindDocument = (id: string) => Value | undefined

/**
 * Returns a function that finds a referenced metaobject by id: its document if the documents of all rows together fit
 * into the byte limit, otherwise its IRI.
 */
export function embeddedDocuments<Row extends { readonly id: string }>(
  rows: readonly Row[],
  document: (row: Row) => Value,
): FindDocument {
  const documents = rows.map((row) => sized(document(row)))
  const fit = fitsIn(documents, byteLimits.embedded)
  const valuesById = new Map(
    rows.map(({ id }, index) => [id, fit ? documents[index]?.document : metaobjectIri(id)]),
  )
  return (id) => valuesById.get(id)
}

/** The metaobjects that a value refers to, without their own references. */
function referredDocuments(type: string, value: string, findDocument: FindDocument): Value[] {
  if (type !== 'metaobject_reference' && type !== 'list.metaobject_reference') return []
  const iris: string[] = type.startsWith('list.') ? JSON.parse(value) : [value]
  return iris.flatMap((iri) => findDocument(idIn(iri, '/api/metaobjects') ?? '') ?? [])
}

type LocalizedText = { readonly value: string; readonly fellBack: string | null }

function shownValue(
  values: FieldValues,
  field: DefinitionOutline['fields'][number],
  locale: Locale,
): LocalizedText | null {
  if (!field.translatable) {
    const value = textAt(values.fields, field.key)
    return value === null ? null : { value, fellBack: null }
  }
  for (const language of locale.chain) {
    const value = textAt(values.translations[language] ?? {}, field.key)
    if (value !== null) return { value, fellBack: language === locale.requested ? null : language }
  }
  return null
}

/** The display name in a locale. Null if the definition names no field, or the field has no value. */
export function displayNameOf(
  values: FieldValues & { outline: DefinitionOutline },
  locale: Locale,
): LocalizedText | null {
  const { displayNameField, fields } = values.outline
  const field = fields.find(({ key }) => key === displayNameField)
  return field ? shownValue(values, field, locale) : null
}

/** Returns an own property, even if the key is a name such as `__proto__`. */
export function textAt(texts: Texts, key: string): string | null {
  return (Object.hasOwn(texts, key) ? texts[key] : null) ?? null
}

export const metaobjectKind: Kind = {
  name: 'metaobjects',
  subject: 'metaobject',
  noun: 'A metaobject',
  shape: metaobject,
  document: (eventDocument, context, locale, access) =>
    metaobjectDocument(
      parseEventDocument(eventMetaobject, eventDocument, context),
      locale,
      access.seesDrafts(metaobject),
    ),
}
