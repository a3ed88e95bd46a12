import { type SQL, sql } from 'drizzle-orm'

/**
 * The different values of a column that rows of the tenant have, in order and at most so many, as a query of one column, `value`. Each is
 * found behind the one before, in an index that begins with the tenant and the column: it takes as many looks as there are values,
 * however many rows have them. `shown` tells which rows count, as the index does.
 */
export function differentValues(table: string, column: string, shown: SQL, most: number): SQL {
  const name = sql.identifier(column)
  const next = (behind: SQL) => sql`select ${name} from ${sql.identifier(table)}
    where tenant_id = current_tenant() and ${shown} and ${behind} order by ${name} limit 1`
  return sql`
    with recursive known(value, nth) as (
      select (${next(sql`true`)}), 1
      union all
      select (${next(sql`${name} > known.value`)}), nth + 1 from known where value is not null and nth < ${most}
    )
    select value from known where value is not null`
}
