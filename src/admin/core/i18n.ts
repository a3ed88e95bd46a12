import polyglotI18nProvider from 'ra-i18n-polyglot'
import english from 'ra-language-english'
import { type I18nProvider, useLocale } from 'react-admin'

/** The languages of the interface. Those of the catalogue are the tenant's own. */
export const languages = [
  { locale: 'en', name: 'English' },
  { locale: 'fr', name: 'Français' },
] as const

type Language = (typeof languages)[number]['locale']

const messages = {
  en: async () => english,
  fr: async () => (await import('ra-language-french')).default,
} as const satisfies Record<Language, unknown>

function languageOf(locale: string | undefined): Language | undefined {
  return languages.find((each) => locale?.startsWith(each.locale))?.locale
}

/** react-admin's own texts, in the language that was chosen last, else in the browser's, else in English. */
export async function spokenI18nProvider(): Promise<I18nProvider> {
  const chosen = localStorage.getItem('RaStore.locale')?.replaceAll('"', '')
  const initial = [chosen, ...navigator.languages].map(languageOf).find((each) => each !== undefined) ?? 'en'
  const first = await messages[initial]()
  return polyglotI18nProvider(
    (locale) => (locale === initial ? first : messages[languageOf(locale) ?? 'en']()),
    initial,
    [...languages],
  )
}

/**
 * A page's own texts in the language of the interface. Each folder has its texts in `words.ts`, English and French of one type,
 * with functions where a text says a number or a name: so that no text lacks in either.
 */
export function useWords<Words>(words: Readonly<Record<Language, Words>>): Words {
  return words[languageOf(useLocale()) ?? 'en']
}
