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
    await addBulkOperation(client, tenant.id)
    return kinds.reduce((sum, { written }) => sum + written, 0)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Adds a finished and a cancelled bulk operation, which the documentation names. The finished one created a category. */
async function addBulkOperation(client: pg.Client, tenantId: string): Promise<void> {
  const id = '01a22a60-2b1c-7d11-8c55-0f6a2b9d4c31'
  const problem = {
    type: '/api/error-codes/VAL-1003',
    title: 'validation.blank',
    status: 422,
    detail:
      'title: The text is empty or consists of white space alone. Send a text with at least one visible character.',
    message: 'This field cannot be left blank.',
  }
  const problems = [{ line: 2, status: 422, problem }]
  const actor = { subject: 'demo', client: 'demo', person: false, scopes: [], permissions: [], token: null }
  await client.query(
    `insert into bulk_operations (tenant_id, id, version, created_at, updated_at, status, actor, request_id, origin, api_version, locale,
            is_strict, stops_on_error, is_dry_run, lines, bytes, processed, succeeded, failed, problems, started_at, finished_at)
     select $1, o.id::uuid, 2, now() - o.age, now(), o.status, $3, o.id, '', '2026-10', 'en-US',
            false, false, false, 2, 161, o.processed, o.processed / 2, o.processed / 2, o.problems, now() - interval '1 s', now()
       from (values ($2, 'FINISHED', interval '2 s', 2, $4::jsonb),
                    ('01a22a60-7a10-7f3e-9b0d-5d1c2e8f4a72', 'CANCELLED', interval '9 s', 0, '[]')) as o(id, status, age, processed, problems)`,
    [tenantId, id, JSON.stringify(actor), JSON.stringify(problems)],
  )
  await client.query(
    `insert into bulk_operation_results (tenant_id, operation_id, line, status, is_assumed, resource, problem)
     select $1::uuid, $2::uuid, 1, 201, false, '/api/categories/' || min(id::text), null from categories where tenant_id = $1
      union all select $1, $2, 2, 422, false, null, $3`,
    [tenantId, id, JSON.stringify(problem)],
  )
  // The event of its first line, so that it can be undone.
  await client.query(
    `with event as (
       update events set request_id = $2
        where tenant_id = $1 and kind = 'categories' and resource_id = (select min(id::text)::uuid from categories where tenant_id = $1) returning *
     )
     update bulk_operations b set created_at = event.occurred_at - interval '1 s' from event where b.tenant_id = $1 and b.id = $2::uuid`,
    [tenantId, id],
  )
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
