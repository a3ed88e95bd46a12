import type { Translations } from '../db/columns.ts'
import { type Json, type JsonObject, parsed } from './json.ts'
import { type Locale, translated } from './locale.ts'
import type { Difference } from './patch.ts'

const utf8Encoder = new TextEncoder()
const decoder = new TextDecoder()
const leastRoom = 65_536

/** Bytes that so many UTF-16 units take in UTF-8 at most: three each. */
const bytesOfUnits = (units: number): number => 3 * units

/** A text has no more bytes than this. */
export const bytesAtMost = (text: string): number => bytesOfUnits(text.length)

/** Text that is written as UTF-8, piece after piece, into one buffer that grows. */
export class Utf8Writer {
  #bytes = new Uint8Array(leastRoom)
  /** How many bytes were written. */
  length = 0

  /** The buffer, with room for so many bytes behind those that were written; until more are asked for. */
  room(count: number): Uint8Array {
    if (this.#bytes.length - this.length < count) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count))
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    return this.#bytes
  }

  write(text: string): void {
    const room = this.room(bytesAtMost(text))
    this.length += utf8Encoder.encodeInto(text, room.subarray(this.length)).written
  }

  /** Writes what is UTF-8 already. */
  copy(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes, this.length)
    this.length += bytes.length
  }

  /** What was written from a place on: a view, good for as long as nothing is written in front of it. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.length)
  }

  /** What was written, as text. */
  text(): string {
    return decoder.decode(this.since(0))
  }

  /** Begins anew in the same buffer; one that has grown beyond what is usual goes. */
  clear(): void {
    this.length = 0
    if (this.#bytes.length > mostKept) this.#bytes = new Uint8Array(leastRoom)
  }
}

const mostKept = 1_048_576

/** Pieces of text, some of them as UTF-8 already, one behind the other. */
export function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = pieces.map((each) => (typeof each === 'string' ? utf8Encoder.encode(each) : each))
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/**
 * Documents: JSON-LD trees in today's shape. A stored row's document stays text for as long as nothing has to look
 * inside it: members that belong to other rows or columns are spliced into the text when it is written out.
 */

/** The stored text of an object, and members to splice in after its own. */
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

/** A document that writes itself as UTF-8; its text is made for who has to look into it. */
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

/** Bytes of a text in UTF-8, in which half a surrogate pair is written as U+FFFD. */
export function bytesOf(text: string): number {
  // To be encoded a text needs a buffer, which costs as much as to look at some hundred characters.
  if (text.length > mostLookedAt) return encoder.encode(text).byteLength
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // Both halves of a pair take four bytes: two more than two units.
    if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) index += 1
  }
  return bytes
}

const encoder = new TextEncoder()
const mostLookedAt = 300
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000

/** A document that is written out already, to be spliced into others as it is; its bytes are counted when they are asked for. */
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

/** Writes a document out once: to know what it weighs, and to splice it into others. */
export function sized(value: Value): SizedJson {
  return new SizedJson(textOf(value))
}

/** Whether documents have room together. Where their lengths tell, which is nearly always, no bytes are counted. */
export function fitsIn(documents: readonly SizedJson[], room: number): boolean {
  const units = documents.reduce((sum, { fragment }) => sum + fragment.text.length, 0)
  if (bytesOfUnits(units) <= room) return true
  return units <= room && documents.reduce((sum, { bytes }) => sum + bytes, 0) <= room
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
export type Value = Json | RawJson | Differences | readonly Value[] | Members

/** What a row stores of its document; `translations` is needed only for locales other than the stored one. */
export type StoredDocument = { readonly document: string; readonly translations?: Translations | null }

/** A row's document in a locale, with `members` spliced in; overlaid where the locale is not the stored one. */
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

/** Names of members as they are written, with their colon: few, and each in every document of its type. */
const labels = new Map<string, string>()
const mostLabels = 1000

function labelOf(name: string): string {
  const known = labels.get(name)
  if (known !== undefined) return known
  const label = `${JSON.stringify(name)}:`
  if (labels.size < mostLabels) labels.set(name, label)
  return label
}

/** Short and without anything to be escaped, as identifiers and times are: quicker to see than to have it looked through. */
const plain = /^[ !#-[\]-~]{0,100}$/

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The document as plain JSON, for the steps that have to look inside; `spoken` tells differences as the caller's version has them. */
export function treeOf(
  value: Value,
  spoken: (differences: Differences) => readonly Difference[] = ({ differences }) => differences,
): Json {
  if (value instanceof RawJson) {
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
