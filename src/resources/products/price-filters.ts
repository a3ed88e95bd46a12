/** Filters and orders lists of products by their prices in a market, and reads the range of these prices: from the price index. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import {
  amountOfUnits,
  canonicalAmount,
  compareDecimals,
  currencyExponent,
  everyExponent,
  exponentsApart,
} from '../../core/money.ts'
import { type Orders, orderParameters } from '../../core/paging.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { throwViolations, violation } from '../../core/violations.ts'
import { instantText } from '../../db/columns.ts'
import { type Statement, statement } from '../../db/query.ts'
import { constant } from '../../db/sql.ts'
import { marketIncomplete, pricingProblems } from '../prices/problems.ts'
import type { PriceRequest } from '../prices/request.ts'

const addedIn = 'unstable'
const exponents = everyExponent()
const isAmount = (text: string) => exponents.some((exponent) => canonicalAmount(text, exponent) !== null)

const amount = (description: string) =>
  z
    .string()
    .refine(
      isAmount,
      violation(validationProblems.malformed_amount.at('', { decimals: Math.max(...exponents) })),
    )
    .optional()
    .meta({ addedIn, examples: ['19.90'], description: `${description} Requires \`market\`.` })
const choice = (description: string) =>
  z
    .enum(['true', 'false'])
    .optional()
    .meta({ addedIn, description: `${description} Requires \`market\`.` })

const order = orderParameters(['price'])['order[price]']

/** The parameters of lists of products that filter and order by prices. */
export const priceFilterParameters = {
  'price[from]': amount(
    'Only products whose price is this amount or more, in the currency of the market. The price of a product is that of its cheapest variant for one piece, of those that pass `option[Size][]`, `sku` and `barcode`.',
  ),
  'price[until]': amount('Only products whose price is this amount or less, in the currency of the market.'),
  reduced: choice('Only products of which a variant has a price with `compareAtAmount`, or only others.'),
  hasPrice: choice(
    'Only products of which a variant has a price, or only others. Archived products have none.',
  ),
  'order[price]':
    order?.meta({
      ...order.meta(),
      addedIn,
      description:
        'Orders by the price of the cheapest variant, upwards or downwards. Products without a price are last in both directions. Other orders then have no effect. Requires `market`.',
    }) ?? z.string().optional(),
}

export const priceFilterNames = Object.keys(priceFilterParameters)

/** The parsed parameters. */
export type PriceFilters = { readonly [name in keyof typeof priceFilterParameters]?: string | undefined }

/** How a query filters by variants. */
export type VariantMatch = {
  /** The condition that the variant of a row with `product_id` and `variant_id` passes all filters. Postgres looks up each row. */
  readonly passes: (row: SQL) => SQL
  /** Common tables: `matching_variants` has the ids of the passing active variants, `variant_range` whether many products pass (`is_wide`). */
  readonly commonTables: SQL
}

/** A part of a list: what joins to `products`, and conditions. */
type ListPart = { readonly joins: SQL; readonly conditions: readonly SQL[] }

/** How a list is filtered and ordered by prices. */
export type PriceSelection = {
  /** Conditions on `products`. */
  readonly conditions: readonly SQL[]
  /** The order by price; null if the list has another order. */
  readonly orders: Orders | null
  /** The parts of the list that follow each other in its order. */
  readonly parts: readonly ListPart[]
  /** Common table expressions of the conditions, parts and facets: `… as (…),`. */
  readonly commonTables: SQL
  /** The rows of the matching products, where only prices select products: `from … where …`. Null if there are no such rows. */
  readonly matches: SQL | null
  /** The values of the facets for a product `m`. */
  readonly facets: Readonly<Record<'price' | 'reduced', { readonly join: SQL; readonly value: SQL }>>
  /** Selects the moment at which the next price of the market changes without a write: also one of a product that is not in the list. */
  readonly nextChange: Statement<{ at: string | null }>
  /** @throws Problem 422 for amounts that the currency does not have; 503 if the index lacks prices of the market */
  readonly requireAnswer: (inContext: PriceRequest | null) => void
}

/**
 * Reads the filters of a query; null without any, unless `isNeeded` by facets. With `variants`, only those that pass have prices; their
 * common tables come first.
 * @throws Problem 422 without a market, for a moment that has passed or a moment of recording, and for a range that ends below its start
 */
