const en = {
  newCollection: 'New collection',
  collection: 'Collection',
  chosen: 'Chosen',
  oneByOne: 'one by one',
  byRules: 'by rules',
  handleHint: 'The readable key; made from the title when left open.',
  products: (count: number) => `Products (${count})`,
  open: 'Open',
  takeOut: (title: string) => `Take out ${title}`,
  andMore: 'and more',
  putIn: 'Put a product in',
}

const fr: typeof en = {
  newCollection: 'Nouvelle collection',
  collection: 'Collection',
  chosen: 'Choisie',
  oneByOne: 'un par un',
  byRules: 'par des règles',
  handleHint: 'La clé lisible ; tirée du titre si elle reste vide.',
  products: (count) => `Produits (${count})`,
  open: 'Ouvrir',
  takeOut: (title) => `Retirer ${title}`,
  andMore: 'et d’autres',
  putIn: 'Ajouter un produit',
}

export const collectionWords = { en, fr }
