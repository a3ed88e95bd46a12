import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type RowDocument, sized, type Value } from '../../core/document.ts'
import { levelsOf } from '../../core/expand.ts'
import { byteLimits } from '../../core/limits.ts'
import { listQuery } from '../../core/list-query.ts'
import { type Locale, translated } from '../../core/locale.ts'
import type { Answer, Context, Input, QueryOf } from '../../core/operation.ts'
import { type LockedRow, type Stamps, withStamps } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { type SelectedMembers, selects } from '../../core/select.ts'
import { violation } from '../../core/violations.ts'
import { documentColumn, rowBytes, textsColumn, translationsRow } from '../../db/columns.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import { textArray, uuidArray, withSequence } from '../../db/sql.ts'
import { listing, listParameters, newestFirst, source } from '../shared/list.ts'
import { externalId, referenceParameter, shortText } from '../shared/properties.ts'
import { type CategoryParts, type CategoryRow, categoryDocument, categoryRow } from './document.ts'
import { categoryProblems } from './problems.ts'
import { categoryIri, expandParameter, type readParameters } from './schema.ts'
import { categories } from './table.ts'
import { childrenOf } from './tree.ts'

/** Reads any number of categories with their ancestors and children in one statement. */

/** Options for reading categories. */
export type CategoryReadOptions = {
  readonly locale: Locale
  /** Number of levels of children to embed; 0 returns IRIs. */
  readonly expand: number
  /** True to read all translations whatever the locale. A write needs them to merge. */
  readonly translations?: boolean
  /** Maximum number of children to return by id. Defaults to the number that a list shows. */
  readonly children?: number
  /** Null reads all members. The list query has already limited the size of such a page. */
  readonly selectedMembers?: SelectedMembers
  /** True if other resources embed these categories. Categories over the byte limit are then shown as IRIs. */
  readonly embedded?: boolean
}

/** Byte limits for stored descendants that are embedded, and for requested categories read with all members. */
const maxDescendantBytes = 4_000_000
const maxRequestedBytes = 9_000_000

/** Reads categories by id (`ids`: a subquery), with children embedded to the requested depth. */
export function categoriesQuery(
  ids: SQL,
  options: CategoryReadOptions,
): DatabaseQuery<Map<string, CategoryParts>> {
  return mapQuery(combineQueries({ rows: categoryStatement(ids, options) }), ({ rows }) =>
    categoriesOf(rows, options),
  )
}

/** Reads categories by their ids, to embed them. */
export function embeddedCategoriesQuery(
  ids: readonly string[],
  options: CategoryReadOptions,
): DatabaseQuery<Map<string, CategoryParts>> {
  if (ids.length === 0) return mapQuery(noQuery, () => new Map())
  return categoriesQuery(sql`select unnest(${uuidArray(ids)})`, { ...options, embedded: true })
}

/** Selects categories (`ids`: a subquery). Pass the rows to `categoriesOf`. */
export function categoryStatement(ids: SQL, options: CategoryReadOptions) {
  const { selectedMembers = null } = options
  return statement(categoryRow)`
    select id, ${documentColumn(sql`c.document`, selectedMembers)}, ${textsColumn(sql`c.translations`, selectedMembers)}, metaobjects,
           parent_id as "parentId", position, level, version,
           created_at as "createdAt", updated_at as "updatedAt", ancestors, children, children_total as "childrenTotal"
      from ${rowsOf(ids, options)} c`
}

function rowsOf(ids: SQL, options: CategoryReadOptions): SQL {
  const { locale, expand, children = byteLimits.children.list } = options
  const { selectedMembers = null, embedded = false } = options
  const [requestedBytes, descendantBytes] = embedded
    ? [byteLimits.readCategories, byteLimits.readCategories]
    : [selectedMembers === null ? maxRequestedBytes : unbounded, maxDescendantBytes]
  return sql`read_categories(array(${ids}), ${expand}::int, ${children}::int, ${options.translations || !locale.stored}::boolean,
                           ${selects(selectedMembers, 'fields')}::boolean, ${requestedBytes}::bigint, ${descendantBytes}::bigint)`
}

/** No limit: the list query has already limited the size of the page. */
const unbounded = Number.MAX_SAFE_INTEGER

/** True for a requested category, false for a descendant that is read only to be embedded. */
const hasAncestors = <Document extends RowDocument>(
  row: CategoryRow<Document>,
): row is CategoryRow<Document> & CategoryParts<Document> => row.ancestors !== null