export function priceSelectionOf(
  query: PriceFilters & Readonly<Record<string, unknown>>,
  request: PriceRequest | null,
  { variants, isNeeded }: { readonly variants: VariantMatch | null; readonly isNeeded: boolean },
): PriceSelection | null {
  const direction = query['order[price]']?.toLowerCase()
  const isOrdered = direction === 'asc' || direction === 'desc'
  const usesPrices =
    isNeeded ||
    isOrdered ||
    priceFilterNames.some((name) => name !== 'order[price]' && query[name] !== undefined)
  if (!usesPrices) return null
  if (!request?.market) throwViolations([pricingProblems.market_missing.at('market')])
  const { 'price[from]': from, 'price[until]': until, reduced, hasPrice } = query
  throwViolations([
    ...(request.isFromNow ? [] : [pricingProblems.only_from_now.at('priceAt')]),
    ...(request.knownAt === undefined ? [] : [pricingProblems.only_from_now.at('priceKnownAt')]),
    ...(from !== undefined && until !== undefined && compareDecimals(from, until) > 0
      ? [validationProblems.too_small.at('price[until]', { minimum: from })]
      : []),
  ])
  const { key } = request.market
  const range = (column: SQL) => [
    ...(from === undefined ? [] : [sql`${column} >= ${minorUnits(key, from)}`]),
    ...(until === undefined ? [] : [sql`${column} <= ${minorUnits(key, until)}`]),
  ]
  const ranges = range(sql`p.amount`)
  const isPriced = ranges.length > 0 || reduced === 'true' || hasPrice === 'true'
  const prices = pricesIn(key, request.at)
  const matching = (row: SQL) => sql`${prices(row)} and ${row}.is_live`
  /** The cheapest price of each product: of its variants, or of those that pass the filters by variants. */
  const cheapest = variants ? sql`matching_prices` : sql`product_prices`
  const isIn = (row: SQL) => (variants ? sql`true` : prices(row))
  const rows = (condition: SQL) =>
    sql`from ${cheapest} p where ${sql.join([isIn(sql`p`), condition], sql` and `)}`
  const has = (condition: SQL) => sql`products.id in (select p.product_id ${rows(condition)})`
  const lacks = (condition: SQL) => sql`not exists (select ${rows(condition)} and p.product_id = products.id)`
  const whether = (value: string | undefined, condition: SQL) =>
    value === undefined ? [] : [value === 'true' ? has(condition) : lacks(condition)]
  const others = [...whether(reduced, sql`p.is_reduced`), ...whether(hasPrice, sql`true`)]
  const conditions = [...(ranges.length === 0 ? [] : [has(sql.join(ranges, sql` and `))]), ...others]
  const joinTo = (product: SQL) =>
    sql` join ${cheapest} price on price.product_id = ${product} and ${isIn(sql`price`)}`
  const ofRow = [
    ...range(sql`price.amount`),
    ...(reduced === undefined
      ? []
      : [reduced === 'true' ? sql`price.is_reduced` : sql`not price.is_reduced`]),
  ]
  /** If many products pass the filters by variants, each price is looked up in the order. Of 50,000, a page takes 58 ms instead of 399. */
  const lookedUp = ({ passes }: VariantMatch): ListPart => {
    const passing = (row: SQL) => sql`${matching(row)} and ${passes(row)}`
    return {
      joins: sql` join variant_prices price on price.product_id = products.id and ${passing(sql`price`)} and ${isCheapest(passing)}`,
      conditions: [isWide, ...range(sql`price.amount`), ...others],
    }
  }
  const priced = { joins: joinTo(sql`products.id`), conditions: ofRow }
  const pricedParts = variants
    ? [lookedUp(variants), { ...priced, conditions: [sql`not ${isWide}`, ...ofRow] }]
    : [priced]
  // A product without a price is behind all others.
  const unpriced = {
    joins: sql` cross join (select ${direction === 'asc' ? '9223372036854775807' : '-1'}::bigint as amount) price`,
    conditions: [lacks(sql`true`), ...conditions],
  }
  const orderedParts = hasPrice === 'false' ? [unpriced] : isPriced ? pricedParts : [...pricedParts, unpriced]
  return {
    conditions,
    orders: isOrdered
      ? {
          price: { column: sql`price.amount`, type: 'bigint', isDirected: true },
          id: { column: sql`products.id`, type: 'uuid' },
        }
      : null,
    parts: isOrdered ? orderedParts : [{ joins: sql``, conditions }],
    commonTables: variants
      ? sql`${variants.commonTables} matching_prices as materialized (
          select p.product_id, min(p.amount) as amount, bool_or(p.is_reduced) as is_reduced from (
            select p.product_id, p.amount, p.is_reduced from matching_variants v
             cross join lateral (select * from variant_prices p where p.variant_id = v.id and ${matching(sql`p`)} limit 1) p
             where not ${isWide}
            union all
            select p.product_id, p.amount, p.is_reduced from variant_prices p
             where ${isWide} and ${matching(sql`p`)} and p.variant_id in (select id from matching_variants)) p
           group by 1),`
      : sql``,
    // Without their products, 10,001 rows take 7 ms instead of 95.
    matches:
      variants || !isPriced || hasPrice === 'false'
        ? null
        : sql`from product_prices price where ${sql.join([prices(sql`price`), ...ofRow], sql` and `)}`,
    nextChange: nextChangeIn(key, request.at),
    facets: {
      price: { join: joinTo(sql`m.id`), value: sql`price_range_start(price.amount)` },
      reduced: {
        join: sql`cross join lateral (
          select m.id in (select p.product_id ${rows(sql`p.is_reduced`)}) as is_reduced) p`,
        value: sql`p.is_reduced`,
      },
    },
    requireAnswer(inContext) {
      const { currency = '', pricesComplete } = inContext ?? {}
      const decimals = currencyExponent(currency) ?? 0
      throwViolations(
        Object.entries({ 'price[from]': from, 'price[until]': until }).flatMap(([name, value]) =>
          value === undefined || canonicalAmount(value, decimals) !== null
            ? []
            : [validationProblems.amount.at(name, { currency, decimals })],
        ),
      )
      if (!pricesComplete) throw marketIncomplete(key)
    },
  }
}

