import { irisUnder } from '../../../core/iri.ts'

export const metaobjectDefinitionIri = irisUnder('/api/metaobject_definitions')
