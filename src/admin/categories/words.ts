const en = {
  newCategory: 'New category',
  category: 'Category',
  parentHint: 'Left open, it stands at the top.',
  positionHint: 'Its place among its neighbours from 0; -1 is the end.',
  handleHint: 'The readable key; made from the title when left open.',
  moreBelow: (count: number) => `${count} more below`,
  addBelow: 'Add below',
}

const fr: typeof en = {
  newCategory: 'Nouvelle catégorie',
  category: 'Catégorie',
  parentHint: 'Laissé vide, elle est au sommet.',
  positionHint: 'Sa place parmi ses voisines à partir de 0 ; -1 est la fin.',
  handleHint: 'La clé lisible ; tirée du titre si elle reste vide.',
  moreBelow: (count) => `${count} de plus dessous`,
  addBelow: 'Ajouter dessous',
}

export const categoryWords = { en, fr }
