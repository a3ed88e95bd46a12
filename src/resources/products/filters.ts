/** The query parameters of lists of products, and their SQL conditions. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { QueryOf } from '../../core/operation.ts'
import { includesArchived, type Naming } from '../../core/paging.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { throwViolations, violation } from '../../core/violations.ts'
import { atMost } from '../../core/zod.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import { distinctValues, textArray, uuidArray } from '../../db/sql.ts'
import { inCollection } from '../collections/read.ts'
import { explainOfList } from '../prices/request.ts'
import { listing, listParameters } from '../shared/list.ts'
import { referenceParameter } from '../shared/properties.ts'
import { facetIn, facetNames, facetParameters } from './facets.ts'
import { priceFilterParameters, type VariantMatch } from './price-filters.ts'
import { readParameters } from './schema.ts'
import { isPublished, products } from './table.ts'

const text = z.string().min(1).max(255)

/** Names products by a code of their active variants. */
function codeNaming(name: 'sku' | 'barcode'): Naming {
  const code = sql.identifier(name)
  const named = (names: readonly string[]) => sql`from variants v
    where v.tenant_id = current_tenant() and v.status = 'ACTIVE' and v.${code} = any(${textArray(names)})`
  return {
    condition: (names) => sql`products.id in (select v.product_id ${named(names)})`,
    names: (names) => sql`select v.${code} ${named(names)} and v.product_id = products.id`,
  }
}

const list = listing(products, {
  orders: ['createdAt', 'updatedAt', 'title', 'id'],
  equal: ['status', 'handle', 'externalId', 'vendor', 'productType'],
  namings: { 'sku[]': codeNaming('sku'), 'barcode[]': codeNaming('barcode') },
})

export const { page: productPage, orders: productOrders } = list

/** Values of a parameter `name[]`, once for each value. */
const anyOf = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((values) => [values].flat(), z.array(value).max(maximumValues)).optional()
const maximumValues = 50
// Later than all stable versions.
const addedIn = 'unstable'
const anyOfTexts = (what: string) =>
  anyOf(text).meta({ addedIn, description: `Only products with one of these ${what}.` })

/** One value or several. Generated clients send objects with one value for each name: `option[Color]=Red`. */
const oneOrMore = z.union([text, z.array(text).max(100)]).transform((values) => [values].flat())

/** Values of the parameters `name[Color][]`, by the name between brackets. */
const anyOfByName = (example: Readonly<Record<string, string[]>>, description: string) =>
  atMost(10, z.record(z.string().min(1).max(255), oneOrMore))
    .optional()
    .meta({ addedIn, examples: [example], description })

const facetName = z
  .string()
  .max(263)
  .refine(
    (name) => facetIn(name) !== null,
    violation(validationProblems.choice.at('', { choices: facetNames.join(', ') })),
  )

