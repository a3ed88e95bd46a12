import { type SQL, sql } from 'drizzle-orm'
import type { Tenant } from '../../core/context.ts'
import { bytesOf } from '../../core/document.ts'
import { type Locale, type Locales, localeOf, translated, writableLocales } from '../../core/locale.ts'
import { spelling, truncate } from '../../core/slug.ts'
import { type State, stateOf } from '../../core/state.ts'
import type { Statement } from '../../db/query.ts'
import { stepStatement } from '../../db/write-steps.ts'
import type { ProductParts } from './document.ts'
import { product as shape } from './schema.ts'

/** What a search takes for a word: lower case, without accents, without punctuation. */

/** Lower-case text without accents; letters that have no base letter are spelt out. */
export function folded(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      // The marks of Latin, Greek and Cyrillic letters alone: in other scripts marks are vowels.
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .replace(/[^\p{ASCII}]/gu, (letter) => spelling.get(letter) ?? letter)
  )
}

/** Nothing in it is a mark, or spelt out. */
const ascii = /^\p{ASCII}*$/u

/** What stands between blanks: `T-Shirt` is one word, joined `tshirt`, of the parts `t` and `shirt`. */
export type Word = { readonly text: string; readonly joined: string; readonly parts: readonly string[] }

const separators = /[^\p{Letter}\p{Number}\p{Mark}]+/u
/** Control characters, halves of surrogate pairs and what has no meaning yet: Postgres does not take all of them. */
const unprintable = /\p{Other}/gu

/** The words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  return folded(text)
    .split(/\s+/)
    .flatMap((chunk) => {
      const parts = chunk.split(separators).filter((part) => part !== '')
      if (parts.length === 0) return []
      return [{ text: chunk.replace(unprintable, ' '), joined: word(parts.join('')), parts: parts.map(word) }]
    })
}

/** UTF-16 units: Postgres keeps words of up to 2,046 bytes, and a unit is at most three. */
const longest = 255
const word = (letters: string) => truncate(letters, longest)

/**
 * A word and what is left of it without any one of its letters. Two words share one of these when a single letter was
 * left out, added, mistaken or changed places with its neighbour. None for short words, long ones and those with digits.
 */
export function neighbours(word: string): string[] {
  if (!/^\p{Letter}{4,32}$/u.test(word)) return []
  const found = new Set([word])
  let place = 0
  for (const letter of word) {
    found.add(word.slice(0, place) + word.slice(place + letter.length))
    place += letter.length
  }
  return [...found]
}

/** The text of HTML: without its tags, with the commonest entities written out. */
export function plainText(html: string): string {
  return html
    .replace(/<[/!a-z][^<>]*>/gi, ' ')
    .replace(/&(\w)(?:acute|grave|circ|uml|tilde|cedil|ring|slash);/g, '$1')
    .replace(/&(\w\w)lig;/g, '$1')
    .replace(/&#(\d{1,7});/g, (_, code: string) => character(Number(code)))
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&\w+;/g, ' ')
}

/** Postgres stores no U+0000 and no half of a surrogate pair. */
function character(code: number): string {
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : ' '
}

/**
 * Full-text search of products: what is kept of each in every locale of its tenant, and what a search asks for. Words are
 * folded here, on both sides alike; Postgres adds the stems of the locale's language.
 */

/** The properties that are searched, beside the texts. */
const searched = ['vendor', 'productType', 'tags', 'handle'] as const

/**
/**
 * Keeps products findable by what they now say, and by the codes of their variants: of those that are written, as they will be when
 * they are. In every locale that may be written in, or in those that are named.
 */
export function indexStatements(
  products: readonly {
    readonly id: string
    readonly state: State<typeof shape>
    readonly variants?: readonly CodedVariant[]
  }[],
  tenant: Locales,
  named: readonly string[] = writableLocales(tenant),
): Statement[] {
  const rows = products.flatMap(({ id, state, variants = [] }) => {
    const labels = labelsOf(state)
    const codes = variants.map((each) => ({
      id: each.id,
      status: each.status,
      sku: each.sku,
      barcode: each.barcode,
    }))
    return named.map((locale, index) => ({
      product_id: id,
      ...searchRow(state, labels, localeOf(tenant.locales, locale)),
      ...(index === 0 && codes.length > 0 && { variants: codes }),
    }))
  })
  return rows.length === 0 ? [] : [indexStatement(rows)]
}

/** A variant's codes, by which a product is found while the variant is active. */
type CodedVariant = {
  readonly id: string
  readonly status: string
  readonly sku: string | null
  readonly barcode: string | null
}

/** Most locales read like another: each text travels once, and rows name its place among all. */
function indexStatement(rows: readonly SearchRow[]): Statement {
  const places = new Map<string, number>()
  const placeOf = (text: string) => {
    const place = places.get(text) ?? places.size
    places.set(text, place)
    return place
  }
  const placed = rows.map((row) => ({
    ...row,
    ...Object.fromEntries(indexedTexts.map((name) => [name, placeOf(row[name])])),
  }))
  return stepStatement({ do: 'index_products', texts: [...places.keys()], rows: placed })
}

const indexedTexts = ['title', 'description', 'lexemes', 'words'] as const

type SearchRow = Readonly<Record<'product_id' | 'locale' | 'config' | (typeof indexedTexts)[number], string>>

/** Keeps a product findable by the variants that are to be written. */
export function reindexed(
  product: ProductParts,
  variants: readonly CodedVariant[],
  tenant: Locales,
): Statement[] {
  return indexStatements([{ id: product.id, state: stateOf(shape, product), variants }], tenant)
}

