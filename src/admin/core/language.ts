/** The languages of the interface. Those of the catalogue are the tenant's own. */
export const languages = [
  { locale: 'en', name: 'English' },
  { locale: 'fr', name: 'Français' },
] as const

export type Language = (typeof languages)[number]['locale']

export function languageOf(locale: string | undefined): Language | undefined {
  return languages.find((each) => locale?.startsWith(each.locale))?.locale
}

let current: Language = 'en'

/** The language of the interface from now on. */
export function speak(language: Language): void {
  current = language
}

/** Texts in the language of the interface, for code that is no component; components call `useWords()`. */
export function spoken<Words>(words: Readonly<Record<Language, Words>>): Words {
  return words[current]
}

/** How dates and numbers are written: the interface's language as the browser's person writes it (`en-GB`). */
export function interfaceLocale(): string {
  return navigator.languages.find((each) => languageOf(each) === current) ?? current
}
