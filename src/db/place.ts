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

/**
 * Puts rows at their final positions in one statement, however many they are: the siblings that are not named keep their
 * order and fill the places between. `placed` holds each id's position in the finished order; `family` tells families of
 * siblings apart where rows of several are placed at once.
 */
export function placeAll(
  table: AnyPgTable,
  siblings: SQL,
  placed: readonly { readonly id: string; readonly position: number }[],
  family: SQL = sql`true`,
): Statement {
  const list = sql`${JSON.stringify(placed.map(({ id, position }) => ({ id, position })))}::jsonb`
  return statement(sql`
    with placed as (
      select t.id, ${family} as family, p.position from jsonb_to_recordset(${list}) as p(id uuid, position int)
        join ${table} t on t.tenant_id = current_tenant() and t.id = p.id
    ), others as (
      select t.id, ${family} as family, row_number() over (partition by ${family} order by t.position, t.id) as n from ${table} t
       where t.tenant_id = current_tenant() and ${siblings} and t.id not in (select id from placed)
    ), sizes as (
      select family, count(*) as size from (select family from others union all select family from placed) as members group by family
    ), free as (
      select family, slot, row_number() over (partition by family order by slot) as n
        from sizes cross join lateral generate_series(0, size - 1) as slot
       where (family, slot) not in (select family, position from placed)
    ), numbered as (
      -- Counted anew, since a position may lie beyond the end that there is now.
      select id, row_number() over (partition by family order by position) - 1 as position from (
        select id, family, position from placed
        union all select others.id, family, free.slot from others join free using (family, n)
      ) as slots
    )
    update ${table} t set position = numbered.position from numbered
     where t.tenant_id = current_tenant() and t.id = numbered.id and t.position is distinct from numbered.position`)
}