/** The query parameters of every list of products. */
export const productListParameters = listParameters(list, {
  ...readParameters,
  explain: explainOfList('/api/products/{id}'),
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  handle: text.optional(),
  externalId: text.optional(),
  sku: text.optional(),
  barcode: text.optional(),
  vendor: text.optional(),
  productType: text.optional(),
  tag: text.optional(),
  channel: text.optional(),
  // A blank value, which an empty search box sends, equals an absent one.
  q: z
    .string()
    .max(255)
    .optional()
    .meta({
      examples: ['red shirt'],
      description:
        'Only products with all of these words, the best matches first. First are those whose title, SKU or barcode is `q`, then those where one begins with it. Products with all words in the title follow. The search covers the title, vendor, type, tags, handle, SKUs, barcodes and description. The last word may be incomplete. Words may be misspelt: `corrections` of the list then has the words that were searched. `tasche` also finds `Einkaufstasche`, after products with the whole word: in languages that join words, and in others if no product has the whole word.',
    }),
  suggest: z.enum(['true', 'false']).optional().meta({
    addedIn,
    description:
      'With `true`, the list has no members and no total, but `suggestions`: at most ten completions of the last word of `q` among the products that the filters select.',
  }),
  category: referenceParameter('/api/categories').optional(),
  collection: referenceParameter('/api/collections').optional(),
  'category[descendants]': z.enum(['true', 'false']).optional(),
  'vendor[]': anyOfTexts('vendors'),
  'productType[]': anyOfTexts('product types'),
  'tag[]': anyOfTexts('tags'),
  'category[]': anyOf(referenceParameter('/api/categories')).meta({
    addedIn,
    description: 'Only products in one of these categories.',
  }),
  'option[*][]': anyOfByName(
    { Color: ['Red', 'Blue'] },
    'Only products with an active variant that has one of these values of an option: `option[Color][]=Red&option[Color][]=Blue`. With several options, or with `sku` or `barcode`, one variant has to match all of them. Titles of options and values are those in the default locale of the tenant, in the same spelling. At most 10 options with 100 values each.',
  ),
  'fields[*][]': anyOfByName(
    { material: ['Cotton', 'Wool'] },
    'Only products whose custom field with this key has one of these values, or contains one of them if it is a list: `fields[material][]=Cotton`. This applies to single-line texts, numbers and booleans of at most 255 characters. At most 10 fields with 100 values each.',
  ),
  ...priceFilterParameters,
  'facets[]': anyOf(facetName).meta({
    addedIn,
    examples: [['vendor', 'option.Color']],
    description:
      'Adds `facets` to the list: the values of these properties among all matching products, and the number of products with each. `option.Color` counts the values of the option Color that active variants have, `fields.material` those of a custom field. With `market`, `price` has ranges of prices, each with `from` and `until`, and `reduced` counts reduced products. A facet ignores the filters by its own property, so that it shows the alternatives.',
  }),
})

/** The parsed parameters. The list of a collection has no parameter `collection`. */
export type ProductQuery = QueryOf<Omit<typeof productListParameters, 'collection'>> & {
  readonly collection?: string | undefined
}

/** A query without the filters by a facet. */
export function withoutFacet(query: ProductQuery, facet: string | null): ProductQuery {
  const { group, key } = (facet === null ? null : facetIn(facet)) ?? {}
  if (!group) return query
  const values: Readonly<Record<string, unknown>> = query
  const remaining = facetParameters[group].map((name) => {
    if (!key) return [name, undefined]
    const { [key]: _, ...others } = Object(values[name])
    return [name, others]
  })
  return { ...query, ...Object.fromEntries(remaining) }
}

/** Converts the filters of a list to conditions on `products`, without those of a facet. */
export function filterConditions(allFilters: ProductQuery, facet: string | null = null): SQL[] {
  const query = withoutFacet(allFilters, facet)
  const variants = variantFilters(query)
  const isDeep = query['category[descendants]'] === 'true'
  return [
    ...list.conditions(query),
    ...(variants.length > 0
      ? [
          productIdIn(
            sql`select product_id from (${variants.length === 1 ? variants[0] : variantsPassing(variants)}) as matching`,
          ),
        ]
      : []),
    ...Object.entries(query['fields[*][]'] ?? {}).map(([key, values]) =>
      productIdIn(sql`select product_id from product_values ${valuesOf(`fields.${key}`, values)}`),
    ),
    ...where(query['vendor[]'], (values) => sql`products.vendor = any(${textArray(values)})`),
    ...where(query['productType[]'], (values) => sql`products.product_type = any(${textArray(values)})`),
    ...where(query.tag, (value) => withTag(sql`tag = ${value}`)),
    ...where(query['tag[]'], (values) => withTag(sql`tag = any(${textArray(values)})`)),
    ...where(query.channel, (value) =>
      productIdIn(
        sql`select product_id from product_channels where tenant_id = current_tenant() and channel = ${value}`,
      ),
    ),
    ...where(query.category, (id) => inCategory([id], isDeep)),
    ...where(query['category[]'], (ids) => inCategory(ids, isDeep)),
    ...where(query.collection, inCollection),
  ]
}

