/** Facets of lists of products: the values that the matching products have, and how many products have each. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { Value } from '../../core/document.ts'
import { irisUnder } from '../../core/iri.ts'
import { countingLimit } from '../../core/paging.ts'
import type { Scope } from '../../core/scopes.ts'
import { combineQueries, type DatabaseQuery, mapQuery, type RowOf, statement } from '../../db/query.ts'
import { textArray } from '../../db/sql.ts'

/** A facet: the parameters that filter by it, and the value of each matching product `m`. */
type Facet = {
  readonly parameters: readonly string[]
  readonly value: SQL
  readonly join?: SQL
  /** The collection whose IRIs are the values. */
  readonly collection?: string
  /** The table whose titles name the values, and the scope that reads them. */
  readonly titles?: string
  readonly titleScope?: Scope
}

const ofProduct = sql`r.tenant_id = current_tenant() and r.product_id = m.id`

/** Joins rows of each matching product. With `offset 0` Postgres looks them up, and does not read the whole table. */
function rowsOf(rows: SQL, name: SQL): SQL {
  return sql` cross join lateral (${rows} offset 0) ${name}`
}

/** The facets that a list of products may request, by name. */
export const facets = {
  vendor: { parameters: ['vendor', 'vendor[]'], value: sql`m.vendor` },
  productType: { parameters: ['productType', 'productType[]'], value: sql`m.product_type` },
  tags: {
    parameters: ['tag', 'tag[]'],
    value: sql`t.tag`,
    join: rowsOf(sql`select r.tag from product_tags r where ${ofProduct}`, sql`t`),
  },
  category: {
    parameters: ['category', 'category[]'],
    value: sql`c.category_id::text`,
    join: rowsOf(sql`select r.category_id from product_categories r where ${ofProduct}`, sql`c`),
    collection: '/api/categories',
    titles: 'categories',
    titleScope: 'categories:read',
  },
  collection: {
    parameters: ['collection'],
    value: sql`c.collection_id::text`,
    // A deleted collection can have member rows for a while.
    join: rowsOf(
      sql`select r.collection_id from product_collections r join collections k on k.tenant_id = r.tenant_id and k.id = r.collection_id
           where ${ofProduct}`,
      sql`c`,
    ),
    collection: '/api/collections',
    titles: 'collections',
    titleScope: 'collections:read',
  },
} as const satisfies Readonly<Record<string, Facet>>

export type FacetName = keyof typeof facets
export const facetNames = Object.keys(facets) as [FacetName, ...FacetName[]]

/** Values of one facet in a response, those of the most products first. */
const maximumValues = 100

/** A facet with its values. */
const facetRow = {
  name: z.enum(facetNames),
  /** The number of matching products, at most one more than the counting limit. */
  matching: z.number(),
  valuesTotal: z.number(),
  values: z
    .array(z.object({ value: z.string(), count: z.number(), title: z.string().nullable() }))
    .readonly(),
}

/** How the facets of a list are read. */
export type FacetQuery = {
  readonly names: readonly FacetName[]
  /** The values by which the query filters. */
  readonly selected: (name: FacetName) => readonly string[]
  /** Selects the products that match without the filters of a facet, from `from` on. Null leaves no filter out. */
  readonly matchesWithout: (name: FacetName | null) => SQL
  /** Common table expressions of the matches: `… as (…),`. */
  readonly commonTables: SQL
  /** A locale that titles are complete for. */
  readonly locale: string
  readonly access: Pick<Access, 'may'>
}

/** Counts the values of facets among the products that match. A facet ignores its own filters, so that it shows the alternatives. */
export function facetsQuery(query: FacetQuery): DatabaseQuery<Value[]> {
  return mapQuery(combineQueries({ rows: facetStatement(query) }), ({ rows }) => facetDocuments(query, rows))
}

function facetStatement({ names, selected, matchesWithout, commonTables, locale, access }: FacetQuery) {
  const tableOf = (name: FacetName | null) => sql.identifier(`matching_${name ?? 'all'}`)
  const setOf = (name: FacetName) => (selected(name).length > 0 ? name : null)
  const sets = [...new Set(names.map(setOf))].map(
    (name) => sql`${tableOf(name)} as materialized (
      select products.id, products.vendor, products.product_type ${matchesWithout(name)} limit ${countingLimit + 1})`,
  )
  const counted = names.map((name) => {
    const { value, join = sql``, titles, titleScope }: Facet = facets[name]
    const title =
      titles && titleScope && access.may(titleScope)
        ? sql`(select n.title from titles n where n.tenant_id = current_tenant() and n.kind = ${titles} and n.id = v.value::uuid and n.locale = ${locale})`
        : sql`null`
    const table = tableOf(setOf(name))
    const values = textArray([...new Set(selected(name))])
    return sql`
      select ${name}::text as name, (select count(*) from ${table})::int as matching, f.total as "valuesTotal", f.values
        from (select count(*) filter (where v.count > 0)::int as total,
                     coalesce(jsonb_agg(jsonb_build_object('value', v.value, 'count', v.count, 'title', ${title}) order by v.count desc, v.value)
                       filter (where v.place <= ${maximumValues} or v.value = any(${values})), '[]') as values
                from (select g.value, g.count, row_number() over (order by g.count desc, g.value) as place
                        from (select coalesce(c.value, chosen.value) as value, coalesce(c.count, 0) as count
                                from (select ${value} as value, count(*) as count from ${table} m${join}
                                       where ${value} is not null group by 1) c
                                full join unnest(${values}) as chosen(value) on chosen.value = c.value) g) v) f`
  })
  return statement(facetRow)`
    with ${commonTables}${sql.join(sets, sql`, `)} ${sql.join(counted, sql` union all `)}`
}

function facetDocuments({ names, selected }: FacetQuery, rows: readonly RowOf<typeof facetRow>[]): Value[] {
  return names.flatMap((name) => {
    const row = rows.find((candidate) => candidate.name === name)
    if (!row) return []
    const { collection, titles }: Facet = facets[name]
    const own = selected(name)
    return {
      '@type': 'Facet',
      name,
      values: row.values.map(({ value, count, title }) => ({
        '@type': 'FacetValue',
        value: collection === undefined ? value : irisUnder(collection)(value),
        ...(titles === undefined ? {} : { title }),
        count,
        selected: own.includes(value),
      })),
      valuesTotal: row.valuesTotal,
      atLeast: row.matching > countingLimit,
    }
  })
}
