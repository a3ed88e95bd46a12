import { irisUnder } from '../../../core/iri.ts'

export const productOptionIri = irisUnder('/api/product_options')
