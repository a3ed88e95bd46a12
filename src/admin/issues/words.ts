/** The texts about issues, which are loaded with the pages that show them. */
import { useTexts } from '../core/i18n.ts'

const english = {
  explained: 'Issues of active products: why they are not sold in a market, and what is missing.',
  none: 'Nothing needs attention.',
  notAll: 'The numbers are those of the newest 2,000 active products.',
  kind: 'Issue',
  count: 'Number',
  product: 'Product',
  issue: 'Issue',
  resolve: 'Resolve',
  types: {
    no_variant: 'No variant',
    no_price: 'No price in a market',
    price_is_draft: 'Draft price only',
    price_in_other_currency: 'Price in another currency',
    price_starts_later: 'Price starts later',
    price_gap: 'Time without a price',
    price_ends: 'Price ends',
    no_translation: 'Missing translation',
    no_picture: 'No picture',
    duplicate_barcode: 'Barcode of several variants',
    below_cost: 'Price below the cost',
    never_wins: 'Offer that is never the price',
    tie: 'Offers with equal terms',
    draft_reference: 'Reference to a draft',
    no_sku: 'No SKU',
  } as Readonly<Record<string, string>>,
  week: 'Prices that change in the next seven days',
  noDates: 'No price begins or ends.',
  pricesAt: {
    validFrom: (moment: string, count: number, isAll: boolean) =>
      `${moment}: ${count === 1 ? 'one price begins' : `${isAll ? '' : 'at least '}${count} prices begin`}`,
    validUntil: (moment: string, count: number, isAll: boolean) =>
      `${moment}: ${count === 1 ? 'one price ends' : `${isAll ? '' : 'at least '}${count} prices end`}`,
  },
  failingWebhooks: 'Webhooks that fail',
  noFailure: 'All webhooks are delivered.',
  failing: (address: string, since: string) => `${address}, since ${since}`,
  byPerson: 'Latest changes by user',
  noChange: 'Nothing was changed.',
  changed: (person: string, count: number, latest: string) =>
    `${person}: ${count === 1 ? 'one change' : `${count} changes`}, the latest ${latest}`,
  whereSold: 'Where it is sold',
  sold: (places: string) => (places === '' ? 'Sold in no market' : `Sold in ${places}`),
  not: (market: string) => `not ${market}: `,
  reasons: {
    no_variant: 'no variant',
    not_in_channel: 'not in the channel',
    no_price: 'no price',
    price_is_draft: 'draft price only',
    price_in_other_currency: 'price in another currency',
    price_starts_later: 'price starts later',
  } as Readonly<Record<string, string>>,
}

const french: typeof english = {
  explained:
    'Problèmes des produits actifs : pourquoi ils ne sont pas vendus sur un marché, et ce qui manque.',
  none: 'Il n’y a rien à vérifier.',
  notAll: 'Les nombres sont ceux des 2 000 produits actifs les plus récents.',
  kind: 'Problème',
  count: 'Nombre',
  product: 'Produit',
  issue: 'Problème',
  resolve: 'Résoudre',
  types: {
    no_variant: 'Sans variante',
    no_price: 'Sans prix sur un marché',
    price_is_draft: 'Prix en brouillon seulement',
    price_in_other_currency: 'Prix dans une autre devise',
    price_starts_later: 'Prix qui commence plus tard',
    price_gap: 'Période sans prix',
    price_ends: 'Prix qui se termine',
    no_translation: 'Traduction manquante',
    no_picture: 'Sans image',
    duplicate_barcode: 'Code-barres de plusieurs variantes',
    below_cost: 'Prix inférieur au coût',
    never_wins: 'Offre qui n’est jamais le prix',
    tie: 'Offres aux conditions égales',
    draft_reference: 'Renvoi à un brouillon',
    no_sku: 'Sans référence (SKU)',
  },
  week: 'Prix qui changent dans les sept prochains jours',
  noDates: 'Aucun prix ne commence ni ne se termine.',
  pricesAt: {
    validFrom: (moment, count, isAll) =>
      `${moment} : ${count === 1 ? 'un prix commence' : `${isAll ? '' : 'au moins '}${count} prix commencent`}`,
    validUntil: (moment, count, isAll) =>
      `${moment} : ${count === 1 ? 'un prix se termine' : `${isAll ? '' : 'au moins '}${count} prix se terminent`}`,
  },
  failingWebhooks: 'Webhooks en échec',
  noFailure: 'Tous les webhooks sont livrés.',
  failing: (address, since) => `${address}, depuis le ${since}`,
  byPerson: 'Derniers changements par utilisateur',
  noChange: 'Rien n’a été modifié.',
  changed: (person, count, latest) =>
    `${person} : ${count === 1 ? 'un changement' : `${count} changements`}, le dernier le ${latest}`,
  whereSold: 'Où il est vendu',
  sold: (places) => (places === '' ? 'Vendu sur aucun marché' : `Vendu sur ${places}`),
  not: (market) => `pas ${market} : `,
  reasons: {
    no_variant: 'sans variante',
    not_in_channel: 'pas dans le canal',
    no_price: 'sans prix',
    price_is_draft: 'prix en brouillon seulement',
    price_in_other_currency: 'prix dans une autre devise',
    price_starts_later: 'le prix commence plus tard',
  },
}

export const useIssueWords = () => useTexts({ en: english, fr: french })
