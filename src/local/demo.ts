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
import { restoreCatalogue } from './transfer/restore.ts'
import { enterTenant, newestMigration } from './transfer/tables.ts'

export type DemoName = 'acme' | 'globex'
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
    return kinds.reduce((sum, { written }) => sum + written, 0)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
