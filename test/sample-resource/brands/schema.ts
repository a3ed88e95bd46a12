import { irisUnder } from '../../core/iri.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { type Shape, writable } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import {
  derivedFromTitle,
  externalId,
  isWebAddress,
  shortText,
  slug,
  stamps,
  titleText,
} from '../shared/properties.ts'

const website = shortText
  .refine(isWebAddress, violation(validationProblems.url.at('')))
  .meta({ format: 'uri', examples: ['https://www.example.com'] })

export const brand = {
  type: 'Brand',
  description: 'A name under which products are sold.',
  collection: '/api/brands',
  readWith: 'brands:read',
  properties: {
    externalId: writable(externalId, 'The identifier of the brand in another system.', { example: 'acme' }),
    title: writable(titleText, 'The name of the brand.', {
      required: true,
      translatable: true,
      example: 'Acme',
    }),
    handle: writable(slug, 'A readable key, unique among the brands.', {
      example: 'acme',
      writing: derivedFromTitle,
    }),
    website: writable(website, 'The address of its own pages, http or https.'),
    ...stamps(),
  },
} satisfies Shape

export const brandIri = irisUnder('/api/brands')
