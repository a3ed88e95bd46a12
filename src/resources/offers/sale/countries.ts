import { sql } from 'drizzle-orm'
import type { Ways } from '../../../core/listing.ts'
import { differentValues } from '../../../db/values.ts'

/**
 * Sets of countries that are looked at, however many offers have. With a thousand Postgres, which expects ten of them to have the country,
 * may read all of its offers for one page.
 */
export const mostSets = 100

/**
 * Offers that are not archived and name a country. Of the sets of countries that offers have there are few: each is looked at once, and
 * offers with those that have the country are found in their index (migrations/0001_schema.sql). Where there are more sets than are
 * looked at, offers are filtered one by one.
 */
export function inCountry(country: string): Ways {
  const sets = differentValues('sale_offers', 'country_set', sql`status <> 'ARCHIVED'`, mostSets + 1)
  const told = (column: 'named' | 'is_whole') => sql`(select ${sql.identifier(column)} from sets_in_country)`
  // Where no set has it, no offer is looked at.
  const isNamed = sql`cardinality(${told('named')}) > 0`
  return {
    known: sql`
      country_sets as materialized (${sets}),
      sets_in_country(named, is_whole) as materialized (
        select array(select value from country_sets where ${country} = any(string_to_array(value, ','))),
               (select count(*) from country_sets) <= ${mostSets})`,
    ways: [
      sql`${told('is_whole')} and ${isNamed} and country_set = any(${told('named')}::text[])`,
      // By the set as well, which its index has: to count them no offer is looked at.
      sql`not ${told('is_whole')} and country_set > '' and ${country} = any(string_to_array(country_set, ','))`,
    ],
  }
}
