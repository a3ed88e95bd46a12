import { irisUnder } from '../../../core/iri.ts'

export const collectionIri = irisUnder('/api/collections')
