import { statSync } from 'node:fs'
import { command, flag, runHere, UsageError } from './cli/command.ts'
import { databaseUrl, tenantName, withDatabase } from './cli/database.ts'
import { progressBar, table } from './cli/output.ts'
import { type Restored, restoreCatalogue } from './moving/restore.ts'
import { enterTenant } from './moving/tenant.ts'
import { keysFor } from './secret-keys/given.ts'

/** `npm run restore`. */
export const restoreCommand = command({
  name: 'restore',
  summary:
    'Restores an export into an empty tenant, with the same ids, documents, translations, order and creation dates.',
  examples: ['npm run restore -- acme.ndjson --tenant other'],
  argument: { name: 'FILE', missing: 'The file is required: npm run restore -- acme.ndjson --tenant other' },
  options: {
    tenant: tenantName,
    'into-filled': flag('allows a tenant that has a catalogue, and adds the rows whose ids it does not have'),
    edited: flag('accepts an edited file: checks its lines, but not its digest'),
    'database-url': databaseUrl,
    json: flag('prints the result as JSON'),
  },
  notes: [
    'The command checks the whole file before it writes, and lists each fault with its line. One transaction then writes all rows or none. After a failure the tenant is unchanged, and the command can be run again. At the end it compares the rows of the tenant with the file.',
    'Each row is recorded as a created event. Versions begin at 1. Webhook subscriptions are paused and have new secrets, which rotate_secret shows. WEBHOOK_SECRET_KEY encrypts them and must have the same value as in the Worker; the Postgres of "npm start" does not need it. Picture URLs and uploaded pictures in the bucket stay unchanged.',
  ],
  exitCodes: '0 the tenant has the rows of the file, 1 it has not or the command failed',
  async run({ argument: path, tenant: name, edited, json, ...values }, { print }) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new UsageError(`There is no file ${path}.`)
    const url = values['database-url']
    const secretKeys = keysFor(url)
    if (!secretKeys)
      throw new UsageError(
        'Set WEBHOOK_SECRET_KEY to its value in the Worker: it encrypts the new secrets of subscriptions.',
      )
    return withDatabase(url, async (client) => {
      const tenant = await enterTenant(client, name)
      const restoring = { client, tenant, secretKeys, progress: progressBar() }
      const result = await restoreCatalogue(
        { ...restoring, intoFilled: values['into-filled'], isEdited: edited },
        path,
      )
      print(json ? JSON.stringify({ file: path, tenant: tenant.host, ...result }) : resultText(result))
      return result.equal ? 0 : 1
    })
  },
})

function resultText({ kinds, equal }: Restored): string {
  const rows = kinds.map(({ kind, exported, written, present, same }) => [
    kind,
    exported,
    written,
    present,
    same ? 'yes' : 'no',
  ])
  const ending = equal
    ? 'The tenant has the rows of the file.'
    : 'The tenant differs from the file in each kind that is not the same: rows were added, changed or deleted.'
  return `${table([['kind', 'in file', 'written', 'in tenant', 'same'], ...rows])}\n${ending}`
}

if (import.meta.main) await runHere(restoreCommand)