/** Assembles the requested categories by id, with their children embedded to the depth that was read. */
export function categoriesOf<Document extends RowDocument>(
  rows: readonly CategoryRow<Document>[],
  { expand }: Pick<CategoryReadOptions, 'expand'>,
): Map<string, CategoryParts<Document>> {
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  if (expand === 0) return new Map([...rowsById.values()].filter(hasAncestors).map((row) => [row.id, row]))
  const assemble = (
    row: CategoryRow<Document>,
    ancestors: readonly string[],
    deeper: number,
  ): CategoryParts<Document> => ({
    ...row,
    ancestors,
    children:
      row.children?.map((id) => {
        const child = deeper === 0 ? undefined : rowsById.get(id)
        return child ? assemble(child, [...ancestors, row.id], deeper - 1) : id
      }) ?? null,
  })
  return new Map(
    [...rowsById.values()].flatMap((row) =>
      row.ancestors ? [[row.id, assemble(row, row.ancestors, expand)] as const] : [],
    ),
  )
}

/** Options for reads of a write: all translations, to merge them and to replay the response in another locale. */
export function writeReadOptions(context: Context, expand: number): CategoryReadOptions {
  return { locale: context.locale, expand, translations: true, children: byteLimits.children.item }
}

/**
 * Returns the categories after a write, by id. Combines the returned rows with the version and times of the write.
 */
export function categoriesAfterWrite(
  rows: readonly CategoryRow[],
  stamps: Stamps,
  options: CategoryReadOptions,
): (id: string) => CategoryParts {
  const categoriesById = categoriesOf(rows, options)
  return (id) => {
    const parts = categoriesById.get(id)
    if (!parts) throw new Error('a category that was written was not read')
    return withStampsInTree(parts, stamps)
  }
}

function withStampsInTree(parts: CategoryParts, stamps: Stamps): CategoryParts {
  const { children } = parts
  return {
    ...withStamps(parts, stamps),
    children:
      children?.map((child) => (typeof child === 'string' ? child : withStampsInTree(child, stamps))) ?? null,
  }
}

const list = listing(categories, {
  orders: ['createdAt', 'updatedAt', 'title', 'position', 'id'],
  equal: ['handle', 'level', 'externalId'],
})

export const categoryListParameters = listParameters(list, {
  expand: expandParameter,
  parent: z
    .union([referenceParameter('/api/categories'), z.literal('null')])
    .optional()
    .meta({ description: 'Only the children of this category, in their order; `null` for the roots.' }),
  handle: shortText.optional(),
  level: z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text), violation(validationProblems.not_integer.at('')))
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Only categories of this level; 0 are the roots.' }),
  externalId: externalId.optional(),
})

type ListQuery = { query: typeof categoryListParameters }

export async function listCategories(context: Context, { query }: Input<ListQuery>): Promise<Answer> {
  const { locale, selectedMembers } = context
  // A page of selected members has no children.
  const expand = selectedMembers === null ? levelsOf(query.expand) : 0
  const options = { locale, selectedMembers, expand }
  const { parent } = query
  const page = list.page(context, query, parent === undefined ? newestFirst : [['position', 'asc']])
  const siblings = parent === undefined ? [] : [childrenOf(parent === 'null' ? null : parent)]
  const document = documentColumn(sql`document`, selectedMembers)
  const columns = locale.stored
    ? sql`id, ${document}`
    : sql`id, ${document}, ${textsColumn(sql`translations`, selectedMembers)}`
  const { query: categoryRows } = categoryStatement(sql`select id from page`, options)
  const result = await context.db.read({
    list: listQuery(page, {
      row: categoryRow,
      ...source(categories, [...siblings, ...list.conditions(query)], { joins: page.joins }),
      columns,
      bytes: locale.stored ? rowBytes() : rowBytes(sql`translations`),
      outputRows: sql`select category.*, page.keys, page.found, page.nth
        from (${categoryRows}) as category left join page on page.id = category.id`,
    }),
  })
  const { rows, read, paging, sequence } = result.list
  const parts = categoriesOf(read, options)
  return {
    kind: 'collection',
    members: rows.flatMap(({ id }) => {
      const category = parts.get(id)
      return category ? [categoryDocument(category, locale)] : []
    }),
    ...paging,
    sequence,
  }
}

/** The id of a category, or its path: the handles of the categories above it and its own, root first. */
type CategoryName = { readonly id: string } | { readonly path: string }

