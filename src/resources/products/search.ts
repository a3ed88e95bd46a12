/**
 * Full-text search of products: the index rows of each locale, and the query of a search. Both fold words in the same way. Postgres adds the
 * stems of the locale's language.
 */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Tenant } from '../../core/context.ts'
import type { Value } from '../../core/document.ts'
import { type Locale, type Locales, localeOf, translated, writableLocales } from '../../core/locale.ts'
import { bytesOf, truncate } from '../../core/sizes.ts'
import { spelling } from '../../core/slug.ts'
import { type State, stateOf } from '../../core/state.ts'
import { type RowOf, type Statement, statement } from '../../db/query.ts'
import type { WriteStep } from '../../db/write-steps.ts'
import { indexedLocale } from '../shared/titles.ts'
import type { ProductParts } from './document.ts'
import { product as shape } from './schema.ts'

/** A search of products: the common table expressions of its queries. */
type Search = {
  /** Selects one row: the columns of `understand_search()`. */
  readonly meaning: SQL
  /** Selects `product_id` and `rank` of the products that contain all words. It reads `meaning`. */
  readonly matches: SQL
  /** The corrections in `meaning` as JSON, each with a text that spells the right word as the catalogue does; null without any. */
  readonly corrections: SQL
  /** Selects words that complete the last word, with products that have them: the columns of `suggest_words()`. It reads `meaning`. */
  readonly completions: SQL
  /** Selects the most frequent of the completions that `from` joins to products as `search`, after `commonTables`. */
  readonly suggestions: (commonTables: SQL, from: SQL) => Statement<RowOf<typeof suggestionRow>>
}

/** The search of a text. If a locale is not yet indexed, the search uses the next locale of its fallbacks. */
export function searchOf(
  q: string,
  locale: Locale,
  tenant: Pick<Tenant, 'locales' | 'arriving' | 'leaving'>,
  suggests = false,
): Search {
  const searchLocale = indexedLocale(locale.chain, tenant)
  const config = configOf(searchLocale)
  const words = wordsOf(q)
  const searchWords = words.map((word, index) => ({
    ...searchWord(word, index === words.length - 1, words.length > 1),
    // Suggestions are quick, because they do not search for parts of words and for several slips. They complete the last word as it is.
    ...(suggests && { letters: null, ...(index === words.length - 1 && { near: null }) }),
  }))
  const [title, code] = [`=${joinedText(words, ' ')}`, `#${joinedText(words, '')}`]
  return {
    meaning: sql`select * from understand_search(${searchLocale}, ${config}::regconfig,
      with_synonyms(${searchLocale}, ${config}::regconfig, ${JSON.stringify(searchWords)}::jsonb))`,
    matches: sql`select r.* from meaning m, rank_matches(${searchLocale}, m.wanted, m.whole, ${title}, ${code}) r`,
    corrections: sql`(select json_agg(json_build_object('from', c.value -> 'from', 'to', c.value -> 'to',
        'text', ${labelsOfProduct(sql`(c.value ->> 'product')::uuid`, searchLocale)}))
      from meaning m, jsonb_array_elements(m.corrections) c)`,
    completions: sql`select w.* from meaning m, suggest_words(${searchLocale}, m.wanted, ${words.at(-1)?.joined ?? ''}) w`,
    suggestions: (commonTables, from) => statement(suggestionRow)`
      with ${commonTables} frequent as (
        select search.word, count(*)::int as count, bool_and(search.is_all) as "isAll", min(search.product_id::text)::uuid as product
          ${from} group by search.word order by count(*) desc, search.word limit ${maximumSuggestions})
      select word, count, "isAll", ${labelsOfProduct(sql`product`, searchLocale)} as text from frequent order by count desc, word`,
  }
}

const maximumSuggestions = 10

/** A folded word, the number of products that have it, whether these are all, and a text that contains the word. */
const suggestionRow = { word: z.string(), count: z.number(), isAll: z.boolean(), text: z.string() }

/** The suggestions of a search: `q` with its last word completed as the catalogue spells it. */
export function suggestionsOf(rows: readonly RowOf<typeof suggestionRow>[], q: string): Value[] {
  const earlierWords = q.replace(edges, '').replace(/\S+$/, '')
  return rows.map(({ word, count, isAll, text }) => ({
    '@type': 'Suggestion',
    q: earlierWords + spelledIn(text, word),
    count,
    atLeast: !isAll,
  }))
}

