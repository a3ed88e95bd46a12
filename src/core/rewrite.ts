/** The two ways in which a write arrives at a resource's new state: one locale merged, or all translations replaced. */
import { cut } from './cut.ts'
import { type Locale, type Locales, localeOf, textsWithout, translated, writableLocales } from './locale.ts'
import type { Violation } from './problem.ts'
import { localeProblems, validationProblems } from './problems/index.ts'
import { type Shape, translatableOf, type Values, type Written } from './property.ts'
import { merged, type State } from './state.ts'
import { pathText } from './violations.ts'

/** A way to change the texts of a resource: by a patch, or by all its translations at once. */
export type Rewrite<Of extends Shape = Shape> = {
  /** The state that follows, and what forbids it. */
  readonly apply: (before: State<Of>) => { readonly state: State<Of>; readonly violations: Violation[] }
  /** What of a state the audit trail compares. */
  readonly shown: (state: State<Of>) => Values<Of> & Readonly<Record<string, unknown>>
  /** Where the caller wrote a translatable property, in the locale that must be unique. */
  readonly path: (name: string) => string
  /** Whether archived resources are changed as well, since nobody writes them: it befalls all of the tenant's. */
  readonly befallsAll?: true
}

/** What rewriting texts leaves, and whether it was done by an earlier request with the same key. */
export type Translated<Parts> = Parts & { readonly replayed: boolean }

/** Merges a patch in one locale (RFC 7396). */
export function patching<Of extends Shape>(shape: Of, patch: Written<Of>, locale: Locale): Rewrite<Of> {
  return {
    apply: (before) => merged(shape, before, patch, locale),
    shown: ({ values, translations }) => ({ ...values, ...translations[locale.asked] }),
    path: (name) => name,
  }
}

/** Texts by locale and property, as they are written; null is the same as none. */
export type WrittenTranslations = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>

/** Puts the given translations in the place of all that there are; every required property must be among them. */
export function replacingTranslations<Of extends Shape>(
  shape: Of,
  written: WrittenTranslations,
  tenant: Locales,
): Rewrite<Of> {
  const { locales } = tenant
  const writable = writableLocales(tenant)
  const path = (locale: string, ...names: string[]) => pathText(['translations', locale, ...names])
  const violations: Violation[] = []
  let texts: State = { values: {}, translations: {} }
  for (const [locale, own] of Object.entries(written)) {
    if (!writable.includes(locale)) {
      const values = { locale: cut(locale, 35), locales: writable.join(', ') }
      violations.push(localeProblems.not_declared.at(path(locale), values))
      continue
    }
    texts = merged<Shape>(shape, texts, own ?? {}, localeOf(locales, locale)).state
  }
  const { translations } = texts
  const { properties }: Shape = shape
  for (const name of translatableOf(shape)) {
    if (properties[name]?.required && !translated(translations, name, locales)) {
      violations.push(validationProblems.required.at(path(locales[0], name)))
    }
  }
  return {
    apply: ({ values }) => ({ state: { values, translations }, violations }),
    shown: (state) => ({ ...state.values, translations: state.translations }),
    path: (name) => path(locales[0], name),
  }
}

/** Takes a locale that is on its way out from a resource's texts, as `textsWithout` does. */
export function withoutLocale<Of extends Shape>(
  locale: string,
  locales: readonly [string, ...string[]],
): Rewrite<Of> {
  return {
    apply: ({ values, translations }) => ({
      state: { values, translations: textsWithout(locale, translations, locales) },
      violations: [],
    }),
    shown: (state) => ({ ...state.values, translations: state.translations }),
    path: (name) => name,
    befallsAll: true,
  }
}