/** Selects rows of `product_values`. */
const valuesOf = (name: string, values: readonly string[]) =>
  sql`where tenant_id = current_tenant() and name = ${name} and value ${values.length === 1 ? sql`= ${values[0]}` : sql`= any(${textArray(values)})`}`

/** Selects `product_id` and `variants` for each filter by variants: a bit for each active variant of the product, as in `product_values`. */
function variantFilters({ sku, barcode, ...query }: ProductQuery): SQL[] {
  const codes = [
    ...where(sku, (value) => sql`v.sku = ${value}`),
    ...where(barcode, (value) => sql`v.barcode = ${value}`),
  ]
  const position = sql`set_bit(repeat('0', (
    select max(o.position) + 1 from variants o where o.tenant_id = v.tenant_id and o.product_id = v.product_id))::varbit, v.position, 1)`
  return [
    ...Object.entries(query['option[*][]'] ?? {}).map(
      ([title, values]) =>
        sql`select product_id, variants from product_values ${valuesOf(`option.${title}`, values)}`,
    ),
    ...(codes.length > 0
      ? [
          sql`select v.product_id, ${position} as variants from variants v
            where v.tenant_id = current_tenant() and v.status = 'ACTIVE' and ${sql.join(codes, sql` and `)}`,
        ]
      : []),
  ]
}

/** Selects each product of which one variant passes all filters, with these variants. */
function variantsPassing(filters: readonly SQL[]): SQL {
  return filters
    .map(
      (rows) =>
        sql`select product_id, bit_or(variants) as variants from (${rows}) as matching group by product_id`,
    )
    .reduce(
      (
        passing,
        filter,
      ) => sql`select product_id, f.variants & g.variants as variants from (${passing}) as f join (${filter}) as g using (product_id)
        where bit_count(f.variants & g.variants) > 0`,
    )
}

/** Selects the products of which one variant passes all filters by variants except those of a facet. Null without such filters. */
export function variantsWithout(query: ProductQuery, facet: string): SQL | null {
  const filters = variantFilters(withoutFacet(query, facet))
  return filters.length > 0 ? variantsPassing(filters) : null
}

/** Products from which filters by variants are looked up for each row; of fewer products, the passing variants are read first. */
const wideProducts = 1000

/** Null without filters by variants. */
export function variantMatch(query: ProductQuery): VariantMatch | null {
  const filters = variantFilters(query)
  if (filters.length === 0) return null
  const hasBit = sql`case when v.position < bit_length(passing.variants) then get_bit(passing.variants, v.position) = 1 else false end`
  const passing = variantsPassing(filters)
  return {
    passes: (row) =>
      sql.join(
        filters.map(
          (
            rows,
          ) => sql`coalesce((select true from (${rows}) as passing join variants v on v.tenant_id = current_tenant() and v.id = ${row}.variant_id
            where passing.product_id = ${row}.product_id and ${hasBit} limit 1), false)`,
        ),
        sql` and `,
      ),
    commonTables: sql`matching_variants as materialized (
      select v.id from (${passing}) as passing
        join variants v on v.tenant_id = current_tenant() and v.product_id = passing.product_id and v.status = 'ACTIVE'
       where ${hasBit}),
      variant_range as materialized (
        select count(*) >= ${wideProducts} as is_wide from (select from (${passing}) as passing limit ${wideProducts}) as counted),`,
  }
}

/** The values by which a query filters the property of a facet. */
export function filterValues(query: ProductQuery, facet: string): readonly string[] {
  const values: Readonly<Record<string, unknown>> = query
  const { group, key } = facetIn(facet) ?? {}
  if (!group) return []
  return facetParameters[group]
    .flatMap((name) => (key ? (Object(values[name])[key] ?? []) : (values[name] ?? [])))
    .map(String)
}

