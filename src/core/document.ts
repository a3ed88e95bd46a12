import type { Translations } from '../db/columns.ts'
import { type Json, type JsonObject, parsed } from './json.ts'
import { type Locale, translated } from './locale.ts'
import type { Difference } from './patch.ts'

const utf8Encoder = new TextEncoder()
const decoder = new TextDecoder()
const minimumSize = 65_536

/** The maximum UTF-8 size of UTF-16 units: three bytes each. */
const bytesOfUnits = (units: number): number => 3 * units

/** An upper bound of a string's UTF-8 bytes, without counting them. */
export const bytesAtMost = (text: string): number => bytesOfUnits(text.length)

/** A growing buffer to which strings are appended as UTF-8. */
export class Utf8Writer {
  #bytes = new Uint8Array(minimumSize)
  /** The number of bytes written so far. */
  length = 0

  /** The buffer with at least `count` free bytes after the written ones. It is valid until the next call. */
  room(count: number): Uint8Array {
    if (this.#bytes.length - this.length < count) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count))
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    return this.#bytes
  }

  write(text: string): void {
    const buffer = this.room(bytesAtMost(text))
    this.length += utf8Encoder.encodeInto(text, buffer.subarray(this.length)).written
  }

  /** Appends bytes that are UTF-8 already. */
  copy(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes, this.length)
    this.length += bytes.length
  }

  /** The bytes written since a position: a view that stays valid until earlier bytes are overwritten. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.length)
  }

  /** All written bytes as a string. */
  text(): string {
    return decoder.decode(this.since(0))
  }

  /** Empties the buffer for reuse. A buffer that grew beyond the usual size is released. */
  clear(): void {
    this.length = 0
    if (this.#bytes.length > maximumReusedSize) this.#bytes = new Uint8Array(minimumSize)
  }
}

const maximumReusedSize = 1_048_576

/** Concatenates strings and UTF-8 bytes into one UTF-8 array. */
export function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? utf8Encoder.encode(piece) : piece))
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

/**
 * Documents are JSON-LD trees with current names. A stored document stays a string unless its content is needed.
 * Members from other rows or columns are spliced into the string when the document is serialized.
 */

/** The stored JSON of an object, and members to append to it. */
export class RawJson {
  readonly #text: string
  readonly members: Members

  constructor(text: string, members: Members) {
    this.#text = text
    this.members = members
  }

  get text(): string {
    return this.#text
  }
}

/** A document that serializes itself as UTF-8. Its string form is computed on demand. */
export abstract class WrittenDocument extends RawJson {
  constructor() {
    super('', {})
  }

  abstract writeTo(writer: Utf8Writer): void

  override get text(): string {
    const writer = new Utf8Writer()
    this.writeTo(writer)
    return writer.text()
  }
}

/** The UTF-8 bytes of a string. Half a surrogate pair counts as U+FFFD. */
export function bytesOf(text: string): number {
  // Encoding needs a buffer, which costs as much as checking some hundred characters.
  if (text.length > maximumScannedLength) return utf8Encoder.encode(text).byteLength
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // A surrogate pair takes four bytes: two more than its two units.
    if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) index += 1
  }
  return bytes
}

const maximumScannedLength = 300
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000

/** A serialized document that is spliced unchanged into others. Its bytes are counted on first use. */
export class SizedJson {
  readonly fragment: RawJson
  #bytes: number | undefined

  constructor(text: string) {
    this.fragment = new RawJson(text, {})
  }

  get bytes(): number {
    this.#bytes ??= bytesOf(this.fragment.text)
    return this.#bytes
  }
}

/** Serializes a document once, both to measure it and to splice it into others. */
export function sized(value: Value): SizedJson {
  return new SizedJson(textOf(value))
}

/**
 * Whether documents together have at most `limit` bytes. The bytes are counted only in the rare case that the lengths
 * do not decide it.
 */
export function fitsIn(documents: readonly SizedJson[], limit: number): boolean {
  const units = documents.reduce((sum, { fragment }) => sum + fragment.text.length, 0)
  if (bytesOfUnits(units) <= limit) return true
  return units <= limit && documents.reduce((sum, { bytes }) => sum + bytes, 0) <= limit
}

