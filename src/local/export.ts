import { command, flag, option, runHere, text } from './cli/command.ts'
import { databaseUrl, tenantName, withDatabase } from './cli/database.ts'
import { progressBar } from './cli/output.ts'
import { exportCatalogue } from './moving/export.ts'
import { enterTenant } from './moving/tenant.ts'

/** `npm run export`. */
export const exportCommand = command({
  name: 'export',
  summary:
    "Exports a tenant's catalogue to a file: products, options, values, variants, prices, purchase offers, categories, collections, metaobjects with their definitions, all translations, and webhook subscriptions without their secrets.",
  examples: ['npm run export -- --tenant acme'],
  options: {
    tenant: tenantName,
    file: option('FILE', 'the file to write or continue (default: NAME.ndjson)', text.optional()),
    'database-url': databaseUrl,
    json: flag('prints the result as JSON'),
  },
  notes: [
    'The service may run meanwhile. The command reads rows in pages. At the end it reads again what changed since the first page, in one snapshot. The last line of the file has the event sequence of this snapshot.',
    'If the command is interrupted, run it again: it continues the file. On a complete file it adds the changes since then.',
    'The file contains cost prices, so protect it like the database. It contains the URLs of pictures. Uploaded pictures remain in the bucket (.github/docs/operations.md, "Moving a catalogue").',
  ],
  async run({ tenant: name, file, 'database-url': url, json }, { print }) {
    const path = file ?? `${name}.ndjson`
    await withDatabase(url, async (client) => {
      const tenant = await enterTenant(client, name)
      const result = await exportCatalogue(client, tenant, path, { progress: progressBar() })
      const rows = Object.values(result.counts).reduce((sum, count) => sum + count, 0)
      print(
        json
          ? JSON.stringify({ file: path, tenant: tenant.host, ...result })
          : `${path} contains all ${rows} rows of ${tenant.host} at event sequence ${result.sequence}.`,
      )
    })
    return 0
  },
})

if (import.meta.main) await runHere(exportCommand)