const unknownName = { name: z.string(), choices: z.array(z.string()).readonly() }

/** The most choices that a violation lists. */
const listedChoices = 20

/**
 * Looks up the options and custom fields that a query names. @throws Problem 422 for those that no product has. For the public, these
 * match nothing, because the names of unpublished products are not shown.
 */
export function knownNamesQuery(
  query: ProductQuery,
  { isPublic }: Pick<Access, 'isPublic'>,
): DatabaseQuery<null> {
  const named = openNames(query)
  if (named.length === 0 || isPublic) return noQuery
  const choices = distinctValues(
    'product_values',
    'name',
    sql`name > sent.kind || '.' and name < sent.kind || '/'`,
    listedChoices + 1,
  )
  const rows = statement(unknownName)`
    select sent.name, array(${choices}) as choices
      from (select n.name, split_part(n.name, '.', 1) as kind from unnest(${textArray(named.map(({ name }) => name))}) as n(name)) as sent
     where (select min(r.value) from product_values r where r.tenant_id = current_tenant() and r.name = sent.name) is null`
  return mapQuery(combineQueries({ rows }), (result) => {
    throwViolations(
      named.flatMap(({ name, parameter, isFacet }) => {
        const row = result.rows.find((candidate) => candidate.name === name)
        const choices = row?.choices.map((choice) =>
          isFacet ? choice : choice.slice(choice.indexOf('.') + 1),
        )
        return choices ? validationProblems.choice.at(parameter, { choices: listOf(choices) }) : []
      }),
    )
    return null
  })
}

function listOf(choices: readonly string[]): string {
  const listed = choices.slice(0, listedChoices).join(', ') || '–'
  return choices.length > listedChoices ? `${listed}, …` : listed
}

/** The options and custom fields that a query names, as in `product_values`, with the parameters that name them. */
function openNames(query: ProductQuery) {
  const filters = (['option', 'fields'] as const).flatMap((kind) =>
    Object.keys(query[`${kind}[*][]`] ?? {}).map((key) => ({
      name: `${kind}.${key}`,
      parameter: `${kind}[${key}][]`,
      isFacet: false,
    })),
  )
  const counted = (query['facets[]'] ?? []).flatMap((name, index) =>
    facetIn(name)?.key ? { name, parameter: `facets[][${index}]`, isFacet: true } : [],
  )
  return [...filters, ...counted]
}

/** The condition of a parameter, if the query has it. */
function where<Parsed>(value: Parsed | undefined, condition: (value: Parsed) => SQL): SQL[] {
  return value === undefined ? [] : [condition(value)]
}

const productIdIn = (ids: SQL) => sql`products.id in (${ids})`

const withTag = (condition: SQL) =>
  productIdIn(sql`select product_id from product_tags where tenant_id = current_tenant() and ${condition}`)

/** Selects categories one level at a time into an array. With a join, the planner relies on its estimate of their number. */
function inCategory(ids: readonly string[], isDeep: boolean): SQL {
  const [first = ''] = ids
  const isOne = ids.length === 1
  const start = isOne ? sql`select ${first}::uuid` : sql`select unnest(${uuidArray(ids)})`
  const itself = isOne ? sql`${first}::uuid` : sql`any(${uuidArray(ids)})`
  const below = sql`any(array(with recursive below(id) as (${start} union all select c.id from below cross join lateral (
    select id from categories where tenant_id = current_tenant() and parent_id = below.id offset 0) c) select id from below))`
  return productIdIn(sql`select product_id from product_categories where tenant_id = current_tenant()
    and category_id = ${isDeep ? below : itself}`)
}

/** Hides archived products unless the query includes them, and from the public all that are not published. */
export function visibleProducts(query: ProductQuery, { isPublic }: Pick<Access, 'isPublic'>): SQL[] {
  if (isPublic) return [isPublished]
  return query.status === undefined && !includesArchived(query) ? [sql`products.status <> 'ARCHIVED'`] : []
}
