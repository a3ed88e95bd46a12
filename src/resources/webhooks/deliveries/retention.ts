import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'

/** Days that a delivery and its attempts are kept, and that one waits for a subscription to be resumed. */
export const deliveryDays = 30
const heldDays = 90

/** Drops a tenant's old deliveries with their attempts, up to `most` of them; answers how many. */
export function dropOldDeliveries(now: Date, most: number): Statement<{ dropped: number }> {
  const before = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  return statement<{ dropped: number }>(sql`
    with dropped as (
      delete from webhook_deliveries where tenant_id = current_tenant() and id in (
        select id from webhook_deliveries
         where tenant_id = current_tenant() and created_at < ${before(deliveryDays)}::timestamptz
           and (status <> 'PENDING' or created_at < ${before(heldDays)}::timestamptz)
         order by created_at limit ${most})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}
