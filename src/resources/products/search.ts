/**
 * Full-text search of products: what is kept of each in every locale of its tenant, and what a search asks for. Words are
 * folded here, on both sides alike; Postgres adds the stems of the locale's language.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Locale, localeOf, translated } from '../../core/locale.ts'
import { type State, stateOf } from '../../core/state.ts'
import { folded, neighbours, plainText, type Word, wordsOf } from '../../core/words.ts'
import { type Statement, statement } from '../../db/client.ts'
import type { ProductParts } from './document.ts'
import { product as shape } from './schema.ts'

type Locales = readonly [string, ...string[]]

/** The properties that are searched. */
const searched = ['title', 'description', 'vendor', 'productType', 'tags', 'handle']

/** Keeps products findable by what they now say, and by the codes of their variants: after these are written. */
export function indexStatements(
  products: readonly { readonly id: string; readonly state: State }[],
  locales: Locales,
): Statement[] {
  const rows = products.flatMap(({ id, state }) =>
    locales.map((locale) => ({ product_id: id, ...searchRow(state, localeOf(locales, locale)) })),
  )
  return rows.length === 0 ? [] : [statement(sql`select index_products(${JSON.stringify(rows)}::jsonb)`)]
}

/** Keeps a product findable when its variants have changed. */
export function reindexed(product: ProductParts, locales: Locales): Statement[] {
  return indexStatements([{ id: product.id, state: stateOf(shape, product) }], locales)
}

/** What of a state a search can find. */
export function searchedIn({ values, translations }: State): unknown[] {
  const texts = Object.entries(translations).map(([locale, each]) => [locale, each.title, each.description])
  return [...searched.map((name) => values[name] ?? null), texts.sort()]
}

/** A product as it reads in a locale, its fallbacks included. */
function searchRow({ values, translations }: State, { asked, chain }: Locale) {
  const text = (name: string) => String(translated(translations, name, chain)?.value ?? '')
  const title = wordsOf(text('title'))
  const { vendor, productType, tags, handle } = values
  const labels = [vendor, productType, ...((tags as string[] | undefined) ?? [])]
  const keywords = labels.flatMap((each) => wordsOf(String(each ?? '')))
  return {
    locale: asked,
    config: configOf(asked),
    title: folded(text('title')),
    description: folded(plainText(text('description'))),
    lexemes: lexemesOf(title, [...keywords, ...wordsOf(String(handle))]),
    words: [...new Set([...title, ...keywords].flatMap(formsOf))].join(' ').slice(0, 10_000),
  }
}

const formsOf = ({ joined, parts }: Word) => [joined, ...parts]

/** The text of a tsvector: words of a title, other words, and the neighbours of both. Its own limit is a megabyte. */
function lexemesOf(title: readonly Word[], others: readonly Word[]): string {
  const weighed = (words: readonly Word[], weight: string) =>
    words.flatMap((word, index) =>
      [...new Set(formsOf(word))].map((form) => `${quoted(form)}:${index + 1}${weight}`),
    )
  const near = [...title, ...others]
    .flatMap(formsOf)
    .flatMap((form) => neighbours(form).map((each) => quoted(`~${each}`)))
  let room = 100_000
  const fitting = [...weighed(title, 'A'), ...weighed(others, 'B'), ...new Set(near)].filter((each) => {
    room -= each.length
    return room >= 0
  })
  return fitting.join(' ')
}

/** Words are letters, digits and marks alone. */
const quoted = (word: string) => `'${word}'`

/** A search in a locale: `search.product_id` and `search.rank` of the products that have all of its words. */
export function searchOf(q: string, locale: Locale, locales: Locales): SQL {
  const spoken = locale.chain.find((each) => locales.includes(each))!
  const words = wordsOf(q)
  const asked = words.map((word, index) => askedWord(word, index === words.length - 1))
  return sql`select * from search_products(${spoken}, ${configOf(spoken)}::regconfig, ${JSON.stringify(asked)}::jsonb)`
}

/** The last word may be unfinished, once it has two letters. */
function askedWord({ text, joined, parts }: Word, last: boolean) {
  const open = (word: string) => (last && word.length > 1 ? `${quoted(word)}:*` : quoted(word))
  const whole = `${quoted(joined)} | ${open(joined)}`
  const apart = [...parts.slice(0, -1).map(quoted), open(parts.at(-1)!)].join(' & ')
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
