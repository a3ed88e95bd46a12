/**
 * The catalogues of the demo tenants: files of `npm run export`. To change one, change it in a local service and export it again:
 * `npm run export -- --tenant acme --file src/local/demo/acme.ndjson`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { localSecretKeys } from '../env.ts'
import { noProgress } from './cli/output.ts'
import type { DemoName } from './local-tenants.ts'
import { restoreCatalogue } from './transfer/restore.ts'
import { enterTenant, type MovingTenant } from './transfer/tables.ts'

/** The folder of the pictures that the catalogues show, which `npm start` serves next to `/admin`. */
export const demoPictures = join(import.meta.dirname, 'demo/pictures')

/**
 * Restores a demo catalogue into a tenant that was never written to; otherwise it does nothing. Returns the number of rows.
 * `port` is the one under which browsers find the pictures. `client` is connected as the owner.
 */
export async function restoreDemo(
  client: pg.Client,
  name: DemoName,
  { tenantId, port }: { readonly tenantId: string; readonly port: number },
): Promise<number> {
  const { rows } = await client.query('select from tenant_clock where tenant_id = $1 and sequence > 0', [
    tenantId,
  ])
  if (rows.length > 0) return 0
  const tenant = await enterTenant(client, tenantId)
  const text = readFileSync(join(import.meta.dirname, `demo/${name}.ndjson`), 'utf8').replaceAll(
    'http://localhost:8787/',
    `http://localhost:${port}/`,
  )
  const directory = mkdtempSync(join(tmpdir(), 'demo-'))
  try {
    const path = join(directory, `${name}.ndjson`)
    writeFileSync(path, text)
    const restoring = { client, tenant, secretKeys: localSecretKeys, progress: noProgress, isEdited: true }
    const { kinds } = await restoreCatalogue(restoring, path)
    await fixDocumentedIds(client, tenant)
    return kinds.reduce((sum, { written }) => sum + written, 0)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/**
 * Gives the events of the restored rows ids that follow from their rows, and adds a delivery of each to the paused subscription. The
 * documentation names an event and a delivery, which then exist in each local service.
 */
async function fixDocumentedIds(client: pg.Client, { id, locales }: MovingTenant): Promise<void> {
  // The time and version of a row's UUIDv7, and other random digits.
  const derived = (use: string) =>
    `overlay(resource_id::text placing left(md5('${use}' || resource_id), 12) from 25)::uuid`
  await client.query(
    `with named as (
       update events set id = ${derived('event')}, request_id = '01a221d0-a224-721d-988c-9b89761e248b'
        where tenant_id = $1 returning *
     )
     insert into webhook_deliveries (tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id,
            resource_version, next_attempt_at, created_at, payload_version, locale, include_fields, scopes)
     select s.tenant_id, ${derived('delivery')}, s.id, e.id, e.sequence, e.topic, e.kind, e.resource_id,
            e.resource_version, e.occurred_at, e.occurred_at, coalesce(s.payload_version, e.api_version), coalesce(s.locale, $2), s.include_fields, s.scopes
       from named e join webhook_subscriptions s on s.tenant_id = e.tenant_id and s.topic = any(topic_patterns(e.topic))`,
    [id, locales[0]],
  )
}
