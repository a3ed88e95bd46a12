import polyglotI18nProvider from 'ra-i18n-polyglot'
import english from 'ra-language-english'
import { type I18nProvider, mergeTranslations, useLocale } from 'react-admin'
import type { Messages } from '../messages/en.ts'
import {
  initialLanguage,
  type Language,
  languageOf,
  languages,
  loadMessages,
  messages,
  textsOf,
} from './language.ts'
import { chooseLanguage } from './settings.ts'

const loadAll = {
  en: async () => mergeTranslations(english, (await loadMessages('en')).labels),
  de: async () => {
    const [reactAdmin, own] = await Promise.all([import('../messages/react-admin-de.ts'), loadMessages('de')])
    return mergeTranslations(reactAdmin.reactAdminGerman, own.labels)
  },
  fr: async () => {
    const [french, own] = await Promise.all([import('ra-language-french'), loadMessages('fr')])
    // The package has ordinary spaces before the marks that French separates.
    const spaced = JSON.stringify(french.default).replaceAll(/ (?=[:;!?»])|(?<=«) /g, '\u00a0')
    return mergeTranslations(JSON.parse(spaced), own.labels)
  },
} as const satisfies Record<Language, unknown>

/** react-admin's texts and the names of the API's resources. */
export async function spokenI18nProvider(): Promise<I18nProvider> {
  const initial = initialLanguage()
  const first = await loadAll[initial]()
  const provider = polyglotI18nProvider(
    (locale) => (locale === initial ? first : loadAll[languageOf(locale) ?? 'en']()),
    initial,
    [...languages],
  )
  return {
    ...provider,
    async changeLocale(locale) {
      await provider.changeLocale(locale)
      await chooseLanguage(languageOf(locale) ?? 'en')
    },
  }
}

/** The texts of one part of the admin in the language of the interface. */
export function useWords<Part extends keyof Messages>(part: Part): Messages[Part] {
  // Renders again when the language changes.
  useLocale()
  return messages(part)
}

/** Texts of a page that are not in `messages/`. The page renders again when the language changes. */
export function useTexts<Texts>(texts: Readonly<Record<Language, Texts>>): Texts {
  useLocale()
  return textsOf(texts)
}
