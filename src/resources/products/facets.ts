/** Facets of lists of products: the values that the matching products have, and how many products have each. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { Value } from '../../core/document.ts'
import { irisUnder } from '../../core/iri.ts'
import type { Locale } from '../../core/locale.ts'
import { amountOfUnits, compareDecimals, currencyExponent } from '../../core/money.ts'
import { countingLimit } from '../../core/paging.ts'
import type { Scope } from '../../core/scopes.ts'
import { combineQueries, type DatabaseQuery, mapQuery, type RowOf, statement } from '../../db/query.ts'
import { textArray } from '../../db/sql.ts'

/** How the facets by prices find the value of each matching product `m`. */
type PriceFacets = Readonly<Record<PriceFacetName, Pick<Facet, 'join' | 'value'>>>

/** A facet: the value of each matching product `m`, or of each row that joins it. */
type Facet = {
  readonly value: SQL
  readonly join?: SQL
  /** The column of products with the value. */
  readonly column?: SQL
  /** Whether a product can have several rows with the same value. */
  readonly repeats?: boolean
  /** The collection whose IRIs are the values, and the scope that reads it. */
  readonly collection?: string
  readonly titleScope?: Scope
  /** Selects the title of the value `v.value` in each locale. */
  readonly titles?: SQL
}

const ofProduct = sql`r.tenant_id = current_tenant() and r.product_id = m.id`

const titlesOf = (row: SQL, from: SQL) => sql`
  select (select jsonb_object_agg(t.key, t.value -> 'title') from jsonb_each(${row}.translations) t where t.value ->> 'title' is not null) ${from}`

/** The facets with fixed names. */
const facets = {
  vendor: { value: sql`m.vendor`, column: sql`products.vendor` },
  productType: { value: sql`m.product_type`, column: sql`products.product_type` },
  tags: { join: sql`join product_tags r on ${ofProduct}`, value: sql`r.tag` },
  category: {
    join: sql`join product_categories r on ${ofProduct}`,
    value: sql`r.category_id`,
    collection: '/api/categories',
    titleScope: 'categories:read',
    titles: titlesOf(
      sql`k`,
      sql`from categories k where k.tenant_id = current_tenant() and k.id = v.value::uuid`,
    ),
  },
  collection: {
    // A deleted collection can have member rows for a while.
    join: sql`join product_collections r on ${ofProduct} join collections k on k.tenant_id = r.tenant_id and k.id = r.collection_id`,
    value: sql`r.collection_id`,
    collection: '/api/collections',
    titleScope: 'collections:read',
    titles: titlesOf(
      sql`k`,
      sql`from collections k where k.tenant_id = current_tenant() and k.id = v.value::uuid`,
    ),
  },
} satisfies Readonly<Record<string, Facet>>

/** The category facet of a list that filters by categories with their descendants: a product counts for each ancestor. */
const deepCategory: Facet = {
  ...facets.category,
  join: sql`${facets.category.join} join category_parts k on k.tenant_id = r.tenant_id and k.category_id = r.category_id
    cross join lateral unnest(k.ancestors || k.category_id) as c(id)`,
  value: sql`c.id`,
  repeats: true,
}

/** The parameters that filter by the values of each facet. Those with `*` filter by facets such as `option.Color` and `fields.material`. */
export const facetParameters = {
  vendor: ['vendor', 'vendor[]'],
  productType: ['productType', 'productType[]'],
  tags: ['tag', 'tag[]'],
  category: ['category', 'category[]'],
  collection: ['collection'],
  option: ['option[*][]'],
  fields: ['fields[*][]'],
  price: ['price[from]', 'price[until]'],
  reduced: ['reduced'],
} as const

type FacetGroup = keyof typeof facetParameters

/** The facets by prices in the market of the request. The values of `price` are ranges. */
export const priceFacetNames = ['price', 'reduced'] as const
const isPriceFacet = (name: string): name is PriceFacetName =>
  priceFacetNames.some((candidate) => candidate === name)
type PriceFacetName = (typeof priceFacetNames)[number]

const isFixed = (name: string): name is keyof typeof facets => Object.hasOwn(facets, name)

