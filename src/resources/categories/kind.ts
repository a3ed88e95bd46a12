import { type Kind, partsKept } from '../../core/kind.ts'
import { type CategoryParts, categoryDocument } from './document.ts'
import { category } from './schema.ts'

export const categoryKind: Kind = {
  name: 'categories',
  subject: 'category',
  noun: 'A category',
  shape: category,
  document: (kept, around, locale) =>
    categoryDocument(partsKept<CategoryParts>(kept, around), locale, around.most),
}
