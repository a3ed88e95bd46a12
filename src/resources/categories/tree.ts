import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { LockedRow } from '../../core/plan.ts'
import { type RowOf, type Statement, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { reorder, run, type WriteStep } from '../../db/write-steps.ts'
import { categoryRow } from './document.ts'
import { categories } from './table.ts'

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

/** Reads categories, all their ancestors, and the children of the stored one. */
export function nodesStatement(
  ids: readonly string[],
  stored: { readonly id: string | SQL | null; readonly withChildren: boolean } = noNode,
): Statement<Node> {
  return statement(nodeColumns)`
    with recursive up(id) as (
      select unnest(${uuidArray(ids)} || ${stored.id}::uuid)
      union
      select c.parent_id from up join categories c on c.tenant_id = current_tenant() and c.id = up.id
       where c.parent_id is not null
    )
    select c.id, c.parent_id as "parentId", c.level, c.version from categories c
     where c.tenant_id = current_tenant() and c.id in (
       select id from up union all
       select k.id from categories k where k.tenant_id = current_tenant() and ${stored.withChildren}::boolean and k.parent_id = ${stored.id}::uuid)`
}

const noNode = { id: null, withChildren: false }

export type ChildrenRow = RowOf<typeof childrenColumns>
const childrenColumns = { parentId, children: z.number() }

/** Counts the children of each parent; null counts the roots. */
export function childrenStatement(parents: readonly (string | null)[]): Statement<ChildrenRow> {
  return statement(childrenColumns)`
    select p.id as "parentId",
           (case when p.id is null then ${nextPosition(sql`parent_id is null`)} else ${nextPosition(sql`parent_id = p.id`)} end)::int as children
      from unnest(${`{${parents.map((parent) => parent ?? 'null').join(',')}}`}::uuid[]) as p(id)`
}

/** Counts the siblings of a category, including itself. */
export function siblingsStatement(id: string | SQL): Statement<{ siblings: number }> {
  return statement({ siblings: z.number() })`
    select (case when me.parent_id is null then ${nextPosition(sql`parent_id is null`)} else ${nextPosition(sql`parent_id = me.parent_id`)} end)::int as siblings
      from categories me where me.tenant_id = current_tenant() and me.id = ${id}::uuid`
}

/** The condition that selects the children of a parent; null selects the roots. */
export function childrenOf(parentId: string | null): SQL {
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
