/** Texts of “why this price”. Offers' terms are told as parts that are put together with commas. */

const en = {
  title: 'Why this price',
  channel: 'Channel',
  country: 'Country (two letters)',
  moment: 'Moment',
  momentIn: (zone: string) => `By the clocks of ${zone}; left open: now.`,
  incomplete: 'A price is asked for a channel and a country.',
  costs: (price: string) => `${price} is what one piece costs.`,
  costsNothing: 'There is no price for this customer at this moment.',
  addOne:
    'Add an offer for this channel and country under “Prices”, or look below why none of those that there are applies.',
  nextChange: (moment: string) => `It stays so until ${moment}.`,
  noChange: 'No offer that is planned changes it.',
  offers: 'Offers that were considered',
  none: 'This variant has no offers yet.',
  terms: 'Offer',
  outcome: 'Applies',
  reason: 'Why',
  won: 'Wins',
  lost: 'Applies, another wins',
  filtered: 'Does not apply',
  unread: 'An offer that cannot be read',
  everyChannel: 'every channel',
  everyCountry: 'every country',
  inChannel: (channel: string) => `channel ${channel}`,
  from: (moment: string) => `from ${moment}`,
  until: (moment: string) => `until ${moment}`,
  fromPieces: (pieces: number) => `from ${pieces} pieces`,
  priorityOf: (priority: number) => `priority ${priority}`,
  insteadOf: (amount: string) => `instead of ${amount}`,
  wins: {
    alone: 'It is the only offer that applies.',
    first: (others: number) =>
      others === 1
        ? 'It comes before the other that applies.'
        : `It comes before the ${others} others that apply.`,
  },
  loses: {
    priority: (own: number, winner: number) => `Its priority is ${own}, that of the winner ${winner}.`,
    channel: 'It is for every channel; the winner is for this one.',
    country: 'It is for every country; the winner names this one.',
    window: 'Its dates are more open than those of the winner; the narrower ones win.',
    validFrom: 'The winner began later.',
    currency: 'Its currency comes later in the alphabet.',
    amount: 'The winner is cheaper.',
    id: 'It is the same in everything; the winner was made first.',
  },
  fails: {
    status: (status: string): string => (status === 'DRAFT' ? 'It is a draft.' : 'It is not active.'),
    channel: (channel: string) => `It is for the channel ${channel}.`,
    country: (countries: string) => `It is only for ${countries}.`,
    notYet: (moment: string) => `It begins on ${moment}.`,
    over: (moment: string) => `It ended on ${moment}.`,
    window: 'Its dates do not include this moment.',
    minQuantity: (pieces: number) => `It is for ${pieces} pieces and more.`,
  },
  openOffer: (terms: string) => `Open the offer ${terms}`,
  margin: (amount: string, percent: string, cost: string, supplier: string) =>
    `Margin: ${amount} (${percent}), with a cost of ${cost} from ${supplier}.`,
  taxInside: 'The price includes tax, which is not deducted here.',
  noCost: (currency: string) => `No supplier’s offer in ${currency} applies, so there is no margin to show.`,
  warnings: {
    compareAtAbovePrior: (compareAt: string, prior: string) =>
      `It is announced as reduced from ${compareAt}, but the lowest price of the time before the reduction was ${prior}.`,
    other: (code: string) => `The service warns: ${code}`,
  },
}

const fr: typeof en = {
  title: 'Pourquoi ce prix',
  channel: 'Canal',
  country: 'Pays (deux lettres)',
  moment: 'Moment',
  momentIn: (zone) => `À l’heure de ${zone} ; vide : maintenant.`,
  incomplete: 'Un prix se demande pour un canal et un pays.',
  costs: (price) => `La pièce coûte ${price}.`,
  costsNothing: 'Il n’y a pas de prix pour ce client à ce moment.',
  addOne:
    'Ajoutez une offre pour ce canal et ce pays sous « Prix », ou voyez ci-dessous pourquoi aucune ne s’applique.',
  nextChange: (moment) => `Il reste ainsi jusqu’au ${moment}.`,
  noChange: 'Aucune offre prévue ne le change.',
  offers: 'Offres prises en compte',
  none: 'Cette variante n’a pas encore d’offre.',
  terms: 'Offre',
  outcome: 'S’applique',
  reason: 'Raison',
  won: 'Retenue',
  lost: 'S’applique, une autre est retenue',
  filtered: 'Ne s’applique pas',
  unread: 'Une offre qui ne peut être lue',
  everyChannel: 'tous les canaux',
  everyCountry: 'tous les pays',
  inChannel: (channel) => `canal ${channel}`,
  from: (moment) => `à partir du ${moment}`,
  until: (moment) => `jusqu’au ${moment}`,
  fromPieces: (pieces) => `à partir de ${pieces} pièces`,
  priorityOf: (priority) => `priorité ${priority}`,
  insteadOf: (amount) => `au lieu de ${amount}`,
  wins: {
    alone: 'C’est la seule offre qui s’applique.',
    first: (others) =>
      others === 1
        ? 'Elle passe avant l’autre qui s’applique.'
        : `Elle passe avant les ${others} autres qui s’appliquent.`,
  },
  loses: {
    priority: (own, winner) => `Sa priorité est ${own}, celle de l’offre retenue ${winner}.`,
    channel: 'Elle vaut pour tous les canaux ; l’offre retenue pour celui-ci.',
    country: 'Elle vaut pour tous les pays ; l’offre retenue nomme celui-ci.',
    window: 'Ses dates sont plus ouvertes que celles de l’offre retenue ; les plus étroites l’emportent.',
    validFrom: 'L’offre retenue a commencé plus tard.',
    currency: 'Sa devise vient après dans l’alphabet.',
    amount: 'L’offre retenue est moins chère.',
    id: 'Tout est égal ; l’offre retenue a été créée avant.',
  },
  fails: {
    status: (status) => (status === 'DRAFT' ? 'C’est un brouillon.' : 'Elle n’est pas active.'),
    channel: (channel) => `Elle vaut pour le canal ${channel}.`,
    country: (countries) => `Elle vaut seulement pour ${countries}.`,
    notYet: (moment) => `Elle commence le ${moment}.`,
    over: (moment) => `Elle s’est terminée le ${moment}.`,
    window: 'Ses dates ne comprennent pas ce moment.',
    minQuantity: (pieces) => `Elle vaut à partir de ${pieces} pièces.`,
  },
  openOffer: (terms) => `Ouvrir l’offre ${terms}`,
  margin: (amount, percent, cost, supplier) =>
    `Marge : ${amount} (${percent}), pour un coût de ${cost} chez ${supplier}.`,
  taxInside: 'Le prix comprend la taxe, qui n’est pas déduite ici.',
  noCost: (currency) => `Aucune offre de fournisseur en ${currency} ne s’applique : pas de marge à montrer.`,
  warnings: {
    compareAtAbovePrior: (compareAt, prior) =>
      `Le prix est annoncé comme réduit de ${compareAt}, mais le prix le plus bas avant la réduction était ${prior}.`,
    other: (code) => `Le service signale : ${code}`,
  },
}

export const whyWords = { en, fr }
export type WhyWords = typeof en
