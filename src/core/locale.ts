import type { Translations } from '../db/columns.ts'
import { isJsonObject, type Json } from './json.ts'
import { sameJson } from './patch.ts'

/** The locale of a request, resolved against the locales that its tenant declares. */
export type Locale = {
  /** The requested locale, or the tenant's default. */
  readonly requested: string
  /** The locales searched for a value, best first: exact, same language, default, the rest. */
  readonly chain: readonly string[]
  /** True when the stored document answers the request: it is in the tenant's default locale. */
  readonly stored: boolean
}

/** The locales of a tenant, and those that are being removed. */
export type Locales = {
  readonly locales: readonly [string, ...string[]]
  readonly leaving: readonly string[]
}

/** The locales that accept new text: all except those that are being removed. */
export function writableLocales({ locales, leaving }: Locales): string[] {
  return locales.filter((locale) => !leaving.includes(locale))
}

/** A language with a country or a UN M49 region: `fr-FR`, `es-419`. */
export const localePattern = /^[a-z]{2,3}-(?:[A-Z]{2}|\d{3})$/

/** Resolves a requested locale, or null, against the declared ones. The first declared locale is the default. */
export function localeOf(declared: readonly [string, ...string[]], requestedLocale: string | null): Locale {
  const [defaultLocale] = declared
  const requested = requestedLocale ?? defaultLocale
  const language = requested.slice(0, requested.indexOf('-') + 1)
  const sameLanguage = declared.filter((locale) => locale.startsWith(language))
  return {
    requested: requested,
    chain: [...new Set([requested, ...sameLanguage, defaultLocale, ...declared])],
    stored: requested === defaultLocale,
  }
}

/**
 * Whether an input value is only the fallback that a document displayed for a missing translation. Such a value sent
 * back unchanged is no translation. `current` is the value displayed now.
 */
export function isFallback(fallbacks: Json | undefined, path: string, value: Json, current: Json): boolean {
  return isJsonObject(fallbacks) && Object.hasOwn(fallbacks, path) && sameJson(value, current)
}

/** The best translation of a property and its locale; null when no locale has one. */
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
 * Translations without one locale. If the default locale displayed a text of that locale, the text moves to the default
 * locale. So required and displayed texts never disappear.
 */
export function textsWithout<Text extends Json>(
  locale: string,
  translations: Readonly<Record<string, Readonly<Record<string, Text>>>>,
  locales: readonly [string, ...string[]],
): Readonly<Record<string, Readonly<Record<string, Text>>>> {
  const { requested: defaultLocale, chain } = localeOf(locales, null)
  const { [locale]: removed, ...remaining } = translations
  const movedTexts = Object.entries(removed ?? {}).filter(
    ([name]) => translated(translations, name, chain)?.locale === locale,
  )
  return movedTexts.length === 0
    ? remaining
    : { ...remaining, [defaultLocale]: { ...remaining[defaultLocale], ...Object.fromEntries(movedTexts) } }
}
