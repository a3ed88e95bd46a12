/** The texts about campaigns, which are loaded with their pages. */
import { useTexts } from '../core/i18n.ts'

const english = {
  explained: 'A campaign is a named sale. Its prices end together.',
  none: 'There is no campaign yet. A new sale creates one.',
  name: 'Name',
  from: 'From',
  until: 'Until',
  offers: 'Prices',
  state: 'State',
  states: { planned: 'Planned', running: 'Running', ended: 'Ended' },
  open: 'no limit',
  endNow: 'End now',
  ask: (name: string) => `End “${name}” now?`,
  asked: (count: number) =>
    `Its ${count} prices end now. Those that have not begun are archived. Prices that applied stay in the history.`,
  cancel: 'Cancel',
  newEnd: 'New end',
  zone: (zone: string) => `In the time of ${zone}.`,
  change: 'Change the end',
  progress: (done: number, of: number) => `${done} of ${of} changes are made`,
  done: (count: number, refused: number) =>
    `${count} changes are made.${refused > 0 ? ` ${refused} were rejected: ` : ''}`,
  undo: 'Undo',
  undone: (count: number) => `${count} changes are undone.`,
  product: 'Product',
  where: 'Where',
  everywhere: 'everywhere',
  amount: 'Price',
  ofOffer: { SCHEDULED: 'Planned', LIVE: 'Applies', EXPIRED: 'Ended', INACTIVE: 'Inactive' } as Readonly<
    Record<string, string>
  >,
}

const french: typeof english = {
  explained: 'Une campagne est une promotion avec un nom. Ses prix se terminent ensemble.',
  none: 'Il n’y a pas encore de campagne. Une nouvelle promotion en crée une.',
  name: 'Nom',
  from: 'Du',
  until: 'Au',
  offers: 'Prix',
  state: 'État',
  states: { planned: 'Prévue', running: 'En cours', ended: 'Terminée' },
  open: 'sans limite',
  endNow: 'Terminer maintenant',
  ask: (name) => `Terminer « ${name} » maintenant ?`,
  asked: (count) =>
    `Ses ${count} prix se terminent maintenant. Ceux qui n’ont pas commencé sont archivés. Les prix passés restent dans l’historique.`,
  cancel: 'Annuler',
  newEnd: 'Nouvelle fin',
  zone: (zone) => `À l’heure de ${zone}.`,
  change: 'Changer la fin',
  progress: (done, of) => `${done} changements sur ${of} sont faits`,
  done: (count, refused) => `Changements faits : ${count}.${refused > 0 ? ` Refusés : ${refused}. ` : ''}`,
  undo: 'Défaire',
  undone: (count) => `Changements défaits : ${count}.`,
  product: 'Produit',
  where: 'Où',
  everywhere: 'partout',
  amount: 'Prix',
  ofOffer: { SCHEDULED: 'Prévu', LIVE: 'S’applique', EXPIRED: 'Terminé', INACTIVE: 'Inactif' },
}

const german: typeof english = {
  explained: 'Eine Kampagne ist eine Rabattaktion mit einem Namen. Ihre Preise enden gemeinsam.',
  none: 'Es gibt noch keine Kampagne. Eine neue Rabattaktion legt eine an.',
  name: 'Name',
  from: 'Von',
  until: 'Bis',
  offers: 'Preise',
  state: 'Zustand',
  states: { planned: 'Geplant', running: 'Läuft', ended: 'Beendet' },
  open: 'ohne Grenze',
  endNow: 'Jetzt beenden',
  ask: (name) => `„${name}“ jetzt beenden?`,
  asked: (count) =>
    `Preise, die jetzt enden: ${count}. Solche, die noch nicht begonnen haben, werden archiviert. Vergangene Preise bleiben im Verlauf.`,
  cancel: 'Abbrechen',
  newEnd: 'Neues Ende',
  zone: (zone) => `In der Zeit von ${zone}.`,
  change: 'Ende ändern',
  progress: (done, of) => `${done} von ${of} Änderungen erledigt`,
  done: (count, refused) => `Erledigte Änderungen: ${count}.${refused > 0 ? ` Abgelehnt: ${refused}. ` : ''}`,
  undo: 'Rückgängig machen',
  undone: (count) => `Rückgängig gemachte Änderungen: ${count}.`,
  product: 'Produkt',
  where: 'Wo',
  everywhere: 'überall',
  amount: 'Preis',
  ofOffer: { SCHEDULED: 'Geplant', LIVE: 'Gilt', EXPIRED: 'Beendet', INACTIVE: 'Inaktiv' },
}

export const useCampaignWords = () => useTexts({ en: english, fr: french, de: german })
