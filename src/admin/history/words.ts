const en = {
  history: 'History',
  changes: 'Changes',
  earlier: 'Earlier changes',
  later: 'Later changes',
  somebody: 'somebody',
  restoreTo: (name: string, value: string) => `Restore ${name} to ${value}`,
  restoreThis: 'Restore this',
  restored: 'It reads again as it did then',
  restoreQuestion: (name: string) => `Restore ${name}?`,
  now: (value: string) => `Now: ${value}`,
  afterwards: 'Afterwards:',
  ordinaryChange: (language: string) =>
    `Texts are written in ${language}. This is a change like any other, and can be taken back in the same way.`,
  leaveIt: 'Leave it',
  restore: 'Restore',
  topic: (subject: string, action: string) => `${subject.replaceAll('_', ' ')} ${action}`,
  action: (action: string) => action,
}

const sujets: Readonly<Record<string, string>> = {
  product: 'produit',
  variant: 'variante',
  category: 'catégorie',
  collection: 'collection',
  sale_offer: 'offre de vente',
  purchase_offer: 'offre d’achat',
  product_option: 'option',
  option_value: 'valeur d’option',
  metaobject: 'contenu',
  metaobject_definition: 'type de contenu',
  webhook_subscription: 'webhook',
}

const gestes: Readonly<Record<string, string>> = {
  created: 'création',
  updated: 'modification',
  deleted: 'suppression',
  archived: 'archivage',
}

const fr: typeof en = {
  history: 'Historique',
  changes: 'Modifications',
  earlier: 'Modifications précédentes',
  later: 'Modifications suivantes',
  somebody: 'quelqu’un',
  restoreTo: (name, value) => `Rétablir ${name} à ${value}`,
  restoreThis: 'Rétablir',
  restored: 'La valeur d’alors est rétablie',
  restoreQuestion: (name) => `Rétablir ${name} ?`,
  now: (value) => `Maintenant : ${value}`,
  afterwards: 'Ensuite :',
  ordinaryChange: (language) =>
    `Les textes sont écrits en ${language}. C’est une modification comme une autre, qui peut être annulée de la même façon.`,
  leaveIt: 'Laisser ainsi',
  restore: 'Rétablir',
  topic: (subject, action) => `${sujets[subject] ?? subject} : ${gestes[action] ?? action}`,
  action: (action) => gestes[action] ?? action,
}

export const historyWords = { en, fr }
