import { sql } from 'drizzle-orm'
import type { Alternatives } from '../../core/list-query.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { writable } from '../../core/schema.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import { distinctValues, idColumn, uuidArray } from '../../db/sql.ts'
import { campaignIri } from '../campaigns/schema.ts'
import { type OfferKind, type OfferLinks, targetProperties } from '../offers/kind.ts'
import { saleOfferProblems } from '../offers/problems.ts'
import { saleOffers } from '../offers/table.ts'
import { pricesQuery } from '../prices/price-index.ts'
import { countryInAnyCase, identifier, referenceParameter, relation } from '../shared/properties.ts'
import { overlapsQuery } from './overlaps.ts'
import { saleOfferShape, validateTerms } from './schema.ts'

/**
 * The maximum number of country sets that are searched.
 * With 1,000 sets Postgres, which expects ten matches, may read all of the tenant's offers for one page.
 */
export const maxCountrySets = 100

/**
 * The filter for offers that name a country and are not archived.
 * Offers have few distinct sets of countries. Each set is searched once, and an index finds the offers of the
 * matching sets (migrations/0001_schema.sql).
 * With more sets than the limit, each offer is filtered separately.
 */
function inCountry(country: string): Alternatives {
  const sets = distinctValues('sale_offers', 'country_set', sql`status <> 'ARCHIVED'`, maxCountrySets + 1)
  const column = (name: 'named' | 'is_whole') => sql`(select ${sql.identifier(name)} from sets_in_country)`
  // If no set contains the country, Postgres reads no offer.
  const isNamed = sql`cardinality(${column('named')}) > 0`
  return {
    expressions: sql`
      country_sets as materialized (${sets}),
      sets_in_country(named, is_whole) as materialized (
        select array(select value from country_sets where ${country} = any(string_to_array(value, ','))),
               (select count(*) from country_sets) <= ${maxCountrySets})`,
    conditions: [
      sql`${column('is_whole')} and ${isNamed} and country_set = any(${column('named')}::text[])`,
      // The condition on `country_set` is in the index too, so Postgres counts without reading offers.
      sql`not ${column('is_whole')} and country_set > '' and ${country} = any(string_to_array(country_set, ','))`,
    ],
  }
}

/** The links of a sale offer to its variant, product and campaign. */
export const linkedProperties = {
  ...targetProperties,
  campaign: writable(
    relation('/api/campaigns'),
    'The campaign that it belongs to; null is none. It is a label and decides no price.',
    {
      isLink: true,
      targetType: 'Campaign',
      merge: (_: unknown, id: string) => campaignIri(id),
      example: null,
    },
  ),
}

/** Reads the campaigns of bodies. A body without one causes no query. */
function campaignsQuery(bodies: readonly Readonly<Record<string, unknown>>[]): DatabaseQuery<OfferLinks> {
  const ids = [...new Set(bodies.map(({ campaign }) => campaign).filter((id) => typeof id === 'string'))]
  const links = (found: readonly { readonly id: string }[]): OfferLinks => ({
    guard: found.map(({ id }) => ({ kind: 'campaigns', id, version: null })),
    violations: ({ campaign }, at) =>
      typeof campaign !== 'string' || found.some(({ id }) => id === campaign)
        ? []
        : [validationProblems.unknown_reference.at(at('campaign'), { iri: campaignIri(campaign) })],
  })
  if (ids.length === 0) return mapQuery(noQuery, () => links([]))
  const rows = statement(idColumn)`
    select id from campaigns where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
  return mapQuery(combineQueries({ rows }), (result) => links(result.rows))
}

export const saleOfferKind: OfferKind = {
  name: 'sale_offers',
  subject: 'sale_offer',
  table: saleOffers,
  noun: 'A sale offer',
  boundaries: {
    started: 'began to apply. The event names the time; the offer itself was not changed.',
    ended: 'ceased to apply. The event names the time; the offer itself was not changed.',
  },
  shape: saleOfferShape(linkedProperties),
  validateTerms,
  problems: saleOfferProblems,
  warnings: overlapsQuery,
  links: campaignsQuery,
  prices: pricesQuery,
  // These filters match offers that name the channel or country, not the offers for every one.
  filters: {
    campaign: referenceParameter('/api/campaigns').optional().meta({ addedIn: 'unstable' }),
    channel: identifier
      .meta({ description: 'Only offers that name this channel; not those for every channel.' })
      .optional(),
    country: countryInAnyCase
      .meta({ description: 'Only offers that name this country; not those for every country.' })
      .optional(),
  },
  equal: ['channel'],
  references: ['campaign'],
  inCountry,
}