/** The parts of a facet's name: `option.Color` is the facet `Color` of the group `option`. Null for an unknown name. */
export function facetIn(name: string): { readonly group: FacetGroup; readonly key: string | null } | null {
  if (isFixed(name) || isPriceFacet(name)) return { group: name, key: null }
  const [group, ...parts] = name.split('.')
  const key = parts.join('.')
  return (group === 'option' || group === 'fields') && key !== '' ? { group, key } : null
}

/** The names that `facets[]` takes. */
export const facetNames = [...Object.keys(facets), ...priceFacetNames, 'option.{title}', 'fields.{key}']

/** Values of one facet in a response, those of the most products first. */
const maximumValues = 100

const titlesByLocale = z.record(z.string(), z.string()).readonly()

/** A facet with its values. */
const facetRow = {
  name: z.string(),
  /** Whether more products match than are counted. */
  atLeast: z.boolean(),
  valuesTotal: z.number(),
  values: z
    .array(z.object({ value: z.string(), count: z.number(), titles: titlesByLocale.nullable() }))
    .readonly(),
}

/** How the facets of a list are read. */
export type FacetQuery = {
  readonly names: readonly string[]
  /** The values by which the query filters. */
  readonly selected: (name: string) => readonly string[]
  /** Selects the products that match without the filters of a facet, from `from` on. Null omits no filter. */
  readonly matchesWithout: (name: string | null) => SQL
  /** Selects `product_id` and `variants` of the products whose variants match without the filters of a facet. Null without such filters. */
  readonly variantsWithout: (name: string) => SQL | null
  /** Conditions on the products that the caller may see. */
  readonly visible: readonly SQL[]
  /** Whether a filter by a category includes its descendants. */
  readonly isDeep: boolean
  /** Common table expressions of the matches: `… as (…),`. */
  readonly commonTables: SQL
  /** Null without a market. */
  readonly priceFacets: PriceFacets | null
  readonly locale: Locale
  readonly access: Pick<Access, 'may'>
}

/** Counts the values of facets among the products that match. A facet ignores its own filters, so that it shows the alternatives. */
export function facetsQuery(query: FacetQuery): DatabaseQuery<FacetsIn> {
  const rows = facetStatement(query)
  return mapQuery(
    combineQueries({ rows }),
    (read) => (currency) => facetDocuments(query, read.rows, currencyExponent(currency) ?? 0),
  )
}

/** The documents of facets. Amounts are in the currency of the request's market. */
export type FacetsIn = (currency: string) => Value[]

/** The SQL of a facet. */
function facetOf(name: string, { variantsWithout, visible, isDeep, priceFacets }: FacetQuery): Facet {
  if (isPriceFacet(name)) return priceFacets?.[name] ?? { value: sql`null` }
  if (isFixed(name)) return name === 'category' && isDeep ? deepCategory : facets[name]
  const { group, key } = facetIn(name) ?? {}
  const variants = group === 'option' ? variantsWithout(name) : null
  return {
    join: sql`join product_values r on ${ofProduct} and r.name = ${name}
      ${variants ? sql`join (${variants}) o on o.product_id = m.id and bit_count(o.variants & r.variants) > 0` : sql``}`,
    value: sql`r.value`,
    ...(group === 'option' && {
      titles: titlesOf(
        sql`x`,
        // Of the first visible product with the value.
        sql`from (select r.product_id from product_values r join products on products.tenant_id = r.tenant_id and products.id = r.product_id
                  where ${sql.join([sql`r.tenant_id = current_tenant() and r.name = ${name} and r.value = v.value`, ...visible], sql` and `)}
                  order by r.product_id limit 1) p
        join product_options k on k.tenant_id = current_tenant() and k.product_id = p.product_id and k.title = ${key}
        join option_values x on x.tenant_id = current_tenant() and x.product_id = p.product_id and x.option_id = k.id and x.title = v.value`,
      ),
    }),
  }
}

