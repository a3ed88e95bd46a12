const en = {
  options: 'Options',
  none: 'This product has no options: it is sold as one thing. Options such as size and colour make variants of it.',
  edit: 'Edit options',
  noValues: 'no values yet',
  title: 'Options and their values',
  language: (locale: string) => `Names are read and written in ${locale}; those in other languages stay.`,
  fallback: (locale: string) => `Not translated yet; this is ${locale}.`,
  option: 'Option',
  value: 'Value',
  valuesOf: (option: string) => `Values of ${option}`,
  newValue: (option: string) => `New value of ${option}`,
  newValueHelp: 'Press Enter after each.',
  addValue: 'Add value',
  addOption: 'Add an option',
  remove: (name: string) => `Remove ${name}`,
  thisOption: 'the new option',
  was: (title: string) => `Was: ${title}`,
  empty: 'It needs a name.',
  twice: 'Another one has this name.',
  newOptionHelp: 'Variants that there are stay without it; new ones will have a value of it.',
  inUse: (name: string, count: number) =>
    `${name} is in ${count === 1 ? 'one variant' : `${count} variants`} that ${count === 1 ? 'is' : 'are'} sold:`,
  more: (count: number) => `and ${count} more`,
  breaks:
    'They cannot be sold without it. To remove it they are archived: their history and their prices stay, and they can be restored only with all their values.',
  archiveAndRemove: (name: string, count: number) =>
    `Remove ${name} and archive ${count === 1 ? 'one variant' : `${count} variants`}`,
  keep: 'Keep it',
  removed: (name: string) => `${name} is removed when you save.`,
  removedWith: (name: string, count: number) =>
    `${name} is removed and ${count === 1 ? 'one variant is' : `${count} variants are`} archived when you save.`,
  archived: 'Archived variants',
  undo: 'Undo',
  requests: (count: number) =>
    count === 0
      ? 'Nothing is changed yet.'
      : count === 1
        ? 'One change to save.'
        : `${count} changes to save.`,
  save: 'Save options',
  close: 'Close',
  leave: 'What you have changed of the options is not saved yet. Do you want to close without it?',
  saved: 'The options are saved',
  failed: (name: string, why: string) => `${name}: ${why}`,
  someSaved: (count: number) =>
    `${count === 1 ? 'One change was' : `${count} changes were`} saved before that; the others are still here.`,
  stale: (name: string) =>
    `Somebody else has changed ${name} since you opened this. What they saved is shown now beside what you have left to save.`,
  loading: 'Reading the options',
}

const fr: typeof en = {
  options: 'Options',
  none: 'Ce produit n’a pas d’options : il se vend tel quel. Des options comme la taille et la couleur en font des variantes.',
  edit: 'Modifier les options',
  noValues: 'pas encore de valeurs',
  title: 'Les options et leurs valeurs',
  language: (locale) => `Les noms sont lus et écrits en ${locale} ; ceux des autres langues restent.`,
  fallback: (locale) => `Pas encore traduit ; ceci est en ${locale}.`,
  option: 'Option',
  value: 'Valeur',
  valuesOf: (option) => `Valeurs de ${option}`,
  newValue: (option) => `Nouvelle valeur de ${option}`,
  newValueHelp: 'Appuyez sur Entrée après chacune.',
  addValue: 'Ajouter la valeur',
  addOption: 'Ajouter une option',
  remove: (name) => `Supprimer ${name}`,
  thisOption: 'la nouvelle option',
  was: (title) => `Avant : ${title}`,
  empty: 'Il lui faut un nom.',
  twice: 'Une autre porte déjà ce nom.',
  newOptionHelp: 'Les variantes existantes restent sans elle ; les nouvelles en auront une valeur.',
  inUse: (name, count) =>
    `${name} figure dans ${count === 1 ? 'une variante' : `${count} variantes`} en vente :`,
  more: (count) => `et ${count} autres`,
  breaks:
    'Elles ne peuvent pas être vendues sans cela. Pour le supprimer, elles sont archivées : leur historique et leurs prix restent, et elles ne peuvent être restaurées qu’avec toutes leurs valeurs.',
  archiveAndRemove: (name, count) =>
    `Supprimer ${name} et archiver ${count === 1 ? 'une variante' : `${count} variantes`}`,
  keep: 'Conserver',
  removed: (name) => `${name} sera supprimé à l’enregistrement.`,
  removedWith: (name, count) =>
    `À l’enregistrement, ${name} sera supprimé et ${count === 1 ? 'une variante sera archivée' : `${count} variantes seront archivées`}.`,
  archived: 'Variantes archivées',
  undo: 'Annuler',
  requests: (count) =>
    count === 0
      ? 'Rien n’est encore modifié.'
      : count === 1
        ? 'Une modification à enregistrer.'
        : `${count} modifications à enregistrer.`,
  save: 'Enregistrer les options',
  close: 'Fermer',
  leave: 'Vos modifications des options ne sont pas encore enregistrées. Voulez-vous fermer sans elles ?',
  saved: 'Les options sont enregistrées',
  failed: (name, why) => `${name} : ${why}`,
  someSaved: (count) =>
    `${count === 1 ? 'Une modification a été enregistrée' : `${count} modifications ont été enregistrées`} auparavant ; les autres sont toujours là.`,
  stale: (name) =>
    `Quelqu’un d’autre a modifié ${name} depuis l’ouverture. Ce qui a été enregistré est maintenant affiché à côté de ce qu’il vous reste à enregistrer.`,
  loading: 'Lecture des options',
}

export const optionWords = { en, fr }
