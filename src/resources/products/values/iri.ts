import { irisUnder } from '../../../core/iri.ts'

export const optionValueIri = irisUnder('/api/option_values')
