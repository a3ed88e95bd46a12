import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { texts } from '../../../db/rows.ts'

/** Which of some external ids belong to offers of a table that are not archived. */
export function takenStatement(
  table: 'sale_offers' | 'purchase_offers',
  externalIds: readonly string[],
): Statement<{ externalId: string }> {
  return statement<{
    externalId: string
  }>(sql`select external_id as "externalId" from ${sql.identifier(table)}
    where tenant_id = current_tenant() and status <> 'ARCHIVED' and external_id = any(${texts(externalIds)})`)
}