function facetStatement(query: FacetQuery) {
  const { names, selected, matchesWithout, commonTables, access } = query
  const setOf = (name: string) => (selected(name).length > 0 ? name : null)
  const sets = [...new Set(names.map(setOf))]
  const tableOf = (set: string | null) => sql.identifier(`matching_${sets.indexOf(set)}`)
  // Postgres reads ids from an index alone, other columns from the table.
  const tables = sets.map((set) => {
    const columns = names.flatMap((name) => (setOf(name) === set ? (facetOf(name, query).column ?? []) : []))
    return sql`${tableOf(set)} as materialized (
      select ${sql.join([sql`products.id`, ...columns], sql`, `)} ${matchesWithout(set)} limit ${countingLimit + 1})`
  })
  const counted = names.map((name) => {
    const { value, join = sql``, repeats, titleScope, titles } = facetOf(name, query)
    const isNamed = titles && (titleScope === undefined || access.may(titleScope))
    const table = tableOf(setOf(name))
    // The chosen range may be none of those that are counted.
    const values = textArray(name === 'price' ? [] : [...new Set(selected(name))])
    return sql`
      select ${name}::text as name, exists (select from ${table} offset ${countingLimit}) as "atLeast", f.total as "valuesTotal", f.values
        from (select count(*) filter (where v.count > 0)::int as total,
                     coalesce(jsonb_agg(jsonb_build_object('value', v.value, 'count', v.count, 'titles', ${isNamed ? sql`(${titles})` : sql`null`})
                       order by v.count desc, v.value) filter (where v.place <= ${maximumValues} or v.value = any(${values})), '[]') as values
                from (select g.value, g.count, row_number() over (order by g.count desc, g.value) as place
                        from (select coalesce(c.value, chosen.value) as value, coalesce(c.count, 0) as count
                                from (select ${value}::text as value, ${repeats ? sql`count(distinct m.id)` : sql`count(*)`} as count
                                        from ${table} m ${join} where ${value} is not null group by ${value}) c
                                full join unnest(${values}) as chosen(value) on chosen.value = c.value) g) v) f`
  })
  return statement(facetRow)`
    with ${commonTables}${sql.join(tables, sql`, `)} ${sql.join(counted, sql` union all `)}`
}

function facetDocuments(
  query: FacetQuery,
  rows: readonly RowOf<typeof facetRow>[],
  decimals: number,
): Value[] {
  const { names, selected, locale } = query
  return names.flatMap((name) => {
    const row = rows.find((candidate) => candidate.name === name)
    if (!row) return []
    const { collection, titles: hasTitles } = facetOf(name, query)
    const own = selected(name)
    return {
      '@type': 'Facet',
      name,
      values:
        name === 'price'
          ? rangesOf(row.values, own, decimals)
          : row.values.map(({ value, count, titles }) => {
              const shown = locale.chain.find((name) => titles?.[name] !== undefined)
              return {
                '@type': 'FacetValue',
                value: collection === undefined ? value : irisUnder(collection)(value),
                ...(hasTitles && { title: shown === undefined ? null : (titles?.[shown] ?? null) }),
                ...(shown !== undefined && shown !== locale.requested && { fallbacks: { title: shown } }),
                count,
                selected: own.includes(value),
              }
            }),
      valuesTotal: row.valuesTotal,
      atLeast: row.atLeast,
    }
  })
}

/** The ranges of prices that start at the given minor units, in their order. Each ends before the next start: 1, 2, 5, 10. */
function rangesOf(
  values: readonly { readonly value: string; readonly count: number }[],
  [from, until]: readonly string[],
  decimals: number,
): Value[] {
  return values
    .toSorted((a, b) => a.value.length - b.value.length || (a.value < b.value ? -1 : 1))
    .map(({ value, count }) => {
      const digit = value[0] === '2' ? 5n : BigInt(value[0] ?? 0) * 2n
      const next = value === '0' ? 1n : digit * 10n ** BigInt(value.length - 1)
      const range = {
        from: amountOfUnits(value, decimals),
        until: amountOfUnits(String(next - 1n), decimals),
      }
      const isSelected =
        from !== undefined &&
        until !== undefined &&
        compareDecimals(from, range.from) === 0 &&
        compareDecimals(until, range.until) === 0
      return {
        '@type': 'FacetValue',
        value: `${range.from}-${range.until}`,
        ...range,
        count,
        selected: isSelected,
      }
    })
}
