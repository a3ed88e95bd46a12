import type { Client } from '../client.ts'
import { concurrently } from '../concurrently.ts'
import type { CategoryDocument, ProductDocument } from '../documents.ts'
import {
  type DemoCategory,
  type DemoLocale,
  type DemoProduct,
  demoLocales,
  type Text,
  textIn,
} from './model.ts'

type Texts = Readonly<Record<string, unknown>>

/** What a document is to read in each language. What is the same in all of them stands in the first alone. */
export type Wanted = { readonly iri: string; readonly texts: ReadonlyMap<DemoLocale, Texts> }

/**
 * Adds the texts that documents lack in a language, all of a document in one request: what somebody wrote in the meantime
 * stays, and what is not there in English has no other languages. Answers how many documents were translated.
 */
export async function translate(client: Client, wanted: readonly Wanted[]): Promise<number> {
  const translated = await concurrently(4, wanted, async ({ iri, texts }) => {
    const path = `${iri}/translations`
    const { translations } = await client.read<{ translations: Readonly<Record<string, Texts>> }>(path)
    const known = translations['en-US'] ?? {}
    const whole: Record<string, Texts> = { ...translations }
    let added = 0
    for (const [locale, given] of texts) {
      const lacking = Object.entries(given).filter(
        ([name]) => known[name] !== undefined && translations[locale]?.[name] === undefined,
      )
      added += lacking.length
      if (lacking.length > 0) whole[locale] = { ...translations[locale], ...Object.fromEntries(lacking) }
    }
    if (added > 0) await client.write('PUT', path, { translations: whole })
    return added > 0
  })
  return translated.filter(Boolean).length
}

/** The texts of a product, of its options and of their values. */
export function productTexts(product: DemoProduct, document: ProductDocument): Wanted[] {
  const { title, description, seo, options = [] } = product
  return [
    ...wanted(document['@id'], { title, description, ...(seo && { seo }) }),
    ...options.flatMap((option, place) => {
      const known = document.options[place]
      if (!known) return []
      const values = option.values.flatMap((value, at) => {
        const shown = known.values[at]
        return shown ? wanted(shown['@id'], { title: value }) : []
      })
      return [...wanted(known['@id'], { title: option.title }), ...values]
    }),
  ]
}

/** The texts of a category. */
export function categoryTexts(category: DemoCategory, document: CategoryDocument): Wanted[] {
  const { title, description } = category
  return wanted(document['@id'], { title, ...(description && { description }) })
}

/** A text, or an object of some that are translated as one. */
type Part = Text | Readonly<Record<string, Text>>

function wanted(iri: string, parts: Readonly<Record<string, Part>>): Wanted[] {
  const own = Object.entries(parts).filter(([, part]) => typeof part !== 'string')
  if (own.length === 0) return []
  const texts = demoLocales.map(
    (locale) => [locale, Object.fromEntries(own.map(([name, part]) => [name, read(part, locale)]))] as const,
  )
  return [{ iri, texts: new Map(texts) }]
}

function read(part: Part, locale: DemoLocale): unknown {
  if (isText(part)) return textIn(part, locale)
  return Object.fromEntries(Object.entries(part).map(([name, text]) => [name, textIn(text, locale)]))
}

function isText(part: Part): part is Text {
  return typeof part === 'string' || 'en' in part
}
