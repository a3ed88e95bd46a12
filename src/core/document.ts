/**
 * Documents: JSON-LD trees in today's shape. A stored row's document stays text for as long as nothing has to look
 * inside it: members that belong to other rows or columns are spliced into the text when it is written out.
 */
import type { Translations } from '../db/columns.ts'
import { type Json, type JsonObject, parsed } from './json.ts'
import { type Locale, translated } from './locale.ts'
import type { Difference } from './patch.ts'

/** The stored text of an object, and members to splice in after its own. */
export class Fragment {
  readonly text: string
  readonly members: Members

  constructor(text: string, members: Members) {
    this.text = text
    this.members = members
  }
}

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return encoder.encode(text).byteLength
}

const encoder = new TextEncoder()

/** A text has no more bytes than this: UTF-8 takes three for a UTF-16 unit. */
export function bytesAtMost(text: string): number {
  return text.length * 3
}

/** A document that is written out already, with the bytes that it takes. */
export type Weighed = { readonly fragment: Fragment; readonly bytes: number }

/** Writes a document out once: to know what it weighs, and to splice it into others as it is. */
export function weighed(value: Value): Weighed {
  const text = textOf(value)
  return { fragment: new Fragment(text, {}), bytes: bytesOf(text) }
}

/** The differences between two states of a document of a type: told as the caller's version has it. */
export class Differences {
  readonly type: string
  readonly differences: readonly Difference[]

  constructor(type: string, differences: readonly Difference[]) {
    this.type = type
    this.differences = differences
  }
}

/** The members of a document's object; what is undefined is left out. */
export type Members = { readonly [name: string]: Value | undefined }
/** What a document is made of: JSON, stored text that is not parsed, differences told as the version has them, and lists and objects of them. */
export type Value = Json | Fragment | Differences | readonly Value[] | Members

/** What a row stores of its document; `translations` is needed only for locales other than the stored one. */
export type StoredDocument = { readonly document: string; readonly translations?: Translations | null }

/** A row's document in a locale, with `members` spliced in; overlaid where the locale is not the stored one. */
export function localized(
  row: StoredDocument,
  translatable: readonly string[],
  locale: Locale,
  members: Members,
): Fragment | Members {
  if (locale.stored || translatable.length === 0) return new Fragment(row.document, members)
  const document: Record<string, Json> = { ...parsed<JsonObject>(row.document) }
  const fallbacks: Record<string, string> = {}
  for (const property of translatable) {
    const found = translated(row.translations ?? {}, property, locale.chain)
    document[property] = found?.value ?? null
    if (found && found.locale !== locale.asked) fallbacks[property] = found.locale
  }
  delete document.fallbacks
  if (Object.keys(fallbacks).length > 0) document.fallbacks = fallbacks
  return { ...document, ...members }
}

/** Writes a document as JSON text. Members that are undefined are left out. */
export function textOf(value: Value): string {
  if (value instanceof Fragment) {
    const spliced = membersText(value.members)
    return spliced === '' ? value.text : `${value.text.slice(0, -1)},${spliced}}`
  }
  if (value instanceof Differences) return JSON.stringify(value.differences)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(textOf).join(',')}]`
  return `{${membersText(value)}}`
}

function membersText(members: Members): string {
  let text = ''
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${textOf(value)}`
  }
  return text
}

/** The document as plain JSON, for the steps that have to look inside; `spoken` tells differences as the caller's version has them. */
export function treeOf(
  value: Value,
  spoken: (differences: Differences) => readonly Difference[] = ({ differences }) => differences,
): Json {
  if (value instanceof Fragment) {
    return { ...parsed<JsonObject>(value.text), ...membersTree(value.members, spoken) }
  }
  if (value instanceof Differences) return spoken(value).map((each) => ({ ...each }))
  if (value === null || typeof value !== 'object') return value
  if (isList(value)) return value.map((each) => treeOf(each, spoken))
  return membersTree(value, spoken)
}

function membersTree(
  members: Members,
  spoken: (differences: Differences) => readonly Difference[],
): JsonObject {
  const tree: Record<string, Json> = {}
  for (const [name, member] of Object.entries(members)) {
    if (member !== undefined) tree[name] = treeOf(member, spoken)
  }
  return tree
}

/** `Array.isArray` alone takes elements of any type. */
function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}
