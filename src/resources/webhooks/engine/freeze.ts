/**
 * How a delivery is sent: as its subscription wants it and may see it when the delivery is made. Until something was sent
 * under its id, opening it anew takes what holds then; from the first attempt that may have arrived on, one id has one body.
 */
import { type SQL, sql } from 'drizzle-orm'
import { texts } from '../../../db/rows.ts'
import { unsent } from './failure.ts'
import { servedVersions } from './payload.ts'

/** The columns of a delivery that tell how it is sent. */
export const frozenColumns = sql`payload_version, locale, include_fields, scopes`

/** Those columns as they are for a subscription, `s`, at this moment; `tenant` is `tenantNow`. */
export const frozenNow = sql`tenant.served ->> coalesce(s.payload_version, tenant.settings ->> 'defaultApiVersion') as payload_version,
  coalesce(s.locale, tenant.settings -> 'locales' ->> 0) as locale, s.include_fields, s.scopes`

/** What `frozenNow` needs of the tenant: to be joined as `tenant`. */
export function tenantNow(now: Date): SQL {
  return sql`(select own_tenant() as settings, ${JSON.stringify(servedVersions(now))}::jsonb as served)`
}

/** Whether nothing was ever sent of a delivery, `d`. An attempt without an outcome may have arrived. */
export const isUnsent = sql`not exists (
  select from webhook_attempts a
   where a.tenant_id = d.tenant_id and a.delivery_id = d.id and (a.error is null or a.error <> all(${texts(unsent)})))`

/** Freezes a delivery, `d`, anew where nothing was ever sent of it, as an assignment. */
export function frozenAnew(now: Date): SQL {
  return sql`(${frozenColumns}) = (
    select ${frozenNow} from webhook_subscriptions s cross join ${tenantNow(now)} tenant
     where s.tenant_id = d.tenant_id and s.id = d.subscription_id and ${isUnsent}
     union all
    select d.payload_version, d.locale, d.include_fields, d.scopes where not ${isUnsent})`
}
