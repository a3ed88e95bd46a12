import { sql } from 'drizzle-orm'
import { statement } from '../../../db/client.ts'
import { gathered, made, nothing, type Reading } from '../../../db/reading.ts'
import { texts } from '../../../db/rows.ts'

/** Which of some external ids belong to offers of a table that are not archived. */
export function takenReading(
  table: 'sale_offers' | 'purchase_offers',
  externalIds: readonly string[],
): Reading<readonly { readonly externalId: string }[]> {
  if (externalIds.length === 0) return made(nothing, () => [])
  const taken = statement<{
    externalId: string
  }>(sql`select external_id as "externalId" from ${sql.identifier(table)}
    where tenant_id = current_tenant() and status <> 'ARCHIVED' and external_id = any(${texts(externalIds)})`)
  return made(gathered({ taken }), (read) => read.taken)
}
