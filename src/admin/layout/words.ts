const en = {
  signOut: 'Sign out',
  languageOfTheCatalogue: 'Language of the catalogue',
}

const fr: typeof en = {
  signOut: 'Se déconnecter',
  languageOfTheCatalogue: 'Langue du catalogue',
}

export const layoutWords = { en, fr }
