import { type Kind, partsKept } from '../../core/kind.ts'
import { type BrandParts, brandDocument } from './document.ts'
import { brand } from './schema.ts'

export const brandKind: Kind = {
  name: 'brands',
  subject: 'brand',
  noun: 'A brand',
  shape: brand,
  document: (kept, around, locale) => brandDocument(partsKept<BrandParts>(kept, around), locale),
}