const isWide = sql`(select is_wide from variant_range)`

const idOf = (market: string) =>
  constant(sql`(select m.id from markets m where m.tenant_id = current_tenant() and m.key = ${market})`)

function nextChangeIn(market: string, at: string): PriceSelection['nextChange'] {
  const next = (
    column: SQL,
  ) => sql`(select min(${column}) from variant_prices p where p.tenant_id = current_tenant() and p.is_live
    and p.market_id = ${idOf(market)} and ${column} > ${at}::timestamptz and ${column} < 'infinity')`
  return statement({ at: z.string().nullable() })`
    select ${instantText(sql`least(${next(sql`p.from_at`)}, ${next(sql`p.until_at`)})`)} as at`
}

/**
 * Returns the condition for the prices in a market at a moment, by the alias of the table. Prices begin at the moments of writes, and the
 * clock of the Worker may be behind those.
 */
function pricesIn(market: string, at: string) {
  const moment = constant(
    sql`(select greatest(${at}::timestamptz, c.last_at) from tenant_clock c where c.tenant_id = current_tenant())`,
  )
  return (row: SQL) => sql`${row}.tenant_id = current_tenant() and ${row}.market_id = ${idOf(market)}
    and ${row}.from_at <= ${moment} and ${row}.until_at > ${moment}`
}

/** Whether `price` is the cheapest price of its product, and of several the first. Postgres looks up one row of an index. */
const isCheapest = (prices: (alias: SQL) => SQL) =>
  sql`not coalesce((select true from variant_prices c where c.product_id = price.product_id and ${prices(sql`c`)}
    and c.amount <= price.amount and (c.amount < price.amount or c.variant_id < price.variant_id) limit 1), false)`

/** An amount in the minor units of the currency of a market. The database knows the currency, and the Worker its decimals. */
const minorUnits = (market: string, amount: string) =>
  constant(sql`(select least((${amount} || 'e' || coalesce(${JSON.stringify(exponentsApart)}::jsonb ->> m.currency, '2'))::numeric, 9223372036854775807)::bigint
    from markets m where m.tenant_id = current_tenant() and m.key = ${market})`)

/** The members of a product's document with the range of its prices. */
export type PriceRange = { readonly from: string; readonly until: string; readonly currency: string } | null

/** The expression for the ranges of prices of products, by id; null if none are requested, or the prices are not those from now on. */
export function priceRanges(ids: SQL, request: PriceRequest | null | undefined): SQL | null {
  if (!request?.market || request.knownAt !== undefined || !request.isFromNow) return null
  const prices = pricesIn(request.market.key, request.at)
  return sql`(select coalesce(json_object_agg(r.id, json_build_array(r.low, r.high)), '{}') from (
    select p.product_id as id, min(p.amount)::text as low, max(p.amount)::text as high from variant_prices p
     where p.product_id = any(${ids}) and p.is_live and ${prices(sql`p`)} group by 1) r)`
}

/** The range of a product's prices, which are in minor units. */
export function priceRangeOf(range: readonly [string, string] | undefined, currency: string): PriceRange {
  const decimals = currencyExponent(currency) ?? 0
  if (!range) return null
  const [from, until] = range
  return { from: amountOfUnits(from, decimals), until: amountOfUnits(until, decimals), currency }
}
