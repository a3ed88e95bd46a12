/** The tree's statements. All but the readings run behind the tenant's tree lock, so what one of them finds stays true. */
import { type SQL, sql } from 'drizzle-orm'
import type { Guarded } from '../../core/write.ts'
import { type Statement, statement } from '../../db/client.ts'
import type { Translations } from '../../db/columns.ts'
import { place } from '../../db/place.ts'
import { uuids } from '../../db/rows.ts'
import { stepStatement } from '../../db/steps.ts'
import { categories } from './table.ts'

/** Guards the shape of the whole tree: writers that move, add or remove categories pass one at a time. */
export const treeGuard: Guarded = {
  kind: 'category_tree',
  id: '00000000-0000-0000-0000-000000000000',
  version: null,
}

/** What the rules need to know of a category that others refer to. */
export type Node = {
  readonly id: string
  readonly parentId: string | null
  readonly level: number
  readonly version: number
}

/** Reads categories, all above them, and the children of `childrenOf`. */
export function nodesStatement(ids: readonly string[], childrenOf: string | null = null): Statement<Node> {
  return statement<Node>(sql`
    with recursive up(id) as (
      select unnest(${uuids(ids)})
      union
      select c.parent_id from up join categories c on c.tenant_id = current_tenant() and c.id = up.id
       where c.parent_id is not null
    )
    select c.id, c.parent_id as "parentId", c.level, c.version from categories c
     where c.tenant_id = current_tenant() and c.id in (
       select id from up union all
       select k.id from categories k where k.tenant_id = current_tenant() and k.parent_id = ${childrenOf}::uuid)`)
}

export type ChildrenRow = { readonly parentId: string | null; readonly children: number }

/** How many children each of some parents has; those of null are the roots. */
export function childrenStatement(parents: readonly (string | null)[]): Statement<ChildrenRow> {
  return statement<ChildrenRow>(sql`
    select p.id as "parentId",
           (case when p.id is null then ${end(sql`parent_id is null`)} else ${end(sql`parent_id = p.id`)} end)::int as children
      from unnest(${`{${parents.map((each) => each ?? 'null').join(',')}}`}::uuid[]) as p(id)`)
}

/** How many siblings a category has, itself included. */
export function siblingsStatement(id: string): Statement<{ siblings: number }> {
  return statement<{ siblings: number }>(sql`
    select (case when me.parent_id is null then ${end(sql`parent_id is null`)} else ${end(sql`parent_id = me.parent_id`)} end)::int as siblings
      from categories me where me.tenant_id = current_tenant() and me.id = ${id}::uuid`)
}

/** The condition that selects the children of a parent; those of null are the roots. */
function childrenOf(parentId: string | null): SQL {
  return parentId === null ? sql`parent_id is null` : sql`parent_id = ${parentId}::uuid`
}

/** The position after the last sibling. */
function end(siblings: SQL): SQL {
  return sql`(select coalesce(max(position) + 1, 0) from categories where tenant_id = current_tenant() and ${siblings})`
}

export type NewRow = {
  readonly id: string
  readonly external_id: string | null
  readonly handle: string
  readonly title: string
  readonly parent_id: string | null
  readonly metaobject_ids: readonly string[]
  readonly document: string
  readonly translations: Translations
}

/** Inserts categories behind the last children of their parents, in the order given. */
export function appendRows(rows: readonly NewRow[]): Statement {
  return stepStatement({ do: 'append_categories', rows })
}

/** Moves categories behind the last children of a parent, in the order given. Their levels are still the old ones. */
export function reparent(ids: readonly string[], parentId: string | null): Statement[] {
  if (ids.length === 0) return []
  return [
    statement(sql`
      update categories c set parent_id = ${parentId}::uuid, position = ${end(childrenOf(parentId))} + m.n - 1
        from unnest(${uuids(ids)}) with ordinality as m(id, n)
       where c.tenant_id = current_tenant() and c.id = m.id`),
  ]
}

/** Ends the batch with `category.cycle` when one of the categories has come to stand above itself. */
export function refuseCycles(ids: readonly string[]): Statement {
  return statement(sql`
    with recursive up(start, id) as (
      select id, parent_id from categories where tenant_id = current_tenant() and id = any(${uuids(ids)}) and parent_id is not null
      union
      select up.start, c.parent_id from up join categories c on c.tenant_id = current_tenant() and c.id = up.id
       where c.parent_id is not null
    )
    select reject('PC422', 'category.cycle') from up where up.start = up.id`)
}

/** Ends the batch with `category.children` when a category's children are not those that were read, in their order. */
export function refuseOtherChildren(id: string, read: readonly string[]): Statement {
  return statement(sql`
    select reject('PC409', 'category.children')
     where array(select c.id from categories c where c.tenant_id = current_tenant() and c.parent_id = ${id}::uuid order by c.position)
           <> ${uuids(read)}`)
}

/** Sets the levels of moved categories and of all below them; the check constraint holds the depth of the tree. */
export function settleLevels(ids: readonly string[]): Statement {
  return statement(sql`
    with recursive moved(id) as (select unnest(${uuids(ids)})), up(start, id) as (
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
       -- Without it the planner expects a large subtree and reads the whole tenant.
       and c.id = any(array(select id from below))`)
}

/** Closes the gaps that removed children left under their old parents. */
export function closeGaps(parents: readonly (string | null)[]): Statement[] {
  return parents.map((each) => place(categories, each))
}
