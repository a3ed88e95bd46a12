import { irisUnder } from '../../core/iri.ts'

export const brandIri = irisUnder('/api/brands')