/** Selects the id of the category with a name. A handle belongs to one category, so the path has to be that of this one. */
function idsOf(name: CategoryName): SQL {
  if ('id' in name) return sql`select ${name.id}::uuid`
  const above = name.path.split('/')
  const handle = above.pop()
  return sql`select c.id from categories c
     where c.tenant_id = current_tenant() and c.handle = ${handle} and array(
       select (select k.handle from categories k where k.tenant_id = current_tenant() and k.id = above.id)
         from unnest(ancestors_of(c.id)) with ordinality as above(id, place) order by above.place) = ${textArray(above)}`
}

const breadcrumbRow = { id: z.string(), handle: z.string(), texts: translationsRow }

/** The lists of breadcrumbs of categories, in the same order. A list is empty if it and those before it exceed the byte limit. */
type Breadcrumbs = (categories: readonly Pick<CategoryParts, 'id' | 'ancestors'>[]) => Value[][]

/** Reads the titles of categories (`ids`: a subquery) and of those above them. Undefined if the request has no `breadcrumbs`. */
export function breadcrumbsQuery(
  ids: SQL,
  { breadcrumbs }: Pick<QueryOf<typeof readParameters>, 'breadcrumbs'>,
  { locale, selectedMembers, access }: Context,
): DatabaseQuery<Breadcrumbs | undefined> {
  const isRead = breadcrumbs === 'true' && selects(selectedMembers, 'breadcrumbs')
  if (!isRead || !access.may('categories:read')) return mapQuery(noQuery, () => undefined)
  const rows = statement(breadcrumbRow)`
    select k.id, k.handle, (select jsonb_object_agg(t.key, jsonb_build_object('title', t.value -> 'title'))
                              from jsonb_each(k.translations) t where t.value ->> 'title' is not null) as texts
      from (select distinct unnest(ancestors_of(of.id) || of.id) as id from (${ids}) as of(id)) path
     cross join lateral (select * from categories k where k.tenant_id = current_tenant() and k.id = path.id limit 1) k`
  return mapQuery(combineQueries({ rows }), (result) => {
    const links = new Map(
      result.rows.map(({ id, handle, texts }) => {
        const title = translated(texts, 'title', locale.chain)
        const isFallback = title !== null && title.locale !== locale.requested
        const link = {
          '@id': categoryIri(id),
          '@type': 'Category',
          title: title?.value ?? null,
          handle,
          ...(isFallback && { fallbacks: { title: title.locale } }),
        }
        return [id, link]
      }),
    )
    let remainingBytes = byteLimits.embedded
    return (categories) =>
      categories.map(({ id, ancestors }) => {
        const list = [...ancestors, id].flatMap((each) => links.get(each) ?? [])
        remainingBytes -= sized(list).bytes
        return remainingBytes < 0 ? [] : list
      })
  })
}

/** Reads one category. @throws 404 `category.not_found` */
export async function getCategory(
  context: Context,
  { params, query }: { params: CategoryName } & Pick<Input<{ query: typeof readParameters }>, 'query'>,
): Promise<Answer> {
  const options = {
    locale: context.locale,
    expand: levelsOf(query.expand),
    children: byteLimits.children.item,
  }
  const ids = idsOf(params)
  const { result, breadcrumbsOf } = await context.db.read({
    result: withSequence(categoryStatement(ids, options)),
    breadcrumbsOf: breadcrumbsQuery(ids, query, context),
  })
  const [category] = categoriesOf(result.rows, options).values()
  if (!category) {
    const isPath = 'path' in params
    const help =
      'No category of this tenant has this handle below these others. A path has the handle of each category, the root first.'
    throw categoryProblems.not_found({ id: isPath ? params.path : params.id }, isPath ? { help } : {})
  }
  return {
    kind: 'item',
    document: categoryDocument({ ...category, breadcrumbs: breadcrumbsOf?.([category])[0] }, context.locale),
    version: category.version,
    sequence: result.sequence,
    ...('path' in params && { contentLocation: `/api/categories/by-path/${params.path}` }),
  }
}

/**
 * Locks categories that rows of a write refer to. Postgres locks them again under the tenant's clock, where it checks the
 * foreign keys. Without these locks it could wait there for a write of the category, which waits for the clock.
 */
export function categoryGuards(ids: readonly string[]): LockedRow[] {
  return [...new Set(ids)].map((id) => ({ kind: 'categories', id, version: null }))
}
