/**
 * Rendered texts in fewer bytes: what they repeat stands once, in front, and what all of them have not at all. A mark is a control
 * character, which JSON has none of, with one more character behind it, which says what the mark stands for.
 */
import { bytesOf } from '../../core/document.ts'
import { bytesAtMost, type Utf8Writer } from '../../core/utf8.ts'

/** What stands where others' texts belong, each variant's price among them: no part of any JSON. */
export const gaps = { price: '\b', categories: '\u0001', collections: '\u0002' } as const
type Gap = keyof typeof gaps

/** Where a word has one of the text's own: the same in all of its places. */
const hole = '\0'

/** What products' texts have many times over. Of two that begin alike the longer one stands first. */
const words = [
  '{"@id":"/api/option_values/\0","@type":"OptionValue","id":"\0","externalId":null,"title":"',
  '{"@id":"/api/option_values/\0","@type":"OptionValue","id":"\0","externalId":',
  '{"@id":"/api/option_values/\0","@type":"OptionValue","option":"/api/product_options/',
  '{"@id":"/api/product_options/\0","@type":"ProductOption","id":"\0","externalId":null,"title":"',
  '{"@id":"/api/product_options/\0","@type":"ProductOption","id":"\0","externalId":',
  '{"@id":"/api/products/\0","@type":"Product","id":"\0","externalId":',
  '/variants/\0","@type":"Variant","id":"\0","externalId":',
  '"weight":null,"media":[],"fields":[],"status":"ACTIVE","archivedAt":null,"product":"/api/products/\0","title":"',
  '"media":[],"fields":[],"status":"ACTIVE","archivedAt":null,"product":"/api/products/\0","title":"',
  '","option":"/api/product_options/\0","position":',
  '","product":"/api/products/\0","position":',
  '"product":"/api/products/\0","title":"',
  ',"version":1,"createdAt":"\0","updatedAt":"\0"},',
  ',"version":1,"createdAt":"\0","updatedAt":"\0"}',
  '"version":1,"createdAt":"\0","updatedAt":"\0"},',
  '"version":1,"createdAt":"\0","updatedAt":"\0"}',
  '"createdAt":"\0","updatedAt":"\0"}',
  '","title":"',
  '{"@id":"/api/products/',
  'null,"sku":"',
  'null,"title":"',
  '","barcode":"',
  '"media":[],"seo":null,"fields":[],"archivedAt":null,"options":[',
  '"media":[],',
  '"seo":null,',
  '"fields":[],',
  '"weight":',
  '"status":"ACTIVE","archivedAt":null,',
  '"status":"ACTIVE","channels":[',
  '"status":"ACTIVE",',
  '"archivedAt":null,',
  '"optionValues":[',
  '"values":[',
  ',"variants":[',
  '],"variantsTotal":',
  ',"categories":',
  ',"collections":',
  ',"version":',
  '"}],"position":',
  '","description":"',
  '","productType":"',
  '","handle":"',
  '"vendor":"',
  '"tags":[',
  '"createdAt":"',
  '","updatedAt":"',
]

/** What the texts of another list cannot be read by. */
export const wordsSpoken = words.join(' ')

const mark = '\f'
/** Characters that JSON has as they are, and none that a word begins with, which would be found behind a mark. */
const places = [...characters(0x21, 0x7e), ...characters(0xc0, 0xff)].filter(
  (each) => each !== '"' && each !== '\\' && !words.some((word) => word.startsWith(each)),
)
/** Those behind a mark that stands for one of the words, and behind it for the own word in its holes; the others stand for own words. */
const sharedPlaces = places.slice(0, words.length)
const ownPlaces = places.slice(words.length)

function characters(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index))
}

const encoder = new TextEncoder()

/** By the code of the character behind a mark: the word, in the parts between its holes, or the place of the own word. */
const wordAt: (readonly Uint8Array[] | null)[] = Array.from({ length: 256 }, () => null)
for (const [index, place] of sharedPlaces.entries())
  wordAt[place.charCodeAt(0)] = (words[index] ?? '').split(hole).map((part) => encoder.encode(part))
const ownAt = new Int32Array(256)
for (const [index, place] of ownPlaces.entries()) ownAt[place.charCodeAt(0)] = index

/** How each word is found in a text whose own words are marked. */
const anyOwn = `[${ownPlaces.join('').replace(/[\]^-]/g, '\\$&')}]`
const patterns = words.map((word) => {
  const [first = '', ...others] = word.split(hole).map((part) => part.replace(/[[\]{}]/g, '\\$&'))
  const ofOthers = others.map((part, index) => `${index === 0 ? `${mark}(${anyOwn})` : `${mark}\\1`}${part}`)
  return new RegExp(`${first}${ofOthers.join('')}`, 'g')
})

