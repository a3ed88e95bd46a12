import { english, type Messages } from '../messages/en.ts'

/** The languages of the interface. Those of the catalogue are the tenant's own. */
export const languages = [
  { locale: 'en', name: 'English' },
  { locale: 'de', name: 'Deutsch' },
  { locale: 'fr', name: 'Français' },
] as const

export type Language = (typeof languages)[number]['locale']

export function languageOf(locale: string | undefined): Language | undefined {
  return languages.find((each) => locale?.startsWith(each.locale))?.locale
}

const loaders = {
  en: async () => english,
  de: async () => (await import('../messages/de.ts')).german,
  fr: async () => (await import('../messages/fr.ts')).french,
} as const satisfies Record<Language, () => Promise<Messages>>

const loaded: Partial<Record<Language, Messages>> = { en: english }
let current: Language = 'en'

/** Loads the texts of a language, which are then used by {@link messages}. */
export async function loadMessages(language: Language): Promise<Messages> {
  const texts = await loaders[language]()
  loaded[language] = texts
  return texts
}

/** The language of the last visit, else of the browser, else English. */
export function initialLanguage(): Language {
  const chosen = localStorage.getItem('RaStore.locale')?.replaceAll('"', '')
  return [chosen, ...navigator.languages].map(languageOf).find((each) => each !== undefined) ?? 'en'
}

/** Sets the language of the interface, after its texts are loaded. */
export async function setLanguage(language: Language): Promise<void> {
  await loadMessages(language)
  current = language
}

/** The texts of one part of the admin in the language of the interface, for code outside components; components call `useWords()`. */
export function messages<Part extends keyof Messages>(part: Part): Messages[Part] {
  return (loaded[current] ?? english)[part]
}

/** The locale that formats dates and numbers: the interface's language in the variant of the browser (`en-GB`). */
export function interfaceLocale(): string {
  return navigator.languages.find((each) => languageOf(each) === current) ?? current
}

/** Texts of a page that are not in `messages/`, because few users open it, in the language of the interface. */
export function textsOf<Texts>(texts: Readonly<Record<Language, Texts>>): Texts {
  return texts[languageOf(interfaceLocale()) ?? 'en']
}
