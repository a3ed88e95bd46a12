import { parseArgs } from 'node:util'
import pg from 'pg'
import { demandDirect } from './migrate.ts'
import { exportCatalogue } from './moving/export.ts'
import { Refused } from './moving/file.ts'
import { showProgress } from './moving/progress.ts'
import { enterTenant } from './moving/tenant.ts'
import { ownerUrlFrom } from './owner-url.ts'

const help = `Exports a tenant's whole catalogue into a file: products, options, values, variants, prices, purchase offers,
categories, collections, metaobjects with their definitions, all translations, webhook subscriptions without their secrets.

  npm run export -- --tenant acme

  --tenant NAME        the tenant: its host, the first label of it, or its id (required)
  --file FILE          where to (default NAME.ndjson); a file that is there is gone on with
  --database-url URL   the owner's direct connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --json               prints the outcome as JSON
  --help               this text

The service goes on meanwhile. Rows are read a page at a time; what changed since the first page is read again at the end, in one
snapshot, at whose event sequence the file is then whole: its last line says so. After a break, run the same command again. Run
again on a whole file, it adds what has changed since. The file has what goods cost: keep it like the database. It has the addresses of
pictures; those that were uploaded stay in the bucket (.github/operations.md, "Moving a catalogue").
Exit code: 0 when the file is whole; 1 for a mistake in the command, a file that does not fit, or a database that is away.`

const options = {
  tenant: { type: 'string' },
  file: { type: 'string' },
  'database-url': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) return console.log(help)
  const { tenant: name, json } = values
  if (!name) throw new Refused('Name the tenant: --tenant acme')
  const path = values.file ?? `${name}.ndjson`
  const connectionString = await ownerUrlFrom(values['database-url'])
  demandDirect(connectionString)
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    const tenant = await enterTenant(client, name)
    const done = await exportCatalogue(client, tenant, path, { progress: showProgress() })
    const rows = Object.values(done.counts).reduce((sum, each) => sum + each, 0)
    if (json) console.log(JSON.stringify({ file: path, tenant: tenant.host, ...done }))
    else
      console.log(`${path} has the ${rows} rows of ${tenant.host}, whole at event sequence ${done.sequence}.`)
  } finally {
    await client.end()
  }
}

main().catch((error: Error) => {
  console.error(`${error.message}\nSee: npm run export -- --help`)
  process.exitCode = 1
})
