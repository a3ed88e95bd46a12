/** Apart from the other texts of the folder: the menu is there before they are needed. */
export const menuWords = { en: { untranslated: 'Untranslated' }, fr: { untranslated: 'À traduire' } }