/** What of a state a search can find. */
export function searchedIn({ values, translations }: State<typeof shape>): unknown[] {
  const texts = Object.entries(translations).map(([locale, each]) => [locale, each.title, each.description])
  return [...searched.map((name) => values[name]), texts.sort()]
}

/** The words of what reads the same in every locale: of vendor, type and tags, and of the handle. */
type Labels = { readonly keywords: readonly Word[]; readonly handle: readonly Word[] }

function labelsOf({ values: { vendor, productType, tags, handle } }: State<typeof shape>): Labels {
  const labels = [vendor ?? '', productType ?? '', ...tags]
  return {
    keywords: labels.flatMap(wordsOf),
    handle: wordsOf(handle ?? ''),
  }
}

/** A product as it reads in a locale, its fallbacks included. */
function searchRow(
  { translations }: Pick<State, 'translations'>,
  { keywords, handle }: Labels,
  { requested: asked, chain }: Locale,
) {
  const text = (name: string) => String(translated(translations, name, chain)?.value ?? '')
  const title = wordsOf(text('title'))
  return {
    locale: asked,
    config: configOf(asked),
    title: folded(text('title')),
    description: fittingText(folded(plainText(text('description')))),
    lexemes: lexemesOf(title, [...keywords, ...handle]),
    words: truncate([...new Set([...title, ...keywords].flatMap(formsOf))].join(' '), 10_000),
  }
}

const formsOf = ({ joined, parts }: Word) => [joined, ...parts]

/**
 * Bytes that parts of a product may fill of its tsvector, which holds 1,048,575 and refuses the write beyond. The codes of
 * variants fill up to 535,000 (index_products() takes 200,000 bytes of them, of words of three bytes or more), a title up
 * to 55,000. What is left out is not found; folded, a letter can become eighteen.
 */
const room = { description: 262_144, words: 150_000 }

/** Bytes of a lexeme beside its letters: one to align them, two for the number of its positions, two for the first. */
const lexemeOverhead = 5
/**
 * Bytes of lexemes for each byte of text at most: `abc-def` is kept whole and in parts, an address whole, as host and as
 * path, and short words cost more than their letters.
 */
const lexemesPerByte = 4

/** The beginning of a text, as much of it as its stems have room for; nearly always all of it. */
function fittingText(text: string): string {
  if (lexemesPerByte * bytesOf(text) <= room.description) return text
  const known = new Set<string>()
  let left = room.description
  for (const { 0: chunk, index } of text.matchAll(/\S+/g)) {
    // What was there before adds no more than a position for each word in it.
    if (known.has(chunk)) left -= 2 * chunk.length
    else left -= plain.test(chunk) ? bytesOf(chunk) + lexemeOverhead : lexemesPerByte * (bytesOf(chunk) + 1)
    if (left < 0) return text.slice(0, index)
    known.add(chunk)
  }
  return text
}

/** One word to Postgres, too. */
const plain = /^[\p{Letter}\p{Number}]+$/u

/** The text of a tsvector: words of a title, other words, and the neighbours of both, as many as there is room for. */
function lexemesOf(title: readonly Word[], others: readonly Word[]): string {
  const fitting: string[] = []
  let left = room.words
  for (const { word, at } of lexemes(title, others)) {
    left -= bytesOf(word) + lexemeOverhead
    if (left < 0) break
    fitting.push(`${quoted(word)}${at}`)
  }
  return fitting.join(' ')
}

function* lexemes(title: readonly Word[], others: readonly Word[]): Generator<{ word: string; at: string }> {
  for (const [words, weight] of [[title, 'A'] as const, [others, 'B'] as const]) {
    for (const [index, word] of words.entries()) {
      for (const form of new Set(formsOf(word))) yield { word: form, at: `:${index + 1}${weight}` }
    }
  }
  const near = new Set<string>()
  for (const word of [...title, ...others]) {
    for (const each of formsOf(word).flatMap(neighbours)) {
      if (!near.has(each)) yield { word: `~${each}`, at: '' }
      near.add(each)
    }
  }
}

/** Words are letters, digits and marks alone. */
const quoted = (word: string) => `'${word}'`

/**
 * A search in a locale: `search.product_id` and `search.rank` of the products that have all of its words. Where not all products are
 * indexed for a locale, the next one is searched in which the texts are read.
 */
export function searchOf(
  q: string,
  locale: Locale,
  { locales, arriving, leaving }: Pick<Tenant, 'locales' | 'arriving' | 'leaving'>,
): SQL {
  const indexed = locales.filter((each) => !arriving.includes(each) && !leaving.includes(each))
  const spoken = locale.chain.find((each) => indexed.includes(each)) ?? locales[0]
  const words = wordsOf(q)
  const asked = words.map((word, index) => askedWord(word, index === words.length - 1))
  return sql`select * from search_products(${spoken}, ${configOf(spoken)}::regconfig, ${JSON.stringify(asked)}::jsonb)`
}

/** The last word may be unfinished, once it has two letters. */
function askedWord({ text, joined, parts }: Word, last: boolean) {
  const open = (word: string) => (last && word.length > 1 ? `${quoted(word)}:*` : quoted(word))
  const whole = `${quoted(joined)} | ${open(joined)}`
  const apart = [...parts.slice(0, -1).map(quoted), ...parts.slice(-1).map(open)].join(' & ')
  const near = neighbours(joined).map((each) => quoted(`~${each}`))
  return {
    text,
    exact: parts.length > 1 ? `${whole} | (${apart})` : whole,
    near: near.length > 0 ? near.join(' | ') : null,
    letters: near.length > 0 && joined.length > 5 ? joined : null,
  }
}

/** Postgres's stemmer for a locale's language. */
function configOf(locale: string): string {
  return stemmers[locale.slice(0, locale.indexOf('-'))] ?? 'simple'
}

const stemmers: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
}
