import type { Translations } from '../db/columns.ts'
import { isJsonObject, type Json } from './json.ts'
import { sameJson } from './patch.ts'

/** The language that a request speaks, resolved against what its tenant declares. */
export type Locale = {
  /** What was asked for, or the tenant's default. */
  readonly asked: string
  /** Where a value is looked for, best first: exact, same language, default, the rest. */
  readonly chain: readonly string[]
  /** True when the answer is the stored rendering, which is in the tenant's default locale. */
  readonly stored: boolean
}

/** The locales of a tenant, and those of them that texts are being taken from. */
export type Locales = {
  readonly locales: readonly [string, ...string[]]
  readonly leaving: readonly string[]
}

/** The locales that may be written in: one that is on its way out gets no new text. */
export function writableLocales({ locales, leaving }: Locales): string[] {
  return locales.filter((each) => !leaving.includes(each))
}

/** A language with its country: `fr-FR`. */
export const localePattern = /^[a-z]{2,3}-[A-Z]{2}$/

/** Resolves a requested locale (null when none was) against the declared ones, of which the first is the default. */
export function localeOf(declared: readonly [string, ...string[]], asked: string | null): Locale {
  const [standard] = declared
  const wanted = asked ?? standard
  const language = wanted.slice(0, wanted.indexOf('-') + 1)
  const sameLanguage = declared.filter((each) => each.startsWith(language))
  return {
    asked: wanted,
    chain: [...new Set([wanted, ...sameLanguage, standard, ...declared])],
    stored: wanted === standard,
  }
}

/**
 * Whether a written value is what a document showed in place of a missing translation, by the document's own `fallbacks`:
 * sent back as it was read, it is no translation. `shown` is what is shown there now.
 */
export function isFallback(fallbacks: Json | undefined, path: string, written: Json, shown: Json): boolean {
  return isJsonObject(fallbacks) && Object.hasOwn(fallbacks, path) && sameJson(written, shown)
}

/** The best translation of a property, and the locale that it is in; null when no locale has one. */
export function translated(
  translations: Translations,
  property: string,
  chain: readonly string[],
): { value: Json; locale: string } | null {
  for (const locale of chain) {
    const value = translations[locale]?.[property]
    if (value !== undefined && value !== null) return { value, locale }
  }
  return null
}

/**
 * Texts by locale without those of one. What readers of the default locale saw in it, for want of a text of their own, becomes their
 * text: nothing that is shown or required vanishes, and what is stored in the default locale reads as before.
 */
export function textsWithout<Text extends Json>(
  locale: string,
  translations: Readonly<Record<string, Readonly<Record<string, Text>>>>,
  locales: readonly [string, ...string[]],
): Readonly<Record<string, Readonly<Record<string, Text>>>> {
  const { asked: standard, chain } = localeOf(locales, null)
  const { [locale]: gone, ...others } = translations
  const kept = Object.entries(gone ?? {}).filter(
    ([name]) => translated(translations, name, chain)?.locale === locale,
  )
  return kept.length === 0
    ? others
    : { ...others, [standard]: { ...others[standard], ...Object.fromEntries(kept) } }
}
