import { irisUnder } from '../../core/iri.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { type Shape, writable } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { externalIdProperty, handleProperty, requiredTitle, shortText, stamps } from '../shared/properties.ts'

const website = shortText
  .refine(isWebAddress, violation(validationProblems.url.at('')))
  .meta({ format: 'uri', examples: ['https://www.example.com'] })

export const brand = {
  type: 'Brand',
  description: 'A name under which products are sold.',
  collection: '/api/brands',
  readWith: 'brands:read',
  properties: {
    externalId: externalIdProperty('brand', 'acme'),
    title: requiredTitle('The name of the brand.', 'Acme'),
    handle: handleProperty('the brands', 'acme'),
    website: writable(website, 'The address of its own pages, http or https.'),
    ...stamps(),
  },
} satisfies Shape

export const brandIri = irisUnder('/api/brands')