/** The title, vendor, type and tags of a product as one text. */
function labelsOfProduct(id: SQL, locale: string): SQL {
  return sql`(select concat_ws(' ', n.title, p.vendor, p.product_type, (
      select string_agg(g.tag, ' ') from product_tags g where g.tenant_id = current_tenant() and g.product_id = p.id))
    from products p join titles n on n.tenant_id = p.tenant_id and n.kind = 'products' and n.id = p.id and n.locale = ${locale}
   where p.tenant_id = current_tenant() and p.id = ${id})`
}

/** A misspelt word, the word that the search used instead, and a text that contains that. */
export const storedCorrection = z.object({ from: z.string(), to: z.string(), text: z.string() })

/** The corrections of a search, for a sentence such as “Results for Tasche instead of tashe”. */
export function correctionsOf(corrections: readonly z.infer<typeof storedCorrection>[], q: string): Value[] {
  const typed = q.split(/\s+/)
  return corrections.map(({ from, to, text }) => ({
    '@type': 'Correction',
    from: typed.find((word) => folded(word) === from) ?? from,
    to: spelledIn(text, to),
  }))
}

/** A folded word as a text spells it: `Bücher` for `bucher`. */
export function spelledIn(text: string, foldedWord: string): string {
  const isWord = (part: string) => joinedText(wordsOf(part), '') === foldedWord
  const chunks = text.split(/\s+/).map((chunk) => chunk.replace(edges, ''))
  return (
    chunks.find(isWord) ?? chunks.flatMap((chunk) => chunk.split(wordSeparators)).find(isWord) ?? foldedWord
  )
}

/**
 * Converts a word to queries of `understand_search()`. The last word also matches as a prefix. A single letter does only next to other words or
 * parts, because alone it would match most products.
 */
function searchWord({ text, joined, parts }: Word, isLast: boolean, hasOthers: boolean) {
  const isPrefix = (word: string) => isLast && (word.length > 1 || hasOthers || parts.length > 1)
  const prefixOf = (word: string) => (isPrefix(word) ? `${quoted(word)}:*` : quoted(word))
  const joinedWord = `${quoted(joined)} | ${prefixOf(joined)}`
  const separateParts = [...parts.slice(0, -1).map(quoted), ...parts.slice(-1).map(prefixOf)].join(' & ')
  const similarWords = neighbours(joined).map((neighbour) => quoted(`~${neighbour}`))
  return {
    text,
    word: joined,
    exact: parts.length > 1 ? `${joinedWord} | (${separateParts})` : joinedWord,
    near: similarWords.length > 0 ? similarWords.join(' | ') : null,
    letters: similarWords.length > 0 ? joined : null,
  }
}

/** A word of a set of synonyms as a query, for `synonym_lookup()`. */
export function synonymOf({ text, joined, parts }: Word) {
  const separateParts = parts.length > 1 ? ` | (${parts.map(quoted).join(' & ')})` : ''
  return { text, word: joined, exact: quoted(joined) + separateParts }
}

/**
 * Steps that index products and the given variants, as they will be after the write. By default, they index every locale that can be
 * written.
 */
export function indexSteps(
  products: readonly {
    readonly id: string
    readonly state: State<typeof shape>
    readonly variants?: readonly IndexedVariant[]
  }[],
  tenant: Locales,
  indexedLocales: readonly string[] = writableLocales(tenant),
): WriteStep[] {
  const rows = products.flatMap(({ id, state, variants = [] }) => {
    const labels = labelsOf(state)
    const codes = variants.map(({ id, status, sku, barcode }) => ({ id, status, sku, barcode }))
    return indexedLocales.map((locale, index) => ({
      product_id: id,
      ...searchRow(state, labels, localeOf(tenant.locales, locale)),
      ...(index === 0 && codes.length > 0 && { variants: codes }),
    }))
  })
  return rows.length === 0 ? [] : [indexStep(rows)]
}

/** The codes of a variant. A search finds the product by them while the variant is active. */
type IndexedVariant = {
  readonly id: string
  readonly status: string
  readonly sku: string | null
  readonly barcode: string | null
}

