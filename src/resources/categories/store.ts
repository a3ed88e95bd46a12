/** Reading categories with their ancestors and children, however many, in one statement. */
import { type SQL, sql } from 'drizzle-orm'
import type { Locale } from '../../core/locale.ts'
import { type Statement, statement } from '../../db/client.ts'
import { instantText } from '../../db/columns.ts'
import { metaobjectsColumn } from '../custom-fields/index.ts'
import type { CategoryParts } from './document.ts'
import { categories } from './table.ts'

/** In which form categories are read. */
export type CategoryReading = {
  readonly locale: Locale
  /** How many levels of children are embedded; 0 for IRIs. */
  readonly expand: number
  /** All translations whatever the locale, for a write that has to merge them. */
  readonly translations?: boolean
}

type CategoryRow = Omit<CategoryParts, 'children' | 'ancestors'> & {
  readonly children: readonly string[]
  /** Null where it was read as another's descendant: its parent's ancestors and its parent are its own. */
  readonly ancestors: readonly string[] | null
}

/** The statements that read some categories (`of`: a subquery of ids). Their rows go to `assembleCategories`. */
export function categoryStatements(
  of: SQL,
  { locale, expand, translations }: CategoryReading,
): Statement<CategoryRow>[] {
  return [
    statement(sql`
      with recursive asked(id) as (${of}), tree(id, depth) as (
        select id, 0 from asked
        union
        select c.id, tree.depth + 1 from tree join categories c on c.tenant_id = current_tenant() and c.parent_id = tree.id
         where tree.depth < ${expand}::int
      ), above(start, id, away) as (
        select c.id, c.parent_id, 1 from categories c
         where c.tenant_id = current_tenant() and c.id in (select id from asked) and c.parent_id is not null
        union all
        select above.start, c.parent_id, above.away + 1 from above join categories c on c.tenant_id = current_tenant() and c.id = above.id
         where c.parent_id is not null
      ), paths as (select start, json_agg(id order by away desc) as ids from above group by start),
      read as (select id, min(depth) as depth from tree group by id)
      select c.id, c.document, ${translations || !locale.stored ? sql`c.translations` : sql`null::jsonb as translations`},
             ${metaobjectsColumn}, c.parent_id as "parentId", c.position, c.level, c.version,
             ${instantText(sql`c.created_at`)} as "createdAt", ${instantText(sql`c.updated_at`)} as "updatedAt",
             case when read.depth = 0 then coalesce(paths.ids, '[]') end as ancestors,
             (select coalesce(json_agg(k.id order by k.position), '[]') from categories k
               where k.tenant_id = current_tenant() and k.parent_id = c.id) as children
        from read join ${categories} c on c.tenant_id = current_tenant() and c.id = read.id
        left join paths on paths.start = c.id`),
  ]
}

/** The asked categories by id, each with its children embedded as deep as they were read. */
export function assembleCategories(
  rows: readonly (readonly unknown[])[],
  { expand }: Pick<CategoryReading, 'expand' | 'locale'>,
): Map<string, CategoryParts> {
  const read = new Map((rows[0] as readonly CategoryRow[]).map((row) => [row.id, row]))
  const assemble = (row: CategoryRow, ancestors: readonly string[], deeper: number): CategoryParts => ({
    ...row,
    ancestors,
    children:
      deeper === 0
        ? row.children
        : row.children.flatMap((id) => {
            const child = read.get(id)
            return child ? assemble(child, [...ancestors, row.id], deeper - 1) : []
          }),
  })
  return new Map(
    [...read.values()].flatMap((row) =>
      row.ancestors ? [[row.id, assemble(row, row.ancestors, expand)] as const] : [],
    ),
  )
}
