import { irisUnder } from '../../../core/iri.ts'

export const metaobjectIri = irisUnder('/api/metaobjects')
