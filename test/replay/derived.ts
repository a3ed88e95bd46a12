/**
 * Rebuilds the rows that the service derives from the source tables. In the whole replay, only this file depends on how the database
 * stores derived rows. If that changes, this file changes and no recorded response does.
 */
import type pg from 'pg'
import { recountTenant } from '../../src/local/recount.ts'
import { enterTenant } from '../../src/local/transfer/tables.ts'

/** The clock of a tenant without events. */
const firstMoment = '2027-02-01T00:00:00Z'

/** `client` is connected as the owner of the database. */
export async function rebuildDerivedRows(client: pg.Client, tenantId: string): Promise<void> {
  const run = (statement: string) => client.query(statement, [tenantId])
  await run('insert into tenant_clock (tenant_id) values ($1) on conflict do nothing')
  // Totals, counts of offers, and the words by which searches find products.
  await recountTenant(client, await enterTenant(client, tenantId))
  await run('insert into collection_rules (tenant_id, version) values ($1, 1) on conflict do nothing')
  // The recorded events are old: the service sends no webhooks for them.
  await run('update events set fanned_out_at = occurred_at where tenant_id = $1')
  const { rows } = await client.query<{ moment: string; sequence: string }>(
    `select coalesce(max(occurred_at), '${firstMoment}')::text as moment, coalesce(max(sequence), 0)::text as sequence
       from events where tenant_id = $1`,
    [tenantId],
  )
  const { moment = firstMoment, sequence = '0' } = rows[0] ?? {}
  await client.query('update tenant_clock set sequence = $2 where tenant_id = $1', [tenantId, sequence])
  await setTenantClock(client, tenantId, moment)
  await run('delete from sale_offer_boundaries where tenant_id = $1')
  await run(`insert into sale_offer_boundaries (tenant_id, recorded_at)
    select tenant_id, last_at from tenant_clock where tenant_id = $1`)
}

/** Sets the clock that stamps a tenant's changes. `client` is connected as the owner of the database. */
export async function setTenantClock(client: pg.Client, tenantId: string, moment: string): Promise<void> {
  await client.query(`select set_config('app.tenant', $1, false)`, [tenantId])
  await client.query('update tenant_clock set last_at = $2 where tenant_id = $1', [tenantId, moment])
}
