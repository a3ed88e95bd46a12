import { sql } from 'drizzle-orm'
import {
  bytesAtMost,
  bytesOf,
  RawJson,
  textOf,
  type Utf8Writer,
  WrittenDocument,
} from '../../core/document.ts'
import { lazily } from '../../core/lazily.ts'
import { byteLimits } from '../../core/limits.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { Session } from '../../db/client.ts'
import { statement } from '../../db/query.ts'
import { uuidArray } from '../../db/write-steps.ts'
import { type CategoryParts, embeddedCategories } from '../categories/document.ts'
import { collectionIri } from '../collections/schema.ts'
import type { Price } from '../prices/rows.ts'
import { inList, type ProductParts, productDocumentWith } from './document.ts'
import type { Unkept } from './lines.ts'

/**
 * Rendered texts in fewer bytes: what they repeat stands once, in front, and what all of them have not at all. A mark is a control
 * character, which JSON has none of, with one more character behind it, which says what the mark stands for.
 */

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

/**
 * Products as texts that were rendered before. Of a product that was read row by row the reader keeps what it made of it, with gaps
 * for what belongs to others: the prices of its variants, its categories, its collections. The database tells the text in place of
 * the rows for as long as its edition is the product's (migrations/functions/60_product_cache.sql).
 */

/** A product that was rendered before. */
export type RenderedProduct = {
  readonly id: string
  readonly version: number
  readonly categories: readonly CategoryParts[]
  /** Ids, in their order. */
  readonly collections: readonly string[]
  /** The price of each of its variants, in their order; null where none is asked for. */
  readonly prices: readonly (Price | null)[] | null
  readonly text: string
}

/** The document of a product that was rendered before. */
export class RenderedDocument extends WrittenDocument implements Filling {
  readonly #product: RenderedProduct
  readonly #locale: Locale
  #variant = 0

  constructor(product: RenderedProduct, locale: Locale) {
    super()
    this.#product = product
    this.#locale = locale
  }

