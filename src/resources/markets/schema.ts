import * as z from 'zod'
import { irisUnder } from '../../core/iri.ts'
import { formats, validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import { countryCode, currencyCode, identifier, stamps, titleText } from '../shared/properties.ts'

/** The maximum number of markets of a tenant. */
export const maximumMarkets = 32

const keyPattern = /^[a-z][a-z0-9_-]{0,63}$/

export const marketKey = z
  .string()
  .refine(
    (text) => keyPattern.test(text),
    violation(validationProblems.pattern.at('', { format: formats.marketKey })),
  )
  .meta({ pattern: keyPattern.source, examples: ['fr'] })

export const market = {
  type: 'Market',
  description:
    'A channel, a country and a currency in which the tenant sells. Requests for prices name it by its key.',
  collection: '/api/markets',
  readWith: 'sale_offers:read',
  properties: {
    key: writable(marketKey, 'The name of the market in requests, unique among the markets.', {
      required: true,
      example: 'fr',
    }),
    channel: writable(identifier, 'The channel of its prices.', { required: true, example: 'web' }),
    country: writable(countryCode, 'The country of its prices: ISO 3166-1 alpha-2.', {
      required: true,
      example: 'FR',
    }),
    currency: writable(currencyCode, 'The currency of its prices: ISO 4217. Offers in others do not count.', {
      required: true,
      example: 'EUR',
    }),
    name: writable(titleText, 'The name of the market for staff, the same in every language.', {
      isInternal: true,
      example: 'France',
    }),
    pricesCompleteAt: readOnly(
      z.string().nullable(),
      'The moment since which lists of products can be filtered and ordered by the prices of the market. Null while these prices are computed, after the market was created or got another channel, country or currency.',
      { isInternal: true, example: '2026-10-01T12:00:00.000000Z' },
    ),
    ...stamps(),
  },
} satisfies Shape

export const marketIri = irisUnder('/api/markets')
