import { irisUnder } from '../../core/iri.ts'

export const categoryIri = irisUnder('/api/categories')