  writeTo(writer: Utf8Writer): void {
    this.#variant = 0
    unpackInto(writer, this.#product.text, this)
  }

  price(writer: Utf8Writer): void {
    const { prices } = this.#product
    if (!prices) return
    writer.copy(beforePrice)
    // Plain JSON, which has no documents in it to be spliced.
    writer.write(JSON.stringify(prices[this.#variant++] ?? null))
    writer.copy(behindPrice)
  }

  categories(writer: Utf8Writer): void {
    writer.write(textOf(embeddedCategories(this.#product.categories, this.#locale)))
  }

  collections(writer: Utf8Writer): void {
    writer.write(textOf(this.#product.collections.map(collectionIri)))
  }
}

const priceLabel = '"resolvedPrice":'
const beforePrice = encoder.encode(priceLabel)
const behindPrice = encoder.encode(',')
const gapOf = {
  price: new RawJson(gaps.price, {}),
  categories: new RawJson(gaps.categories, {}),
  collections: new RawJson(gaps.collections, {}),
}

/** A product's text is kept where it has at most so many bytes: each of them is in any list's room, with its prices as well. */
const mostBytes = 24_000
const mostVariants = inList.embedded

/** The text of a product with its gaps; null where it shows more than its own rows, or less. */
function renderedText(parts: ProductParts, locale: Locale): string | null {
  const { variants, variantsTotal, options } = parts
  const refers = [parts, ...variants].some(({ metaobjects }) => metaobjects !== null)
  const isWhole =
    variantsTotal === variants.length &&
    options.every(({ values, valuesTotal = values.length }) => valuesTotal === values.length)
  if (refers || !isWhole || variants.length > mostVariants) return null
  const text = textOf(
    productDocumentWith(parts, locale, {
      categories: gapOf.categories,
      collections: gapOf.collections,
      ofVariant: () => ({ resolvedPrice: gapOf.price }),
    }),
  ).replaceAll(`${priceLabel}${gaps.price},`, gaps.price)
  return bytesOf(text) > mostBytes ? null : text
}

/**
 * Whether texts are kept in the language that is asked: in one that the tenant does not declare, of which callers make up any, none
 * is, and none in any while one is on its way out, since each has all of them to fall back on.
 */
export function keepsTexts({ tenant, locale }: Pick<Context, 'tenant' | 'locale'>): boolean {
  return tenant.leaving.length === 0 && tenant.locales.includes(locale.asked)
}

/** Products with editions that are looked at in one step. */
const forgottenAtOnce = 500

/**
 * Lets go of the texts of the next products after one that were made when a locale was declared; gives the last of these products and
 * how many they were, null where there were none.
 */
export async function forgetTexts(
  db: Session,
  locale: string,
  after: string,
): Promise<{ last: string; rows: number } | null> {
  const { forgotten } = await db.write({
    forgotten: statement<{ last: string | null; rows: number }>(sql`
      with next as (
        select product_id from product_editions where tenant_id = current_tenant() and product_id > ${after}::uuid
         order by product_id limit ${forgottenAtOnce}
      ), gone as (
        delete from rendered_products r using next
         where r.tenant_id = current_tenant() and r.product_id = next.product_id
           and string_to_array(split_part(translate(r.form, '=', ' '), ' ', 2), ',') @> array[${locale}::text]
      )
      select max(product_id::text) as last, count(*)::int as rows from next`),
  })
  const [{ last, rows } = { last: null, rows: 0 }] = forgotten
  return last === null ? null : { last, rows }
}

/** The form of the texts that these readers make: those that another deployment makes otherwise are not read as its own. */
export function renderedForm({ chain, stored }: Locale): string {
  return `${rendering().digest}${stored ? '=' : ' '}${chain.join(',')}`
}

type Read = {
  readonly products: readonly (ProductParts & { readonly edition: string })[]
  readonly unkept: Unkept
}

/**
 * Keeps what was read row by row, when the answer is sent, for whoever reads it next in this locale: the texts of products, what these
 * belong to and their offers beside them, the lines of categories.
 */
export function keepRead({ later }: Context, { products, unkept }: Read, locale: Locale): void {
  const read = products.filter(({ edition }) => edition !== '')
  if (read.length + unkept.products.length + unkept.categories.length === 0) return
  later(async (db) => {
    // The answer is rendered first.
    await new Promise((done) => setTimeout(done))
    await keep(db, renderedOf(read, locale), unkept, locale)
  })
}

/** A product as it is kept, with the ids of the variants that its text has gaps for. */
type Kept = Pick<ProductParts, 'id' | 'version'> & {
  readonly edition: string
  readonly variants: readonly string[]
  readonly text: string
}

function renderedOf(products: Read['products'], locale: Locale): Kept[] {
  return products.flatMap((each) => {
    const text = renderedText(each, locale)
    const { id, edition, version, variants } = each
    return text === null
      ? []
      : [{ id, edition, version, variants: variants.map((variant) => variant.id), text: packed(text) }]
  })
}

async function keep(db: Session, kept: readonly Kept[], unkept: Unkept, locale: Locale): Promise<void> {
  const { products, categories } = unkept
  if (kept.length + products.length + categories.length === 0) return
  const keeping = sql`select keep_read(${renderedForm(locale)}, ${JSON.stringify(kept)}::jsonb, ${uuidArray(products)}, ${uuidArray(categories)},
    ${byteLimits.children.list}::int, ${!locale.stored})`
  await db.write({ kept: statement(keeping) })
}

/** How products are rendered here, in a few characters: those of made-up ones that have what a product can have. */
const rendering = lazily(() => {
  const locales = [localeOf(['en-US', 'fr-FR'], null), localeOf(['en-US', 'fr-FR'], 'fr-FR')]
  const texts = locales.map((locale) => renderedText(sample, locale))
  return { digest: digest([wordsSpoken, ...texts.map((text) => packed(text ?? ''))].join('\n')) }
})

/** A digest that nobody has to be unable to forge (FNV-1a, 64 bits of it in two halves). */
function digest(text: string): string {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4]
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit ^ (low >>> 13), 0x01000193)
  }
  return [low, high].map((half) => (half >>> 0).toString(36)).join('')
}

const moments = {
  version: 1,
  createdAt: '2026-01-01T00:00:00.000000Z',
  updatedAt: '2026-01-02T00:00:00.000000Z',
}
const sample: ProductParts = {
  ...moments,
  id: 'p',
  document: '{"@id":"p","title":"t","description":null,"seo":null}',
  translations: { 'fr-FR': { title: 'titre' } },
  status: 'ACTIVE',
  metaobjects: null,
  categories: [],
  collections: [],
  options: [
    {
      ...moments,
      id: 'o',
      productId: 'p',
      document: '{"@id":"o","title":"o"}',
      title: 'o',
      translations: { 'fr-FR': { title: 'option' } },
      position: 0,
      values: [
        {
          ...moments,
          id: 'v',
          optionId: 'o',
          document: '{"@id":"v","title":"v","fallbacks":{"title":"fr-FR"}}',
          title: 'v',
          translations: { 'en-US': { title: 'v' } },
          position: 0,
        },
      ],
    },
  ],
  variants: [
    {
      ...moments,
      id: 's',
      productId: 'p',
      document: '{"@id":"s"}',
      status: 'ACTIVE',
      optionValueIds: ['v'],
      position: 0,
      metaobjects: null,
    },
  ],
  variantsTotal: 1,
}