/** The differences between two states of a document. They are rendered with the names of the caller's version. */
export class Differences {
  readonly type: string
  readonly differences: readonly Difference[]

  constructor(type: string, differences: readonly Difference[]) {
    this.type = type
    this.differences = differences
  }
}

/** The members of an object; undefined members are left out. */
export type Members = { readonly [name: string]: Value | undefined }
/** A document or a part of it: JSON, unparsed stored JSON, differences, and lists and objects of these. */
export type Value = Json | RawJson | Differences | readonly Value[] | Members

/** The stored document of a row; `translations` is needed only for locales other than the stored one. */
export type StoredDocument = { readonly document: string; readonly translations?: Translations | null }

/**
 * A row's document in a locale, with `members` added. Translations replace the stored strings if the locale is not the
 * stored one.
 */
export function documentInLocale(
  row: StoredDocument,
  translatable: readonly string[],
  locale: Locale,
  members: Members,
): RawJson | Members {
  if (locale.stored || translatable.length === 0) return new RawJson(row.document, members)
  const document: Record<string, Json> = { ...parsed<JsonObject>(row.document) }
  const fallbacks: Record<string, string> = {}
  for (const property of translatable) {
    const translation = translated(row.translations ?? {}, property, locale.chain)
    document[property] = translation?.value ?? null
    if (translation && translation.locale !== locale.asked) fallbacks[property] = translation.locale
  }
  delete document.fallbacks
  if (Object.keys(fallbacks).length > 0) document.fallbacks = fallbacks
  return { ...document, ...members }
}

/** Serializes a document as JSON. Undefined members are left out. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (value instanceof RawJson) {
    const spliced = membersText(value.members)
    return spliced === '' ? value.text : `${value.text.slice(0, -1)},${spliced}}`
  }
  if (value instanceof Differences) return JSON.stringify(value.differences)
  if (isList(value)) return listText(value)
  return `{${membersText(value)}}`
}

function listText(values: readonly Value[]): string {
  let text = ''
  for (const value of values) text += text === '' ? textOf(value) : `,${textOf(value)}`
  return `[${text}]`
}

function membersText(members: Members): string {
  let text = ''
  for (const name of Object.keys(members)) {
    const value = members[name]
    if (value !== undefined) text += `${text === '' ? '' : ','}${labelOf(name)}${textOf(value)}`
  }
  return text
}

/** Cached serialized member names with their colon. There are few, and each recurs in every document of its type. */
const labels = new Map<string, string>()
const maximumLabels = 1000

function labelOf(name: string): string {
  const cachedLabel = labels.get(name)
  if (cachedLabel !== undefined) return cachedLabel
  const label = `${JSON.stringify(name)}:`
  if (labels.size < maximumLabels) labels.set(name, label)
  return label
}

/** Short strings without characters to escape, such as identifiers and times. This check is faster than JSON.stringify. */
const unescaped = /^[ !#-[\]-~]{0,100}$/

function quoted(text: string): string {
  return unescaped.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The document as plain JSON, for steps that read its content. `inVersion` translates differences into the caller's version. */
export function treeOf(
  value: Value,
  inVersion: (differences: Differences) => readonly Difference[] = ({ differences }) => differences,
): Json {
  if (value instanceof RawJson) {
    return { ...parsed<JsonObject>(value.text), ...membersTree(value.members, inVersion) }
  }
  if (value instanceof Differences) return inVersion(value).map((difference) => ({ ...difference }))
  if (value === null || typeof value !== 'object') return value
  if (isList(value)) return value.map((element) => treeOf(element, inVersion))
  return membersTree(value, inVersion)
}

function membersTree(
  members: Members,
  inVersion: (differences: Differences) => readonly Difference[],
): JsonObject {
  const tree: Record<string, Json> = {}
  for (const [name, member] of Object.entries(members)) {
    if (member !== undefined) tree[name] = treeOf(member, inVersion)
  }
  return tree
}

/** `Array.isArray` alone narrows to elements of any type. */
function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}
