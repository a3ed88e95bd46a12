import { type Kind, partsKept } from '../../../core/kind.ts'
import { type MetaobjectParts, metaobjectDocument } from './document.ts'
import { metaobject } from './schema.ts'

export const metaobjectKind: Kind = {
  name: 'metaobjects',
  subject: 'metaobject',
  noun: 'A metaobject',
  shape: metaobject,
  document: (kept, around, locale, sight) =>
    metaobjectDocument(partsKept<MetaobjectParts>(kept, around), locale, sight.seesDrafts(metaobject)),
}
