import { type Kind, partsKept } from '../../../core/kind.ts'
import { type CollectionParts, collectionDocument } from './document.ts'
import { collection } from './schema.ts'

export const collectionKind: Kind = {
  name: 'collections',
  subject: 'collection',
  noun: 'A collection of products',
  shape: collection,
  document: (kept, around, locale) => collectionDocument(partsKept<CollectionParts>(kept, around), locale),
}