/** Ids and moments: what one text repeats and no other has. */
const repeated = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** A text of JSON in fewer bytes: a line of its own words, and one of the text. */
export function packed(text: string): string {
  const counts = new Map<string, number>()
  for (const [found] of text.matchAll(repeated)) counts.set(found, (counts.get(found) ?? 0) + 1)
  const repeating = [...counts].flatMap(([found, count]) => (count > 1 ? [found] : []))
  // Those that begin alike next to each other.
  const own = repeating.slice(0, ownPlaces.length).toSorted((one, other) => other.length - one.length)
  const placeOf = new Map(own.map((each, index) => [each, `${mark}${ownPlaces[index]}`]))
  let short = text.replace(repeated, (found) => placeOf.get(found) ?? found)
  for (const [index, pattern] of patterns.entries()) {
    const place = `${mark}${sharedPlaces[index]}`
    const hasHoles = words[index]?.includes(hole)
    short = short.replace(pattern, (_, inHoles: string) => (hasHoles ? place + inHoles : place))
  }
  return `${own.map((each, index) => behind(own[index - 1] ?? '', each)).join(',')}\n${short}`
}

/** A word as how many letters it has of the one before, in one character, and the others. */
function behind(before: string, word: string): string {
  let alike = 0
  while (alike < before.length && before[alike] === word[alike]) alike += 1
  return String.fromCharCode(noneAlike + alike) + word.slice(alike)
}

/** The code of the character that tells no letters alike; those that tell up to 36 need no escapes in JSON, and are no comma. */
const noneAlike = '0'.charCodeAt(0)
const [comma, lineEnd, markCode] = [',', '\n', mark].map((each) => each.charCodeAt(0))
const gapAt: (Gap | undefined)[] = []
for (const [name, { 0: character }] of Object.entries(gaps) as [Gap, string][])
  gapAt[character!.charCodeAt(0)] = name
/** Bytes of the longest own word, and of the most that a mark can stand for. */
const longestOwn = 36
/** What stands in front of it is a mark or a gap. */
const firstPrinted = 0x20
const longest = Math.max(...words.map((word) => bytesOf(word) + word.split(hole).length * longestOwn))

/** The packed text that is being read, as UTF-8, and its own words with where each ends: of use within one call alone. */
let source = new Uint8Array(16_384)
const ownBytes = new Uint8Array(ownPlaces.length * longestOwn)
const ownStarts = new Int32Array(ownPlaces.length)
const ownEnds = new Int32Array(ownPlaces.length)

/**
 * Writes what belongs into the gaps of a text, in their order. Best methods of a class: code of functions that are made anew each time
 * is thrown away with them.
 */
export type Filling = { readonly [each in Gap]: (writer: Utf8Writer) => void }

/**
 * Writes the text that was packed, with what its gaps are filled with. Byte by byte, which takes less than half of what it takes to put
 * a text together and to encode it.
 */
export function unpackInto(writer: Utf8Writer, text: string, filling: Filling): void {
  if (source.length < bytesAtMost(text)) source = new Uint8Array(bytesAtMost(text))
  const bytes = source
  const size = encoder.encodeInto(text, bytes).written
  let at = readOwnWords(bytes)
  let out = writer.room(longest)
  let place = writer.length
  while (at < size) {
    if (out.length - place < longest) {
      writer.length = place
      out = writer.room(longest)
    }
    const byte = bytes[at++]!
    if (byte >= firstPrinted) out[place++] = byte
    else if (byte !== markCode) {
      writer.length = place
      filling[gapAt[byte] ?? 'price'](writer)
      out = writer.room(longest)
      place = writer.length
    } else {
      const code = codeAt(bytes, at)
      at += widthOf(code)
      const word = wordAt[code]!
      if (word === null) place = copiedOwn(code, out, place)
      else if (word.length === 1) place = copied(word[0]!, out, place)
      else {
        const inHoles = codeAt(bytes, at)
        at += widthOf(inHoles)
        for (let part = 0; part < word.length; part += 1) {
          if (part > 0) place = copiedOwn(inHoles, out, place)
          place = copied(word[part]!, out, place)
        }
      }
    }
  }
  writer.length = place
}

/** The code of the character of one or two bytes at a place. */
function codeAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  return first < 0x80 ? first : ((first & 0x1f) << 6) | ((bytes[at + 1] ?? 0) & 0x3f)
}

const widthOf = (code: number) => (code < 0x80 ? 1 : 2)

/** Copies a word and answers where it ends. Up to some length quicker than by a call. */
function copied(word: Uint8Array, out: Uint8Array, place: number): number {
  if (word.length > 64) out.set(word, place)
  else for (let index = 0; index < word.length; index += 1) out[place + index] = word[index]!
  return place + word.length
}

/** Copies the own word that a character stands for. */
function copiedOwn(code: number, out: Uint8Array, place: number): number {
  const index = ownAt[code]!
  const start = ownStarts[index]!
  const length = ownEnds[index]! - start
  for (let letter = 0; letter < length; letter += 1) out[place + letter] = ownBytes[start + letter]!
  return place + length
}

/** Reads the line of own words and answers where it ends. */
function readOwnWords(bytes: Uint8Array): number {
  let at = 0
  let end = 0
  let before = 0
  for (let index = 0; bytes[at] !== lineEnd && at < bytes.length; index += 1) {
    if (bytes[at] === comma) at += 1
    ownStarts[index] = end
    const alike = (bytes[at++] ?? 0) - noneAlike
    for (let letter = 0; letter < alike; letter += 1) ownBytes[end++] = ownBytes[before + letter]!
    while (bytes[at] !== comma && bytes[at] !== lineEnd && at < bytes.length) ownBytes[end++] = bytes[at++]!
    ownEnds[index] = end
    before = ownStarts[index] ?? 0
  }
  return at + 1
}
