import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import { type Statement, statement } from './client.ts'

/**
 * Renumbers siblings so that `moved` stand at `at` (0-based, beyond the end is the end) in the given order, and
 * everyone's position is gapless. `siblings` is the condition that selects them. Rows already in place are not touched.
 */
export function place(table: AnyPgTable, siblings: SQL, moved: readonly string[] = [], at = 0): Statement {
  const list = sql`${JSON.stringify(moved)}::jsonb`
  return statement(sql`
    with others as (
      select id, row_number() over (order by position, id) - 1 as n from ${table}
       where tenant_id = current_tenant() and ${siblings} and not (${list} ? id::text)
    ), ordered as (
      select id, n from others where n < ${at}
      union all
      select m.id::uuid, ${at} + m.n - 1 from jsonb_array_elements_text(${list}) with ordinality as m(id, n)
      union all
      select id, n + ${moved.length} from others where n >= ${at}
    ), numbered as (select id, row_number() over (order by n) - 1 as position from ordered)
    update ${table} t set position = numbered.position from numbered
     where t.tenant_id = current_tenant() and t.id = numbered.id and t.position is distinct from numbered.position`)
}
