import * as z from 'zod'
import { irisUnder } from '../../core/iri.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import {
  descriptionProperty,
  externalIdProperty,
  handleProperty,
  relation,
  requiredTitle,
  stamps,
} from '../shared/properties.ts'
import { collectionProblems } from './problems.ts'
import { type Rules, rulesSchema } from './rules.ts'

export const collection = {
  type: 'ProductCollection',
  description: 'A set of products, chosen one by one or by rules that follow every change of a product.',
  collection: '/api/collections',
  readWith: 'collections:read',
  properties: {
    externalId: externalIdProperty('collection', 'summer'),
    title: requiredTitle('The name of the collection.', 'Summer sale'),
    handle: handleProperty('the collections', 'summer-sale'),
    description: descriptionProperty('What goes out this summer.'),
    type: writable(
      z.enum(['MANUAL', 'RULE_BASED']),
      'Whether clients choose its products one by one, or rules do.',
      {
        defaultValue: 'MANUAL',
        example: 'RULE_BASED',
        writeDescription: 'Set on create; by default it follows from `rules`.',
      },
    ),
    rules: writable(
      rulesSchema,
      'The conditions for its products: ALL or ANY of up to 60. Only for a RULE_BASED collection.',
      {
        isInternal: true,
        example: { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'summer' }] },
      },
    ),
    productsCount: readOnly(z.int(), 'How many products are in it, without the archived.', {
      isInternal: true,
      example: 42,
    }),
    rebuilding: readOnly(z.boolean(), 'True while its products are still being sorted by changed rules.', {
      isInternal: true,
      example: false,
    }),
    ...stamps(),
  },
  validateTogether: ({ type, rules }: TypeAndRules, at: (name: string) => string) =>
    type === 'MANUAL' && rules ? [collectionProblems.manual_rules.at(at('rules'))] : [],
} satisfies Shape

type TypeAndRules = { readonly type?: string | null; readonly rules?: Rules | null }

/** The request body that adds a product to a collection. */
export const membership = {
  type: 'CollectionMembership',
  description: 'That a product is in a collection.',
  collection: '/api/collections/{id}/products',
  readWith: 'collections:read',
  properties: {
    product: writable(relation('/api/products'), 'The product that is put into the collection.', {
      required: true,
      isLink: true,
      stored: false,
    }),
  },
} satisfies Shape

export const collectionIri = irisUnder('/api/collections')
