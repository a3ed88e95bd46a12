import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { demandDirect } from './migrate.ts'
import { Refused } from './moving/file.ts'
import { showProgress } from './moving/progress.ts'
import { type Restored, restoreCatalogue } from './moving/restore.ts'
import { enterTenant } from './moving/tenant.ts'
import { ownerUrlFrom } from './owner-url.ts'
import { keysFor } from './secret-keys/given.ts'

const help = `Restores an export into an empty tenant: the same ids, documents, translations, order and dates of creation.

  npm run restore -- acme.ndjson --tenant other

  --tenant NAME        the tenant: its host, the first label of it, or its id (required)
  --into-filled        also where the tenant has a catalogue: adds the rows that it lacks by their id
  --edited             accepts a file that was changed on purpose: its digest is not checked, its lines are
  --database-url URL   the owner's direct connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --json               prints the outcome as JSON
  --help               this text

The file is checked before anything is written: every fault is listed with its line. One transaction then writes all of it or
nothing. After a failure, the tenant is as it was: run the command again. It ends by comparing the rows in the tenant with the file.

Each row is in the tenant's events as created; versions begin at 1. Webhook subscriptions are paused and have new secrets, which
rotate_secret shows. WEBHOOK_SECRET_KEY, as the Worker has it, encrypts these. It is not needed for the Postgres of "npm start".
Addresses of pictures stay, and so do uploaded pictures in the bucket.
Exit code: 0 when the tenant has what the file has; 1 otherwise, and for a mistake in the command.`

const options = {
  tenant: { type: 'string' },
  'into-filled': { type: 'boolean', default: false },
  edited: { type: 'boolean', default: false },
  'database-url': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) {
    console.log(help)
    return 0
  }
  const [path, ...others] = positionals
  if (!path || others.length > 0) throw new Refused('Name one file.')
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Refused(`There is no file ${path}.`)
  if (!values.tenant) throw new Refused('Name the tenant: --tenant NAME')
  const secretKeys = keysFor(values['database-url'])
  if (!secretKeys)
    throw new Refused(
      'Set WEBHOOK_SECRET_KEY to the value that the Worker has: it encrypts the new secrets of subscriptions.',
    )
  const connectionString = await ownerUrlFrom(values['database-url'])
  demandDirect(connectionString)
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    const tenant = await enterTenant(client, values.tenant)
    const done = await restoreCatalogue(
      {
        client,
        tenant,
        secretKeys,
        progress: showProgress(),
        intoFilled: values['into-filled'],
        isEdited: values.edited,
      },
      path,
    )
    console.log(values.json ? JSON.stringify({ file: path, tenant: tenant.host, ...done }) : table(done))
    return done.equal ? 0 : 1
  } finally {
    await client.end()
  }
}

function table({ kinds, equal }: Restored): string {
  const line = (...cells: readonly (string | number)[]) =>
    cells.map((each, index) => (index === 0 ? String(each).padEnd(24) : String(each).padStart(10))).join('')
  return [
    line('kind', 'in file', 'written', 'in tenant', 'same'),
    ...kinds.map((each) =>
      line(each.kind, each.exported, each.written, each.present, each.same ? 'yes' : 'no'),
    ),
    equal
      ? 'The tenant has what the file has.'
      : 'The tenant differs from the file in each kind that is not the same: it has rows of its own, or some have been changed or are missing.',
  ].join('\n')
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: Error) => {
    console.error(`${error.message}\nSee: npm run restore -- --help`)
    process.exitCode = 1
  },
)
