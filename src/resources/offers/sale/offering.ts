import { sql } from 'drizzle-orm'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { identifier } from '../../fields.ts'
import { countryInAnyCase } from '../../trade-fields.ts'
import { type Offer, type Offering, offerRow } from '../index.ts'
import { saleOfferProblems } from './problems.ts'
import { saleOffer } from './schema.ts'
import { saleOffers } from './table.ts'
import { settledTerms } from './terms.ts'

/** What sale offers have of their own. */
export const saleOffering: Offering = {
  table: 'sale_offers',
  subject: 'sale_offer',
  shape: saleOffer,
  problems: saleOfferProblems,
  settled: settledTerms,
  insert: (offers) => insertRows(saleOffers, offers.map(row)),
  update: (offer) => updateRows(saleOffers, [row(offer)]),
  // A channel and a country find the offers that name them, not those that are for every one.
  filters: {
    channel: {
      schema: identifier.meta({
        description: 'Only offers that name this channel; not those for every channel.',
      }),
      condition: (channel) => sql`channel = ${channel}`,
    },
    country: {
      schema: countryInAnyCase.meta({
        description: 'Only offers that name this country; not those for every country.',
      }),
      condition: (country) => sql`${country} = any(countries)`,
    },
  },
}

function row({ parts, values }: Offer) {
  return {
    ...offerRow({ parts, values }),
    channel: values.channel as string | null,
    countries: values.countries as string[],
    amount: values.amount as string,
    compareAtAmount: values.compareAtAmount as string | null,
    priority: values.priority as number,
    minQuantity: values.minQuantity as number,
    taxIncluded: values.taxIncluded as boolean,
  }
}
