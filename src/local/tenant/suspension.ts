import type pg from 'pg'
import { Failure } from '../cli/command.ts'
import { findTenant, type StoredTenant, transaction } from './stored.ts'

/**
 * Makes the service answer 503 at a tenant's hosts and hold its webhooks back, within a minute. A suspended tenant stays unchanged.
 * @throws Failure where its removal has begun
 */
export async function suspendTenant(client: pg.ClientBase, tenant: StoredTenant): Promise<StoredTenant> {
  demandNotRemoving(tenant)
  await client.query(
    `update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1 and status = 'ACTIVE'`,
    [tenant.id],
  )
  return findTenant(client, tenant.id)
}

/** For how long what waited is safe from housekeeping: a delivery is attempted over three and a half days. */
const keptFor = '4 days'

/**
 * Serves a tenant again. Deliveries continue as if no time had passed: none is deleted for its age before it had its attempts, and no
 * subscription is disabled for failures from before.
 * @throws Failure where its removal has begun
 */
export async function resumeTenant(client: pg.ClientBase, tenant: StoredTenant): Promise<StoredTenant> {
  demandNotRemoving(tenant)
  await transaction(client, tenant.id, async () => {
    await client.query(
      `with resumed as (select id, suspended_at from tenants where id = $1 and status = 'SUSPENDED')
       update webhook_subscriptions s set failing_since = s.failing_since + (now() - resumed.suspended_at)
         from resumed where s.tenant_id = resumed.id and s.failing_since is not null`,
      [tenant.id],
    )
    await client.query(
      `update tenants set status = 'ACTIVE', suspended_at = null, kept_until = now() + $2::interval
        where id = $1 and status = 'SUSPENDED'`,
      [tenant.id, keptFor],
    )
  })
  return findTenant(client, tenant.id)
}

function demandNotRemoving({ host, status }: StoredTenant): void {
  if (status !== 'REMOVING') return
  throw new Failure(
    `The removal of ${host} has begun, and part of it is gone. Finish it: npm run tenant -- remove ${host} --without-export`,
  )
}