/** Sends each text once, because most locales have the same texts. Rows contain indexes into the list of texts. */
function indexStep(rows: readonly SearchRow[]): WriteStep {
  const textIndexes = new Map<string, number>()
  const textIndexOf = (text: string) => {
    const index = textIndexes.get(text) ?? textIndexes.size
    textIndexes.set(text, index)
    return index
  }
  const indexRows = rows.map((row) => ({
    ...row,
    ...Object.fromEntries(indexedTexts.map((name) => [name, textIndexOf(row[name])])),
  }))
  return { do: 'index_products', texts: [...textIndexes.keys()], rows: indexRows }
}

const indexedTexts = ['title', 'description', 'lexemes', 'words'] as const

type SearchRow = Readonly<Record<'product_id' | 'locale' | 'config' | (typeof indexedTexts)[number], string>>

/** Statements that index a product again when its variants change. */
export function reindexSteps(
  product: ProductParts,
  variants: readonly IndexedVariant[],
  tenant: Locales,
): WriteStep[] {
  return indexSteps([{ id: product.id, state: stateOf(shape, product), variants }], tenant)
}

/** The values of a product that the index contains. */
export function searchedTexts({ values, translations }: State<typeof shape>): unknown[] {
  const texts = Object.entries(translations).map(([locale, { title, description }]) => [
    locale,
    title,
    description,
  ])
  return [...searchedProperties.map((name) => values[name]), texts.sort()]
}

/** Words without translations: those of vendor, type and tags, and those of the handle and the external id. */
type Labels = { readonly keywords: readonly Word[]; readonly names: readonly Word[] }

function labelsOf({
  values: { vendor, productType, tags, handle, externalId },
}: State<typeof shape>): Labels {
  const keywords = [vendor ?? '', productType ?? '', ...tags].flatMap(wordsOf)
  return { keywords, names: [handle ?? '', externalId ?? ''].flatMap(wordsOf) }
}

/** The index row of a product in a locale, including fallbacks. */
function searchRow(
  { translations }: Pick<State, 'translations'>,
  { keywords, names }: Labels,
  { requested: localeName, chain }: Locale,
) {
  const text = (name: string) => String(translated(translations, name, chain)?.value ?? '')
  const title = wordsOf(text('title'))
  return {
    locale: localeName,
    config: configOf(localeName),
    title: folded(text('title')),
    description: fittingText(folded(plainText(text('description')))),
    lexemes: lexemesOf(title, [...keywords, ...names]),
    words: truncate([...new Set([...title, ...keywords].flatMap(formsOf))].join(' '), 10_000),
  }
}

const formsOf = ({ joined, parts }: Word) => [joined, ...parts]

const joinedText = (words: readonly Word[], separator: string) =>
  word(words.map(({ joined }) => joined).join(separator))

/**
 * Maximum bytes of texts in a product's tsvector. Postgres rejects a tsvector of more than 1,048,575 bytes. The codes of variants use up to
 * 535,000: `index_products()` takes 200,000 bytes of them, in words of three bytes or more. A title uses up to 55,000. A search does not
 * find omitted words. Folding can turn one letter into eighteen.
 */
const maxIndexBytes = { description: 262_144, words: 150_000 }

/** Bytes of a lexeme in addition to its letters: one for alignment, two for the number of positions, two for the first position. */
const lexemeOverhead = 5
/**
 * Maximum bytes of lexemes per byte of text. Postgres stores `abc-def` whole and in parts, and a URL whole, as host and as path. Short words
 * need more bytes than their letters.
 */
const lexemeBytesPerByte = 4

/** The beginning of a text whose lexemes fit into the index, usually all of it. */
function fittingText(text: string): string {
  if (lexemeBytesPerByte * bytesOf(text) <= maxIndexBytes.description) return text
  const earlierChunks = new Set<string>()
  let remainingBytes = maxIndexBytes.description
  for (const { 0: chunk, index } of text.matchAll(/\S+/g)) {
    // A repeated chunk only adds a position for each of its words.
    if (earlierChunks.has(chunk)) remainingBytes -= 2 * chunk.length
    else if (plainWord.test(chunk)) remainingBytes -= bytesOf(chunk) + lexemeOverhead
    else remainingBytes -= lexemeBytesPerByte * (bytesOf(chunk) + 1)
    if (remainingBytes < 0) return text.slice(0, index)
    earlierChunks.add(chunk)
  }
  return text
}

/** A chunk that Postgres also parses as one word. */
const plainWord = /^[\p{Letter}\p{Number}]+$/u

