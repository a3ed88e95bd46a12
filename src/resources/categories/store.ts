/** Reading categories with their ancestors and children, however many, in one statement. */
import { type SQL, sql } from 'drizzle-orm'
import { budgets } from '../../core/budgets.ts'
import type { Locale } from '../../core/locale.ts'
import type { Outline } from '../../core/outline.ts'
import { type Statement, statement } from '../../db/client.ts'
import { documentColumn, instantText, textsColumn } from '../../db/columns.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { metaobjectsIn } from '../content/custom-fields/index.ts'
import type { CategoryParts } from './document.ts'

/** In which form categories are read. */
export type CategoryForm = {
  readonly locale: Locale
  /** How many levels of children are embedded; 0 for IRIs. */
  readonly expand: number
  /** All translations whatever the locale, for a write that has to merge them. */
  readonly translations?: boolean
  /** How many children are told by id, where there are no more; as many as a list shows when absent. */
  readonly children?: number
  /** What is read of each, where that is a page of their own that has been weighed already. */
  readonly outline?: Outline
  /** True where they are embedded in others, which show IRIs of those that are too much to be read. */
  readonly embedded?: boolean
}

/** A category as it is read, before what it embeds is put into it. */
export type CategoryRow = Omit<CategoryParts, 'children' | 'ancestors'> & {
  /** Null where there are more than were asked for. */
  readonly children: readonly string[] | null
  /** Null where it was read as another's descendant: its parent's ancestors and its parent are its own. */
  readonly ancestors: readonly string[] | null
}

/** Stored bytes of descendants that are read to be embedded, and of the asked ones where these are a page of their own. */
const readDescendants = 4_000_000
const readAsked = 9_000_000

/** Reads some categories (`of`: a subquery of ids) by id, each with its children embedded as deep as was asked. */
export function categoriesReading(of: SQL, form: CategoryForm): Reading<Map<string, CategoryParts>> {
  return made(gathered({ rows: categoryStatement(of, form) }), ({ rows }) => categoriesOf(rows, form))
}

/** The statement that reads some categories (`of`: a subquery of ids). Its rows go to `categoriesOf`. */
export function categoryStatement(
  of: SQL,
  {
    locale,
    expand,
    translations,
    children = budgets.children.list,
    outline = null,
    embedded = false,
  }: CategoryForm,
): Statement<CategoryRow> {
  const translated = translations || !locale.stored
  const size = sql`octet_length(c.document) + ${translated ? sql`octet_length(c.translations::text)` : sql`0`}`
  const isRead = embedded
    ? sql`c.before < ${budgets.readCategories}`
    : sql`c.before < case when c.depth = 0 then ${readAsked}::bigint else ${readDescendants}::bigint end`
  const within = (column: SQL) => sql`case when ${isRead} then ${column} end`
  const document =
    outline === null ? sql`${within(sql`c.document`)} as document` : documentColumn(sql`c.document`, outline)
  const texts =
    outline === null
      ? sql`${within(sql`c.translations`)} as translations`
      : textsColumn(sql`c.translations`, outline)
  // Each row is looked up by its key: joined, the planner would go by how many rows it believes a tenant to have.
  const byId = (columns: SQL, id: SQL) =>
    sql`lateral (select ${columns} from categories where tenant_id = current_tenant() and id = ${id} limit 1)`
  return statement<CategoryRow>(sql`
      with recursive asked(id) as (${of}), tree(id, depth) as (
        select id, 0 from asked
        union
        select c.id, tree.depth + 1 from tree cross join lateral (
          select id from categories where tenant_id = current_tenant() and parent_id = tree.id
           order by position limit ${budgets.children.item}
        ) c where tree.depth < ${expand}::int
      ), above(start, id, away) as (
        select c.id, c.parent_id, 1 from (select distinct id from asked) a cross join ${byId(sql`id, parent_id`, sql`a.id`)} c
         where c.parent_id is not null
        union all
        select above.start, c.parent_id, above.away + 1 from above cross join ${byId(sql`parent_id`, sql`above.id`)} c
         where c.parent_id is not null
      ), paths as (select start, json_agg(id order by away desc) as ids from above group by start),
      reached as (select id, min(depth) as depth from tree group by id),
      sized as (
        -- What is stored before each, the asked ones first: so much at most is moved, however much there is.
        select c.*, reached.depth, coalesce(sum(${size}) over (order by reached.depth, c.level, c.position, c.id
                 rows between unbounded preceding and 1 preceding), 0) as before
          from reached cross join ${byId(sql`*`, sql`reached.id`)} c
      )
      select c.id, ${document},
             ${translated ? texts : sql`null::jsonb as translations`},
             ${metaobjectsIn(outline)}, c.parent_id as "parentId", c.position, c.level, c.version,
             ${instantText(sql`c.created_at`)} as "createdAt", ${instantText(sql`c.updated_at`)} as "updatedAt",
             case when c.depth = 0 then coalesce(paths.ids, '[]') end as ancestors,
             case when k.found <= ${children} then k.ids end as children,
             case when k.found <= ${children} then k.found else (select count(*)::int from categories n
               where n.tenant_id = current_tenant() and n.parent_id = c.id) end as "childrenTotal"
        from sized c
       cross join lateral (
         select count(*)::int as found, coalesce(json_agg(first.id order by first.position), '[]') as ids from (
           select n.id, n.position from categories n where n.tenant_id = current_tenant() and n.parent_id = c.id
            order by n.position limit ${children + 1}
         ) first
       ) k
        left join paths on paths.start = c.id
       where c.depth = 0 or ${isRead}`)
}

/** The asked categories by id, each with its children embedded as deep as they were read. */
export function categoriesOf(
  rows: readonly CategoryRow[],
  { expand }: Pick<CategoryForm, 'expand'>,
): Map<string, CategoryParts> {
  const read = new Map(rows.map((row) => [row.id, row]))
  const assemble = (row: CategoryRow, ancestors: readonly string[], deeper: number): CategoryParts => ({
    ...row,
    ancestors,
    children:
      row.children?.map((id) => {
        const child = deeper === 0 ? undefined : read.get(id)
        return child ? assemble(child, [...ancestors, row.id], deeper - 1) : id
      }) ?? null,
  })
  return new Map(
    [...read.values()].flatMap((row) =>
      row.ancestors ? [[row.id, assemble(row, row.ancestors, expand)] as const] : [],
    ),
  )
}
