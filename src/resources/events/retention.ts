import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../db/client.ts'
import { oldest } from './store.ts'

/**
 * Drops the documents of a tenant's events that are too old, up to `most` of them; answers how many. The last document of
 * an option, a value or a variant that was current when the period began stays: events of its product that are still
 * young show it.
 */
export function dropOldDocuments(now: Date, most: number): Statement<{ dropped: number }> {
  const age = oldest(now)
  return statement<{ dropped: number }>(sql`
    with dropped as (
      update events set document = null where tenant_id = current_tenant() and sequence in (
        select e.sequence from events e
         where e.tenant_id = current_tenant() and e.occurred_at < ${age}::timestamptz and e.document is not null
           and (e.owner_id is null or exists (
             select from events later
              where later.tenant_id = e.tenant_id and later.kind = e.kind and later.resource_id = e.resource_id
                and later.sequence > e.sequence and later.occurred_at < ${age}::timestamptz))
         order by e.sequence limit ${most})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}
