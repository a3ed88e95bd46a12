import type { Translations } from '../db/columns.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { sameJson } from './patch.ts'

/** The locale of a request, resolved against the locales that its tenant declares. */
export type Locale = {
  /** The requested locale, or the tenant's default. */
  readonly requested: string
  /** The locales searched for a value, best first: exact, same language, default, the rest. */
  readonly chain: readonly string[]
  /** True when the stored document answers the request: it is in the tenant's default locale. */
  readonly stored: boolean
  /** Patches of texts in other locales, which a revert writes together with those in `requested`. */
  readonly otherTexts?: readonly { readonly locale: Locale; readonly texts: JsonObject }[]
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

/** Whether a string is an officially assigned ISO 3166-1 alpha-2 code in upper case. Reserved codes (`UK`, `EU`) are not. */
export function isCountry(code: string): boolean {
  return countries.has(code)
}

/** The 249 officially assigned ISO 3166-1 alpha-2 codes. */
export const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
  BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
  ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
  HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
  LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
  NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
  SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
  UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)
