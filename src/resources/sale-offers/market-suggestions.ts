import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Answer, type Context, operation, type Resource } from '../../core/operation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { statement } from '../../db/query.ts'
import { distinctValues, withSequence } from '../../db/sql.ts'
import { saleOfferProblems } from '../offers/problems.ts'
import { product } from '../products/schema.ts'
import { countryCode, currencyCode } from '../shared/properties.ts'

/** Suggestions for markets: the channels, countries and currencies that a catalogue names. They are read without a scan of all offers. */

/** The maximum number of distinct values that are read from a column. */
export const maxValues = 1000

const path = '/api/market_suggestions'

const marketSuggestions = {
  type: 'MarketSuggestions',
  description: 'The channels, countries and currencies that a catalogue names: suggestions for markets.',
  collection: path,
  readWith: 'sale_offers:read',
  properties: {
    channels: readOnly(
      z.array(z.string()),
      'Those of sale offers, and of products for who may read them; in order.',
      { example: ['pos', 'web'] },
    ),
    countries: readOnly(
      z.array(countryCode),
      'Those that sale offers name, in order. An offer without countries is for every country, and adds none.',
      { example: ['DE', 'FR'] },
    ),
    currencies: readOnly(z.array(currencyCode), 'Those of sale offers, in order.', { example: ['EUR'] }),
  },
} satisfies Shape

const names = z.array(z.string())
const suggestionsRow = { channels: names, sold: names, countries: names, currencies: names }

async function getMarketSuggestions({ db, access }: Context): Promise<Answer> {
  const { result } = await db.read({
    result: withSequence(
      statement(suggestionsRow)`select
        ${valuesOf('sale_offers', 'channel', sql`status <> 'ARCHIVED' and channel is not null`)} as channels,
        ${access.sees(product) ? valuesOf('product_channels', 'channel', sql`true`) : sql`'[]'::json`} as sold,
        ${valuesOf('sale_offers', 'country_set', isNotArchived)} as countries,
        ${valuesOf('sale_offers', 'currency', isNotArchived)} as currencies`,
    ),
  })
  const { rows, sequence } = result
  const valuesIn = (name: keyof typeof suggestionsRow) => rows.flatMap((row) => row[name])
  return {
    kind: 'item',
    document: {
      '@id': path,
      '@type': marketSuggestions.type,
      channels: sortUnique([...valuesIn('channels'), ...valuesIn('sold')]),
      countries: sortUnique(valuesIn('countries').flatMap((set) => (set === '' ? [] : set.split(',')))),
      currencies: sortUnique(valuesIn('currencies')),
    },
    version: null,
    sequence,
  }
}

const isNotArchived = sql`status <> 'ARCHIVED'`

/** The distinct values of a column, as a JSON array. */
function valuesOf(table: string, column: string, condition: SQL): SQL {
  return sql`(select coalesce(json_agg(value), '[]') from (${distinctValues(table, column, condition, maxValues)}) as each)`
}

function sortUnique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted()
}

export const resource: Resource = {
  shape: marketSuggestions,
  problems: [],
  operations: [
    operation({
      name: 'getMarketSuggestions',
      summary: 'Read the channels, countries and currencies that the catalogue names',
      description: `Of all that is not archived, drafts too. It reads each different value once: beyond ${maxValues} channels, or sets of countries that offers have, those that come first.`,
      method: 'GET',
      isCacheable: true,
      path,
      scope: 'sale_offers:read',
      shape: marketSuggestions,
      answers: 'item',
      notFound: saleOfferProblems.not_found,
      run: getMarketSuggestions,
    }),
  ],
}
