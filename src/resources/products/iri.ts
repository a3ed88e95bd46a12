import { irisUnder } from '../../core/iri.ts'

export const productIri = irisUnder('/api/products')