/** The text of a tsvector: words of the title and of the labels, and the neighbours of both, up to the maximum bytes. */
function lexemesOf(title: readonly Word[], labels: readonly Word[]): string {
  const encodedLexemes: string[] = []
  let remainingBytes = maxIndexBytes.words
  for (const { word, at } of lexemes(title, labels)) {
    remainingBytes -= bytesOf(word) + lexemeOverhead
    if (remainingBytes < 0) break
    encodedLexemes.push(`${quoted(word)}${at}`)
  }
  return encodedLexemes.join(' ')
}

function* lexemes(title: readonly Word[], labels: readonly Word[]): Generator<{ word: string; at: string }> {
  // The whole title, for searches that are its beginning.
  yield { word: `=${joinedText(title, ' ')}`, at: ':1A' }
  for (const [words, weight] of [[title, 'A'] as const, [labels, 'B'] as const]) {
    for (const [index, word] of words.entries()) {
      for (const form of new Set(formsOf(word))) yield { word: form, at: `:${index + 1}${weight}` }
    }
  }
  const indexedNeighbours = new Set<string>()
  for (const word of [...title, ...labels]) {
    for (const neighbour of formsOf(word).flatMap(neighbours)) {
      if (!indexedNeighbours.has(neighbour)) yield { word: `~${neighbour}`, at: '' }
      indexedNeighbours.add(neighbour)
    }
  }
}

/** Words contain only letters, digits and marks, and whole titles blanks, so nothing needs escaping. */
const quoted = (word: string) => `'${word}'`

/** The searchable properties in addition to title and description. */
const searchedProperties = ['vendor', 'productType', 'tags', 'handle', 'externalId'] as const

/** Folds text to lower case without accents. Letters without a base letter are spelt out: `ß` is `ss`. */
export function folded(text: string): string {
  if (asciiText.test(text)) return text.toLowerCase()
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      // Only marks of Latin, Greek and Cyrillic letters. In other scripts, marks are vowels.
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .replace(/[^\p{ASCII}]/gu, (letter) => spelling.get(letter) ?? letter)
  )
}

const asciiText = /^\p{ASCII}*$/u

/** The text between two blanks. `T-Shirt` is one word, `joined` as `tshirt`, with the parts `t` and `shirt`. */
export type Word = { readonly text: string; readonly joined: string; readonly parts: readonly string[] }

const wordSeparators = /[^\p{Letter}\p{Number}\p{Mark}]+/u
/** The punctuation around a word. */
const edges = /^[^\p{Letter}\p{Number}\p{Mark}]+|[^\p{Letter}\p{Number}\p{Mark}]+$/gu
/** Control characters, lone surrogates and unassigned code points. Postgres rejects some of them. */
const unprintable = /\p{Other}/gu

/** The words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  return folded(text)
    .split(/\s+/)
    .flatMap((chunk) => {
      const parts = chunk.split(wordSeparators).filter((part) => part !== '')
      if (parts.length === 0) return []
      return [{ text: chunk.replace(unprintable, ' '), joined: word(parts.join('')), parts: parts.map(word) }]
    })
}

/** UTF-16 units. Postgres stores words of up to 2,046 bytes, and a unit has at most three bytes. */
const maxWordUnits = 255
const word = (letters: string) => truncate(letters, maxWordUnits)

/**
 * A word and its variations without one letter. Two words share a variation if they differ by one letter that is missing, added, wrong or
 * swapped. Empty for short words, long words and words with digits.
 */
export function neighbours(word: string): string[] {
  if (!/^\p{Letter}{4,32}$/u.test(word)) return []
  const variations = new Set([word])
  let position = 0
  for (const letter of word) {
    variations.add(word.slice(0, position) + word.slice(position + letter.length))
    position += letter.length
  }
  return [...variations]
}

/** The text of HTML without tags and with decoded entities. */
export function plainText(html: string): string {
  return html
    .replace(/<[/!a-z][^<>]*>/gi, ' ')
    .replace(/&(\w)(?:acute|grave|circ|uml|tilde|cedil|ring|slash);/g, '$1')
    .replace(/&(\w\w)lig;/g, '$1')
    .replace(/&#(\d{1,7});/g, (_, code: string) => character(Number(code)))
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&\w+;/g, ' ')
}

/** Decodes a character reference. Postgres rejects U+0000 and lone surrogates, which become blanks. */
function character(code: number): string {
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : ' '
}

/** The text search configuration of Postgres for the language of a locale. */
export function configOf(locale: string): string {
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
