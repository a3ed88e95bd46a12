import { type SQL, sql } from 'drizzle-orm'

const next = (behind: SQL) => sql`select country_set from sale_offers
  where tenant_id = current_tenant() and status <> 'ARCHIVED' and ${behind} order by country_set limit 1`

/**
 * Offers that are not archived and name a country. Of the sets of countries that offers have there are few: each is found behind the one
 * before, and those with the country are looked for in their index (migrations/0036_markets.sql).
 */
export function inCountry(country: string): SQL {
  const sets = sql`array(
    with recursive known(value) as (
      (${next(sql`true`)})
      union all
      select (${next(sql`country_set > known.value`)}) from known where value is not null
    )
    select value from known where ${country} = any(string_to_array(value, ',')))`
  // Where no set has it, no offer is looked at.
  return sql`cardinality(${sets}) > 0 and country_set = any(${sets})`
}
