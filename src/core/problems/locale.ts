import { declareProblems } from '../problem.ts'

/** What can be wrong with the locale that a request reads or writes in. */
export const localeProblems = declareProblems('locale', {
  malformed: {
    code: 'LOC-1001',
    status: 400,
    description: 'Service-Locale does not have the form language-REGION. Send one such as fr-FR.',
    message: {
      'en-US': '“{locale}” is not a valid language setting. Please use a form such as en-US.',
      'fr-FR':
        '« {locale} » n’est pas un paramètre de langue valide. Veuillez utiliser une forme telle que fr-FR.',
      'de-DE': '„{locale}“ ist keine gültige Spracheinstellung. Bitte verwenden Sie eine Form wie de-DE.',
      'es-ES': '«{locale}» no es una configuración de idioma válida. Utilice una forma como es-ES.',
    },
  },
  not_declared: {
    code: 'LOC-1002',
    status: 422,
    description:
      'The write is in a locale that the tenant has not declared. Send Service-Locale with one of the declared locales.',
    message: {
      'en-US': 'Content cannot be saved in the language {locale}. Available languages: {locales}.',
      'fr-FR':
        'Le contenu ne peut pas être enregistré dans la langue {locale}. Langues disponibles : {locales}.',
      'de-DE':
        'Inhalte können nicht in der Sprache {locale} gespeichert werden. Verfügbare Sprachen: {locales}.',
      'es-ES': 'No se puede guardar contenido en el idioma {locale}. Idiomas disponibles: {locales}.',
    },
  },
})
