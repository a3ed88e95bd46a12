/**
 * The catalogues of the demo tenants: files of `npm run export`. To change one, change it in a local service and export it again:
 * `npm run export -- --tenant acme --file src/local/demo/acme.ndjson`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { localSecretKeys } from '../env.ts'
import { noProgress } from './cli/output.ts'
import type { DemoName } from './local-tenants.ts'
import { restoreCatalogue } from './transfer/restore.ts'
import { enterTenant, type MovingTenant, newestMigration } from './transfer/tables.ts'

const names: readonly DemoName[] = ['acme', 'globex']

const exportOf = (name: DemoName): string =>
  readFileSync(join(import.meta.dirname, `demo/${name}.ndjson`), 'utf8')

/** The file names of all pictures, which `drawPictures()` draws. */
export function demoPictures(): string[] {
  return names.flatMap((name) => exportOf(name).match(/demo-[\w-]+\.svg/g) ?? [])
}

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
  const migration = await newestMigration(client)
  const text = exportOf(name)
    .replace(/"migration":"[^"]*"/, `"migration":"${migration}"`)
    .replaceAll('http://localhost:8787/', `http://localhost:${port}/`)
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

/** Pictures of the demo products, drawn here so that a catalogue without the internet has some. */

/** Draws the pictures that a folder lacks. What a picture shows follows from words of its name. */
export function drawPictures(files: readonly string[], directory: string): void {
  mkdirSync(directory, { recursive: true })
  for (const file of files) {
    const path = join(directory, file)
    if (!existsSync(path)) writeFileSync(path, drawing(file))
  }
}

const stroke =
  'fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"'
const shirt = '<path d="M23 13 10 20l5 11 6-3v25h22V28l6 3 5-11-13-7q-9 8-18 0z"/>'
const wheels = `<g ${stroke}><circle cx="17" cy="42" r="10"/><circle cx="47" cy="42" r="10"/>`

/** The drawings, by a word of the file's name; the first match counts. */
const shapes: readonly (readonly [word: RegExp, shape: string])[] = [
  [/t-shirt/, shirt],
  [
    /hoodie/,
    `${shirt}<path d="M22 14q10-9 20 0-2 9-10 9t-10-9z" opacity=".6"/><path d="M25 38h14l3 8H22z" fill="#fff" opacity=".35"/>`,
  ],
  [/jacket/, `${shirt}<path d="M32 18v35" stroke="#fff" stroke-width="2" opacity=".7"/>`],
  [/tote/, `<path d="M17 26h30l2 27H15z"/><path d="M24 30V20a8 8 0 0 1 16 0v10" ${stroke}/>`],
  [
    /beanie/,
    '<circle cx="32" cy="16" r="5"/><path d="M15 40a17 19 0 0 1 34 0z"/><rect x="12" y="39" width="40" height="10" rx="4" opacity=".75"/>',
  ],
  [
    /socks/,
    '<path d="M20 11h13v22l11 9a6 6 0 0 1-5 11h-8a10 10 0 0 1-11-10z"/><path d="M20 11h13v6H20z" fill="#fff" opacity=".5"/>',
  ],
  [
    /espresso|guji/,
    '<path d="M20 12h24l4 10v31H16V22z"/><rect x="22" y="29" width="20" height="16" rx="2" fill="#fff" opacity=".8"/><ellipse cx="32" cy="37" rx="4" ry="6"/>',
  ],
  [/kettle/, `<path d="M20 29h23l5 24H15z"/><path d="M22 29q10-16 20 0M46 36q7-2 5-13l6-4" ${stroke}/>`],
  [
    /mug|cup/,
    `<path d="M15 20h28v28a5 5 0 0 1-5 5H20a5 5 0 0 1-5-5z"/><path d="M43 27h4a6 6 0 0 1 0 14h-4" ${stroke}/>`,
  ],
  [/lamp/, `<path d="M23 11h18l8 20H15z"/><path d="M32 31v20M21 53h22" ${stroke}/>`],
  [
    /bed/,
    '<path d="M9 22h4v30H9zM51 34h4v18h-4z"/><rect x="13" y="36" width="38" height="12" rx="2"/><rect x="15" y="28" width="14" height="8" rx="3" opacity=".55"/>',
  ],
  [
    /pot/,
    '<path d="M18 31h28l-4 22H22z"/><path d="M16 26h32v7H16z" opacity=".8"/><path d="M32 26q-12-3-11-14 11 2 11 14 1-10 10-11 0 10-10 11z" fill="#4d7c0f"/>',
  ],
  [/bike|gravel/, `${wheels}<path d="M17 42l9-18h16l5 18M26 24l8 18 8-18M22 20h8M40 20h6"/></g>`],
  [
    /helmet/,
    '<path d="M9 42a23 24 0 0 1 46 0z"/><path d="M20 40q2-14 8-18M44 40q-2-14-8-18" stroke="#fff" stroke-width="3" fill="none" opacity=".7"/><rect x="9" y="42" width="46" height="5" rx="2" opacity=".7"/>',
  ],
  [/headlight/, `<circle cx="26" cy="32" r="12"/><path d="M44 20l8-5M46 32h10M44 44l8 5" ${stroke}/>`],
  [
    /tyre/,
    `<circle cx="32" cy="32" r="20" fill="none" stroke="currentColor" stroke-width="8"/><circle cx="32" cy="32" r="20" fill="none" stroke="#fff" stroke-width="2" stroke-dasharray="3 4" opacity=".6"/>`,
  ],
  [/tent/, '<path d="M32 13 58 51H6z"/><path d="M32 27l11 24H21z" fill="#fff" opacity=".45"/>'],
  [
    /sleeping/,
    '<rect x="17" y="9" width="30" height="46" rx="13"/><rect x="22" y="13" width="20" height="12" rx="6" fill="#fff" opacity=".6"/>',
  ],
  [
    /stove/,
    '<path d="M16 20h32v14H16z"/><path d="M12 22h4v4h-4zM48 22h4v4h-4zM22 46h20l4 8H18z"/><path d="M32 45q-6-4-1-10 5 5 1 10z" fill="#ea580c"/>',
  ],
  [/trousers/, '<path d="M21 11h22l5 43H37l-5-26-5 26H16z"/>'],
]

const colours: readonly (readonly [word: RegExp, ink: string, ground: string])[] = [
  [/navy/, '#1e3a5f', '#dbe7f3'],
  [/white|tote|linen|cup/, '#a8a29e', '#f5f1ea'],
  [/grey|socks|tyre/, '#6b7280', '#eceef1'],
  [/mustard|beanie|yellow|brass|lamp/, '#c98a0a', '#fdf3d7'],
  [/black|kettle|trousers|headlight/, '#27272a', '#e7e5e4'],
  [/espresso/, '#6b3f1d', '#f3e5d8'],
  [/guji|pot|stove/, '#b45333', '#fbe6dc'],
  [/tent|gravel/, '#3f6b3a', '#e3efdf'],
  [/./, '#2563a8', '#dfeaf7'],
]

function drawing(file: string): string {
  const shape = shapes.find(([word]) => word.test(file))?.[1] ?? '<circle cx="32" cy="32" r="16"/>'
  const [, ink, ground] = colours.find(([word]) => word.test(file))!
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="${ground}"/><g color="${ink}" fill="${ink}">${shape}</g></svg>\n`
}
