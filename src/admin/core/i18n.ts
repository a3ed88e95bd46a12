import polyglotI18nProvider from 'ra-i18n-polyglot'
import english from 'ra-language-english'
import { type I18nProvider, mergeTranslations, useLocale } from 'react-admin'
import type { Messages } from '../messages/en.ts'
import { type Language, languageOf, languages, loadMessages, messages, setLanguage } from './language.ts'

const loadAll = {
  en: async () => mergeTranslations(english, (await loadMessages('en')).labels),
  fr: async () => {
    const [french, own] = await Promise.all([import('ra-language-french'), loadMessages('fr')])
    // The package has ordinary spaces before the marks that French separates.
    const spaced = JSON.stringify(french.default).replaceAll(/ (?=[:;!?»])|(?<=«) /g, '\u00a0')
    return mergeTranslations(JSON.parse(spaced), own.labels)
  },
} as const satisfies Record<Language, unknown>

/** react-admin's texts and the names of the API's resources, in the language of the last visit, else of the browser, else in English. */
export async function spokenI18nProvider(): Promise<I18nProvider> {
  const chosen = localStorage.getItem('RaStore.locale')?.replaceAll('"', '')
  const initial = [chosen, ...navigator.languages].map(languageOf).find((each) => each !== undefined) ?? 'en'
  const first = await loadAll[initial]()
  const provider = polyglotI18nProvider(
    (locale) => (locale === initial ? first : loadAll[languageOf(locale) ?? 'en']()),
    initial,
    [...languages],
  )
  announce(initial)
  return {
    ...provider,
    async changeLocale(locale) {
      await provider.changeLocale(locale)
      announce(languageOf(locale) ?? 'en')
    },
  }
}

function announce(language: Language): void {
  setLanguage(language)
  document.documentElement.lang = language
}

/** The texts of one part of the admin in the language of the interface. */
export function useWords<Part extends keyof Messages>(part: Part): Messages[Part] {
  // Renders again when the language changes.
  useLocale()
  return messages(part)
}
