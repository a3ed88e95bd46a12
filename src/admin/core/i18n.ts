import polyglotI18nProvider from 'ra-i18n-polyglot'
import english from 'ra-language-english'
import { type I18nProvider, useLocale } from 'react-admin'
import { type Language, languageOf, languages, speak } from './language.ts'
import { english as ownEnglish } from './messages/en.ts'

const messages = {
  en: async () => ({ ...english, ...ownEnglish }),
  fr: async () => {
    const [french, own] = await Promise.all([import('ra-language-french'), import('./messages/fr.ts')])
    return { ...french.default, ...own.french }
  },
} as const satisfies Record<Language, unknown>

/** react-admin's texts and the names of what the service has, in the language that was chosen last, else in the browser's, else in English. */
export async function spokenI18nProvider(): Promise<I18nProvider> {
  const chosen = localStorage.getItem('RaStore.locale')?.replaceAll('"', '')
  const initial = [chosen, ...navigator.languages].map(languageOf).find((each) => each !== undefined) ?? 'en'
  const first = await messages[initial]()
  const provider = polyglotI18nProvider(
    (locale) => (locale === initial ? first : messages[languageOf(locale) ?? 'en']()),
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
  speak(language)
  document.documentElement.lang = language
}

/**
 * A page's own texts in the language of the interface. Each folder has its texts in `words.ts`, English and French of one type,
 * with functions where a text says a number or a name: so that no text lacks in either.
 */
export function useWords<Words>(words: Readonly<Record<Language, Words>>): Words {
  return words[languageOf(useLocale()) ?? 'en']
}
