const en = {
  loading: 'Loading',
  open: 'Open',
  close: 'Close',
  clear: 'Clear',
  nothingFound: 'No options',
  unsaved: 'Some of your changes are not saved yet, and would be lost. Do you want to go on without them?',
  unreachable: 'The catalogue cannot be reached. Your changes are still here; try again in a moment.',
  nothingSaved: 'Nothing was saved. Your changes are still here.',
  nothingTakenAway: 'Nothing was taken away.',
  expired: 'The token has expired. Please paste a new one.',
  elsewhere: 'This is not an address of this catalogue.',
  noCatalogue: (host: string) => `There is no catalogue at ${host}.`,
  somebody: 'somebody',
}

const fr: typeof en = {
  loading: 'Chargement',
  open: 'Ouvrir',
  close: 'Fermer',
  clear: 'Vider',
  nothingFound: 'Aucune option',
  unsaved:
    'Certaines de vos modifications ne sont pas encore enregistrées et seraient perdues. Voulez-vous continuer sans elles ?',
  unreachable:
    'Le catalogue est injoignable. Vos modifications sont toujours là ; réessayez dans un instant.',
  nothingSaved: 'Rien n’a été enregistré. Vos modifications sont toujours là.',
  nothingTakenAway: 'Rien n’a été retiré.',
  expired: 'Le jeton a expiré. Collez-en un nouveau.',
  elsewhere: 'Ce n’est pas une adresse de ce catalogue.',
  noCatalogue: (host) => `Il n’y a pas de catalogue à ${host}.`,
  somebody: 'quelqu’un',
}

export const coreWords = { en, fr }
