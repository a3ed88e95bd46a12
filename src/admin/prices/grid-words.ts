const en = {
  title: 'Prices in a grid',
  titleOf: (product: string) => `Prices of ${product}`,
  open: 'Edit prices in a grid',
  back: 'Back to the product',
  intro: (locale: string) =>
    `Type amounts as one writes them in ${locale}. Arrow keys, Tab and Enter move; a column or a rectangle can be pasted from a spreadsheet. Empty takes a price back.`,
  variant: 'Variant',
  find: 'Find a variant',
  noneFound: 'No variant has this in its name. Empty the search to see them all.',
  more: (rest: number) => `Show ${rest} more`,
  everyChannel: 'Every channel',
  everyCountry: 'every country',
  cell: (variant: string, column: string) => `${variant}, ${column}`,
  was: (amount: string) => `was ${amount}`,
  wasNone: 'new',
  wasRemoved: (amount: string) => `takes ${amount} back`,
  fillDown: 'Fill down',
  fillDownHint: 'Copies the amount of the cell you are in to all cells below it (Ctrl+D).',
  undo: 'Undo',
  drop: 'Drop changes',
  save: 'Save prices',
  saving: 'Saving…',
  saved: 'The prices are saved',
  nothing: 'Nothing is changed yet.',
  summary: (created: number, changed: number, removed: number) =>
    [
      ...(created ? [`${created} new`] : []),
      ...(changed ? [`${changed} changed`] : []),
      ...(removed ? [`${removed} taken back`] : []),
    ].join(', '),
  mistaken: (cells: number) =>
    cells === 1 ? 'One cell is not right yet.' : `${cells} cells are not right yet.`,
  partly: (cells: number) =>
    cells === 1
      ? 'One cell was not saved; what is wrong stands in it. The others are.'
      : `${cells} cells were not saved; what is wrong stands in them. The others are.`,
  overtakenAll: (cells: number) =>
    cells === 1
      ? 'Nothing was saved: somebody else has changed one of these prices in the meantime. Look at it and save again.'
      : `Nothing was saved: somebody else has changed ${cells} of these prices in the meantime. Look at them and save again.`,
  overtaken: (theirs: string) => `Somebody else has set ${theirs} in the meantime. Saving again replaces it.`,
  overtakenGone: 'Somebody else has taken this price back in the meantime. Saving again makes it anew.',
  takeTheirs: 'Take theirs',
  beside: 'Not saved, because another one of the same request is wrong.',
  mistakes: {
    number: (example: string) => `This is not one number. Write it like ${example}.`,
    negative: 'A price is not below zero.',
    decimals: (currency: string) => `${currency} does not have so many decimals.`,
  },
  draft: 'draft',
  dates: (from: string | null, until: string | null) =>
    from === null ? `until ${until}` : until === null ? `from ${from}` : `${from} – ${until}`,
  pieces: (pieces: number) => `from ${pieces} pieces`,
  otherRank: 'also stands here',
  addColumn: 'Add a column',
  channel: 'Channel',
  channelHint: 'Left open: every channel.',
  countries: 'Countries',
  countriesHint: 'Left open: every country.',
  currency: 'Currency',
  currencyHint: 'Three letters',
  add: 'Add',
  cancel: 'Cancel',
  exists: 'There is such a column already.',
  refused: 'You may look at these prices, not change them.',
}

const fr: typeof en = {
  title: 'Prix en tableau',
  titleOf: (product) => `Prix de ${product}`,
  open: 'Modifier les prix en tableau',
  back: 'Retour au produit',
  intro: (locale) =>
    `Saisissez les montants comme on les écrit en ${locale}. Les flèches, Tab et Entrée déplacent ; une colonne ou un rectangle se colle depuis un tableur. Vider une case retire le prix.`,
  variant: 'Variante',
  find: 'Chercher une variante',
  noneFound: 'Aucune variante ne porte ce nom. Videz la recherche pour les voir toutes.',
  more: (rest) => `En montrer ${rest} de plus`,
  everyChannel: 'Tous les canaux',
  everyCountry: 'tous les pays',
  cell: (variant, column) => `${variant}, ${column}`,
  was: (amount) => `avant ${amount}`,
  wasNone: 'nouveau',
  wasRemoved: (amount) => `retire ${amount}`,
  fillDown: 'Recopier vers le bas',
  fillDownHint: 'Copie le montant de la case dans toutes celles du dessous (Ctrl+D).',
  undo: 'Annuler',
  drop: 'Abandonner les modifications',
  save: 'Enregistrer les prix',
  saving: 'Enregistrement…',
  saved: 'Les prix sont enregistrés',
  nothing: 'Rien n’est modifié.',
  summary: (created, changed, removed) =>
    [
      ...(created ? [`${created} nouveau${created > 1 ? 'x' : ''}`] : []),
      ...(changed ? [`${changed} modifié${changed > 1 ? 's' : ''}`] : []),
      ...(removed ? [`${removed} retiré${removed > 1 ? 's' : ''}`] : []),
    ].join(', '),
  mistaken: (cells) =>
    cells === 1 ? 'Une case n’est pas encore juste.' : `${cells} cases ne sont pas encore justes.`,
  partly: (cells) =>
    cells === 1
      ? 'Une case n’est pas enregistrée ; la raison y est écrite. Les autres le sont.'
      : `${cells} cases ne sont pas enregistrées ; la raison y est écrite. Les autres le sont.`,
  overtakenAll: (cells) =>
    cells === 1
      ? 'Rien n’est enregistré : quelqu’un a modifié l’un de ces prix entre-temps. Regardez-le et enregistrez de nouveau.'
      : `Rien n’est enregistré : quelqu’un a modifié ${cells} de ces prix entre-temps. Regardez-les et enregistrez de nouveau.`,
  overtaken: (theirs) => `Quelqu’un a mis ${theirs} entre-temps. Enregistrer de nouveau le remplace.`,
  overtakenGone: 'Quelqu’un a retiré ce prix entre-temps. Enregistrer de nouveau le recrée.',
  takeTheirs: 'Prendre le sien',
  beside: 'Pas enregistré, car un autre de la même requête est faux.',
  mistakes: {
    number: (example) => `Ce n’est pas un nombre. Écrivez-le comme ${example}.`,
    negative: 'Un prix n’est pas négatif.',
    decimals: (currency) => `${currency} n’a pas autant de décimales.`,
  },
  draft: 'brouillon',
  dates: (from, until) =>
    from === null ? `jusqu’au ${until}` : until === null ? `à partir du ${from}` : `${from} – ${until}`,
  pieces: (pieces) => `à partir de ${pieces} pièces`,
  otherRank: 'vaut aussi ici',
  addColumn: 'Ajouter une colonne',
  channel: 'Canal',
  channelHint: 'Vide : tous les canaux.',
  countries: 'Pays',
  countriesHint: 'Vide : tous les pays.',
  currency: 'Devise',
  currencyHint: 'Trois lettres',
  add: 'Ajouter',
  cancel: 'Annuler',
  exists: 'Cette colonne existe déjà.',
  refused: 'Vous pouvez voir ces prix, pas les modifier.',
}

export const gridWords = { en, fr }
