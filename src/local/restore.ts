import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { SecretKeys } from '../core/operation.ts'
import { openDatabase } from '../db/client.ts'
import { localSecretKeys, secretKeys } from '../env.ts'
import { startBridge } from './bridge.ts'
import { demandDirect } from './migrate.ts'
import { Refused } from './moving/file.ts'
import { showProgress } from './moving/progress.ts'
import { type Restored, restoreCatalogue } from './moving/restore.ts'
import { enterTenant } from './moving/tenant.ts'
import { ownerUrlFrom } from './owner-url.ts'

const help = `Restores an export into an empty tenant: the same ids, documents, translations, order and dates of creation.

  npm run restore -- acme.ndjson --tenant other

  --tenant NAME        the tenant: its host, the first label of it, or its id (required)
  --into-filled        also where the tenant has a catalogue: adds the rows that it lacks by their id
  --database-url URL   the owner's direct connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --json               prints the outcome as JSON
  --help               this text

Each row is told in the tenant's events as created; versions begin anew. Webhook subscriptions are paused and have new secrets, which
rotate_secret shows; WEBHOOK_SECRET_KEY, as the Worker has it, encrypts these (not needed on this machine). Addresses of pictures
stay, and so do uploaded pictures in the bucket. After a break, run the same command again: rows that are there are left as they are. It ends by comparing how many rows of each kind there are and what they say.
Exit code: 0 when the tenant has what the file has; 1 otherwise, and for a mistake in the command.`

const options = {
  tenant: { type: 'string' },
  'into-filled': { type: 'boolean', default: false },
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
  const ownerUrl = await ownerUrlFrom(values['database-url'])
  demandDirect(ownerUrl)
  const keys = keysFor(ownerUrl)
  // Neon speaks the service's protocol itself; in front of any other Postgres stands the bridge.
  const bridge = /\.neon\.(?:tech|build)$/.test(new URL(ownerUrl).hostname)
    ? null
    : await startBridge({ server: ownerUrl })
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => {})
  try {
    await client.connect()
    const tenant = await enterTenant(client, values.tenant)
    const session = openDatabase({ url: ownerUrl, fetchEndpoint: bridge?.endpoint }).open(tenant.id)
    const done = await restoreCatalogue(
      {
        client,
        session,
        tenant,
        secretKeys: keys,
        progress: showProgress(),
        intoFilled: values['into-filled'],
      },
      path,
    )
    console.log(values.json ? JSON.stringify({ file: path, tenant: tenant.host, ...done }) : table(done))
    return done.equal ? 0 : 1
  } finally {
    await client.end()
    await bridge?.close()
  }
}

function keysFor(ownerUrl: string): SecretKeys {
  const given = process.env.WEBHOOK_SECRET_KEY?.trim()
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(ownerUrl).hostname)
  if (!given && isLocal) return localSecretKeys
  const read = secretKeys.safeParse(given)
  if (read.success) return read.data
  throw new Refused(
    'Set WEBHOOK_SECRET_KEY to what the Worker has: it encrypts the new secrets of subscriptions.',
  )
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
