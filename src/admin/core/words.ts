const en = {
  loading: 'Loading',
  open: 'Open',
  close: 'Close',
  clear: 'Clear',
  nothingFound: 'No options',
  unsaved: 'Some of your changes are not saved yet, and would be lost. Do you want to go on without them?',
  unreachable: 'The catalogue cannot be reached.',
  offline: 'This device is offline.',
  unreadable: (status: number) => `The catalogue did not send a valid response (HTTP ${status}).`,
  nothingLost: 'Nothing that you typed is lost.',
  tryAgain: 'Try again',
  nothingSaved: 'Nothing was saved. Your changes are still here.',
  nothingTakenAway: 'Nothing was taken away.',
  otherPerson: (next: string, before: string) =>
    `This token belongs to ${next}. The page was opened by ${before}: paste a token of ${before}, or sign out first.`,
  replaceSession: (next: string, before: string) =>
    `You are signed in as ${before}. Replace this session with one of ${next}, which the link contains?`,
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
  unreachable: 'Le catalogue est injoignable.',
  offline: 'Cet appareil est hors ligne.',
  unreadable: (status) => `Le catalogue n’a pas envoyé de réponse valide (HTTP ${status}).`,
  nothingLost: 'Rien de ce que vous avez saisi n’est perdu.',
  tryAgain: 'Réessayer',
  nothingSaved: 'Rien n’a été enregistré. Vos modifications sont toujours là.',
  nothingTakenAway: 'Rien n’a été retiré.',
  otherPerson: (next, before) =>
    `Ce jeton est celui de ${next}. La page a été ouverte par ${before} : collez un jeton de ${before}, ou déconnectez-vous d’abord.`,
  replaceSession: (next, before) =>
    `Vous êtes connecté en tant que ${before}. Remplacer cette session par celle de ${next}, que contient le lien ?`,
  elsewhere: 'Ce n’est pas une adresse de ce catalogue.',
  noCatalogue: (host) => `Il n’y a pas de catalogue à ${host}.`,
  somebody: 'quelqu’un',
}

export const coreWords = { en, fr }
