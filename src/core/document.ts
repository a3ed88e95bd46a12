import type { Translations } from '../db/columns.ts'
import { parseStored } from '../db/row-types.ts'
import { oncePer } from './cache.ts'
import { type Json, type JsonObject, jsonObject } from './json.ts'
import { type Locale, translated } from './locale.ts'
import type { Difference } from './patch.ts'
import { type Shape, translatableOf } from './schema.ts'
import { type SelectedMembers, selects } from './select.ts'
import { bytesOf } from './sizes.ts'

/** A document with the bytes of its JSON. */
export type SizedDocument = { readonly document: Value; readonly bytes: number }

/** Counts the bytes of a document's JSON. */
export function sized(document: Value): SizedDocument {
  return { document, bytes: bytesOf(textOf(document)) }
}

/** Whether documents together have at most `limit` bytes. */
export function fitsIn(documents: readonly SizedDocument[], limit: number): boolean {
  return documents.reduce((sum, { bytes }) => sum + bytes, 0) <= limit
}

/** The differences between two states of a document. They are rendered with the names of the caller's version. */
export class Differences {
  readonly type: string
  readonly differences: readonly Difference[]

  constructor(type: string, differences: readonly Difference[]) {
    this.type = type
    this.differences = differences
  }

  toJSON(): readonly Difference[] {
    return this.differences
  }
}

/** The members of an object; undefined members are left out. */
export type Members = { readonly [name: string]: Value | undefined }
/** A JSON-LD document with current names, or a part of it. */
export type Value = Json | Differences | readonly Value[] | Members

/** The stored document of a row: its JSON text, or its members. */
export type RowDocument = string | JsonObject

/** The stored document of a row; `translations` is needed only for locales other than the stored one. */
export type StoredDocument = { readonly document: RowDocument; readonly translations?: Translations | null }

/**
 * A row's complete document, or its selected members. Translations replace its strings if the locale is not the stored
 * one.
 */
export function documentInLocale(
  { document, translations }: StoredDocument,
  shape: Shape,
  locale: Locale,
  selectedMembers: SelectedMembers = null,
): JsonObject {
  const stored = typeof document === 'string' ? parseStored(jsonObject, document) : document
  const members = selectedMembers
    ? selectedDocument(stored, shape, selectedMembers)
    : completeDocument(stored, shape)
  const { translatable } = storedMembersOf(shape)
  if (locale.stored || translatable.length === 0) return members
  return translate(
    members,
    translations ?? {},
    translatable.filter((name) => selects(selectedMembers, name)),
    locale,
  )
}

/** The selected members of a stored document, and those that identify it. */
function selectedDocument(
  document: JsonObject,
  shape: Shape,
  selectedMembers: NonNullable<SelectedMembers>,
): JsonObject {
  const { defaults } = storedMembersOf(shape)
  const members: Record<string, Json> = {
    '@id': document['@id'] ?? '',
    '@type': shape.type,
    id: document.id ?? '',
  }
  for (const name of selectedMembers.keys()) {
    const value = Object.hasOwn(document, name) ? document[name] : defaults[name]
    if (value !== undefined) members[name] = value
  }
  return members
}

/**
 * Adds the members that a stored document lacks, in the order of the shape: their defaults. Rows from before a property
 * was added lack it; stored parts omit null and empty lists.
 */
export function completeDocument(document: JsonObject, shape: Shape): JsonObject {
  return { ...storedMembersOf(shape).defaults, ...document }
}

type StoredMembers = { readonly defaults: JsonObject; readonly translatable: readonly string[] }
const storedMembersOf = oncePer((shape: Shape): StoredMembers => {
  const stored = Object.entries(shape.properties).filter(([, property]) => property.stored)
  const values = stored.map(([name, { defaultValue }]) => [name, defaultValue] as const)
  const defaults = { '@id': '', '@type': shape.type, id: '', ...Object.fromEntries(values) }
  return { defaults, translatable: translatableOf(shape) }
})

/** Replaces the strings of the stored locale by those of another. */
function translate(
  { fallbacks: _, ...document }: JsonObject,
  translations: Translations,
  translatable: readonly string[],
  locale: Locale,
): JsonObject {
  const texts: Record<string, Json> = {}
  const fallbacks: Record<string, string> = {}
  for (const property of translatable) {
    const translation = translated(translations, property, locale.chain)
    texts[property] = translation?.value ?? null
    if (translation && translation.locale !== locale.requested) fallbacks[property] = translation.locale
  }
  return { ...document, ...texts, ...(Object.keys(fallbacks).length > 0 && { fallbacks }) }
}

/** Serializes a document as JSON. Undefined members are left out. */
export function textOf(document: Value): string {
  return JSON.stringify(document)
}
