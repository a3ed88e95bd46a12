import { useLocale } from 'react-admin'
import { catalogue } from '../core/settings.ts'

/** Names a locale of the catalogue in the language of the interface: `fr-FR` is French, with the country only where two locales share a language. */
export function useLanguageNames(): (locale: string) => string {
  const names = new Intl.DisplayNames(useLocale(), { type: 'language' })
  return (locale) => {
    const language = locale.split('-')[0] ?? locale
    const sharing = catalogue().locales.filter((each) => each.split('-')[0] === language)
    return names.of(sharing.length > 1 ? locale : language) ?? locale
  }
}
