import { type Kind, partsKept } from '../../../core/kind.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinition } from './schema.ts'

export const metaobjectDefinitionKind: Kind = {
  name: 'metaobject_definitions',
  subject: 'metaobject_definition',
  noun: 'A metaobject definition',
  shape: metaobjectDefinition,
  document: (kept, around, locale) => definitionDocument(partsKept<DefinitionParts>(kept, around), locale),
}
