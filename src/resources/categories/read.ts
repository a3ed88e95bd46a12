import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { RowDocument } from '../../core/document.ts'
import { byteLimits } from '../../core/limits.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Locale } from '../../core/locale.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { planPage } from '../../core/paging.ts'
import { type LockedRow, type Stamps, withStamps } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { type SelectedMembers, selects } from '../../core/select.ts'
import { violation } from '../../core/violations.ts'
import { documentColumn, rowBytes, textsColumn } from '../../db/columns.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import { withSequence } from '../../db/sql.ts'
import { reorder, run, uuidArray, type WriteStep } from '../../db/write-steps.ts'
import { listing, listParameters, newestFirst, source } from '../shared/list.ts'
import { externalId, referenceParameter, shortText } from '../shared/properties.ts'
import { type CategoryParts, type CategoryRow, categoryDocument, categoryRow } from './document.ts'
import { categoryProblems } from './problems.ts'
import { expandParameter, levelsOf } from './schema.ts'
import { categories } from './table.ts'

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

/** Reads categories by id (`of`: a subquery of ids), with children embedded to the requested depth. */
export function categoriesQuery(
  of: SQL,
  options: CategoryReadOptions,
): DatabaseQuery<Map<string, CategoryParts>> {
  return mapQuery(combineQueries({ rows: categoryStatement(of, options) }), ({ rows }) =>
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

/** Selects categories (`of`: a subquery of ids). Pass the rows to `categoriesOf`. */
export function categoryStatement(of: SQL, options: CategoryReadOptions) {
  const { selectedMembers = null } = options
  return statement(categoryRow)`
    select id, ${documentColumn(sql`c.document`, selectedMembers)}, ${textsColumn(sql`c.translations`, selectedMembers)}, metaobjects,
           parent_id as "parentId", position, level, version,
           coalesce(created_at, '') as "createdAt", coalesce(updated_at, '') as "updatedAt", ancestors, children, children_total as "childrenTotal"
      from ${rowsOf(of, options)} c`
}

function rowsOf(of: SQL, options: CategoryReadOptions): SQL {
  const { locale, expand, children = byteLimits.children.list } = options
  const { selectedMembers = null, embedded = false } = options
  const [requestedBytes, descendantBytes] = embedded
    ? [byteLimits.readCategories, byteLimits.readCategories]
    : [selectedMembers === null ? maxRequestedBytes : unbounded, maxDescendantBytes]
  return sql`read_categories(array(${of}), ${expand}::int, ${children}::int, ${options.translations || !locale.stored}::boolean,
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
  return {
    locale: context.locale,
    expand,
    translations: true,
    children: byteLimits.children.item,
  }
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
  const page = planPage(
    query,
    context.url,
    list.orders,
    parent === undefined ? newestFirst : [['position', 'asc']],
  )
  const siblings = parent === undefined ? [] : [childrenOf(parent === 'null' ? null : parent)]
  const document = documentColumn(sql`document`, selectedMembers)
  const columns = locale.stored
    ? sql`id, ${document}`
    : sql`id, ${document}, ${textsColumn(sql`translations`, selectedMembers)}`
  const { query: categoryRows } = categoryStatement(sql`select id from page`, options)
  const result = await context.db.read({
    list: listQuery(page, {
      row: categoryRow,
      ...source(categories, [...siblings, ...list.conditions(query)]),
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

export async function getCategory(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: { expand: typeof expandParameter } }>,
): Promise<Answer> {
  const expand = levelsOf(query.expand)
  const options = { locale: context.locale, expand, children: byteLimits.children.item }
  const { result } = await context.db.read({
    result: withSequence(categoryStatement(sql`select ${id}::uuid`, options)),
  })
  const category = categoriesOf(result.rows, options).get(id)
  if (!category) throw categoryProblems.not_found({ id })
  const document = categoryDocument(category, context.locale)
  return { kind: 'item', document, version: category.version, sequence: result.sequence }
}

/**
 * Statements on the category tree.
 * All except the reads run under the tenant's tree lock, so their results stay valid until the commit.
 */

/** Locks the whole tree, so that writes that move, add or remove categories run one at a time. */
export const treeGuard: LockedRow = {
  kind: 'category_tree',
  id: '00000000-0000-0000-0000-000000000000',
  version: null,
}

/** A category of the tree, as the rules need it. */
export type Node = RowOf<typeof nodeColumns>
const { id, parentId, level, version } = categoryRow
const nodeColumns = { id, parentId, level, version }

/** Reads categories, all their ancestors, and the children of `childrenOf`. */
export function nodesStatement(ids: readonly string[], childrenOf: string | null = null): Statement<Node> {
  return statement(nodeColumns)`
    with recursive up(id) as (
      select unnest(${uuidArray(ids)})
      union
      select c.parent_id from up join categories c on c.tenant_id = current_tenant() and c.id = up.id
       where c.parent_id is not null
    )
    select c.id, c.parent_id as "parentId", c.level, c.version from categories c
     where c.tenant_id = current_tenant() and c.id in (
       select id from up union all
       select k.id from categories k where k.tenant_id = current_tenant() and k.parent_id = ${childrenOf}::uuid)`
}

export type ChildrenRow = RowOf<typeof childrenColumns>
const childrenColumns = { parentId, children: z.number() }

/** Counts the children of each parent; null counts the roots. */
export function childrenStatement(parents: readonly (string | null)[]): Statement<ChildrenRow> {
  return statement(childrenColumns)`
    select p.id as "parentId",
           (case when p.id is null then ${nextPosition(sql`parent_id is null`)} else ${nextPosition(sql`parent_id = p.id`)} end)::int as children
      from unnest(${`{${parents.map((parent) => parent ?? 'null').join(',')}}`}::uuid[]) as p(id)`
}

const siblingsColumn = { siblings: z.number() }

/** Counts the siblings of a category, including itself. */
export function siblingsStatement(id: string): Statement<{ siblings: number }> {
  return statement(siblingsColumn)`
    select (case when me.parent_id is null then ${nextPosition(sql`parent_id is null`)} else ${nextPosition(sql`parent_id = me.parent_id`)} end)::int as siblings
      from categories me where me.tenant_id = current_tenant() and me.id = ${id}::uuid`
}

/** The condition that selects the children of a parent; null selects the roots. */
function childrenOf(parentId: string | null): SQL {
  return parentId === null ? sql`parent_id is null` : sql`parent_id = ${parentId}::uuid`
}

/** The position after the last sibling. */
function nextPosition(siblings: SQL): SQL {
  return sql`(select coalesce(max(position) + 1, 0) from categories where tenant_id = current_tenant() and ${siblings})`
}

/** Moves categories after the last children of a parent, in array order. Their levels are not updated yet. */
export function reparent(ids: readonly string[], parentId: string | null): WriteStep[] {
  if (ids.length === 0) return []
  return [
    run(sql`
      update categories c set parent_id = ${parentId}::uuid, position = ${nextPosition(childrenOf(parentId))} + m.n - 1
        from unnest(${uuidArray(ids)}) with ordinality as m(id, n)
       where c.tenant_id = current_tenant() and c.id = m.id`),
  ]
}

/** Aborts the batch with `category.cycle` if a category has become its own ancestor. */
export function rejectCycles(ids: readonly string[]): WriteStep {
  return run(sql`
    with recursive up(start, id) as (
      select id, parent_id from categories where tenant_id = current_tenant() and id = any(${uuidArray(ids)}) and parent_id is not null
      union
      select up.start, c.parent_id from up join categories c on c.tenant_id = current_tenant() and c.id = up.id
       where c.parent_id is not null
    )
    select reject('PC422', 'category.cycle') from up where up.start = up.id`)
}

/** Aborts the batch with `category.children` if the children of a category differ from `childIds` or their order. */
export function rejectOtherChildren(id: string, childIds: readonly string[]): WriteStep {
  return run(sql`
    select reject('PC409', 'category.children')
     where array(select c.id from categories c where c.tenant_id = current_tenant() and c.parent_id = ${id}::uuid order by c.position)
           <> ${uuidArray(childIds)}`)
}

/** Updates the levels of moved categories and their descendants. The check constraint limits the depth. */
export function updateLevels(ids: readonly string[]): WriteStep {
  return run(sql`
    with recursive moved(id) as (select unnest(${uuidArray(ids)})), up(start, id) as (
      select c.id, c.parent_id from categories c
       where c.tenant_id = current_tenant() and c.id in (select id from moved) and c.parent_id is not null
      union all
      select up.start, c.parent_id from up join categories c on c.tenant_id = current_tenant() and c.id = up.id
       where c.parent_id is not null
    ), below(id, level) as (
      select c.id, coalesce(p.level + 1, 0) from categories c
        left join categories p on p.tenant_id = current_tenant() and p.id = c.parent_id
       where c.tenant_id = current_tenant() and c.id in (select id from moved)
         and c.id not in (select start from up where id in (select id from moved))
      union all
      select c.id, below.level + 1 from below join categories c on c.tenant_id = current_tenant() and c.parent_id = below.id
    )
    update ${categories} c set level = below.level from below
     where c.tenant_id = current_tenant() and c.id = below.id and c.level <> below.level
       -- Without this condition the planner expects a large subtree and reads the whole tenant.
       and c.id = any(array(select id from below))`)
}

/** Closes the gaps that removed children left under their former parents. */
export function closeGaps(parents: readonly (string | null)[]): WriteStep[] {
  return parents.map((parent) => reorder(categories, parent))
}
