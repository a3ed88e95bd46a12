import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { SecretKeys } from '../core/operation.ts'
import { keyIdOf } from '../resources/webhooks/subscriptions/secrets.ts'
import { demandDirect } from './migrate.ts'
import { ownerUrlFrom } from './owner-url.ts'
import { keysFor, keysInEnvironment } from './secret-keys/given.ts'
import { heldByKeys, reencrypt } from './secret-keys/stored.ts'

const help = `Rotates the keys that encrypt the signing secrets of webhook subscriptions. No subscriber notices.

  npm run keys -- rotate      makes a new key and tells the steps; changes nothing
  npm run keys -- reencrypt   encrypts all stored secrets with the newest key, in steps; may be run again at any time
  npm run keys -- list        tells how many stored secrets each key still holds

  --database-url URL   the owner's connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --value              of rotate: prints nothing but the new value, for a pipe
  --json               prints JSON in place of text
  --help               this text

WEBHOOK_SECRET_KEY holds the keys as the Worker has them: base64, separated by commas, the newest first. The newest encrypts,
all of them decrypt; on the Postgres of "npm start", reencrypt and list do without. A key is shown by its id, the first 8 digits of its SHA-256, and never by itself but in rotate.
The role of a key in list: "writes and reads" is the newest of them, "reads" another one, "not at hand" one that is not among them.
Exit code: 0; 1 for a mistake in the command, or a secret that no key at hand can read.`

const options = {
  'database-url': { type: 'string' },
  value: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

type Output = { readonly json: boolean; readonly value: boolean }

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [command, ...others] = positionals
  if (values.help) {
    console.log(help)
    return 0
  }
  if (others.length > 0) throw new Error('Give one command: rotate, reencrypt or list.')
  if (command === 'rotate') return rotate(keysInEnvironment(), values)
  if (command !== 'reencrypt' && command !== 'list')
    throw new Error('Give a command: rotate, reencrypt or list.')
  const keys = keysFor(values['database-url'])
  const connectionString = await ownerUrlFrom(values['database-url'])
  demandDirect(connectionString)
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return command === 'list'
      ? await list(client, keys, values)
      : await reencryptAll(client, demanded(keys), values)
  } finally {
    await client.end()
  }
}

function demanded(keys: SecretKeys | null): SecretKeys {
  if (keys) return keys
  throw new Error('Set WEBHOOK_SECRET_KEY to what the Worker has: the new key, a comma, the old one.')
}

async function rotate(old: SecretKeys | null, { json, value }: Output): Promise<number> {
  const fresh = randomBytes(32).toString('base64')
  const whole = [fresh, ...demandedForRotation(old)].join(',')
  const keyId = await keyIdOf(fresh)
  if (value) console.log(whole)
  else if (json) console.log(JSON.stringify({ keyId, value: whole }))
  else
    console.log(`A new key, ${keyId}. The value of WEBHOOK_SECRET_KEY with it in front:

  ${whole}

1. Keep the value where you keep secrets, and give it to the Worker, which from then on encrypts with the new key and reads both:
     npx wrangler secret put WEBHOOK_SECRET_KEY --env production
2. Set WEBHOOK_SECRET_KEY to the same value here, and encrypt anew what is stored:
     npm run keys -- reencrypt --database-url …
3. When no secret is of the old key any more, give the Worker the new key alone, in the same way:
     npm run keys -- list --database-url …`)
  return 0
}

/** The Worker does not show its secrets, so that the old key must be at hand: without it every stored secret would be lost. */
function demandedForRotation(old: SecretKeys | null): SecretKeys {
  if (old) return old
  throw new Error(
    'Set WEBHOOK_SECRET_KEY to the key that the Worker has now: the new one is put in front of it. A lost key cannot be rotated; ' +
      'then every subscription needs rotate_secret. The Worker of "npm start" has a fixed one, which is not rotated.',
  )
}

async function list(client: pg.Client, keys: SecretKeys | null, { json }: Output): Promise<number> {
  const held = await heldByKeys(client)
  const known = await Promise.all((keys ?? []).map(keyIdOf))
  const ids = [...new Set<string | null>([...known, ...held.map((each) => each.keyId)])]
  const rows = ids.map((keyId) => ({
    keyId,
    secrets: held.find((each) => each.keyId === keyId)?.secrets ?? 0,
    role: keyId !== null && keyId === known[0] ? 'writes and reads' : roleOf(keyId, known),
  }))
  if (json) console.log(JSON.stringify(rows))
  else {
    console.log('key       secrets  role')
    for (const { keyId, secrets, role } of rows)
      console.log(`${(keyId ?? 'unnamed').padEnd(8)}  ${String(secrets).padStart(7)}  ${role}`)
  }
  return rows.some(({ role, secrets }) => role === notAtHand && secrets > 0 && keys) ? 1 : 0
}

/** The role of a key that stored secrets name and nobody has given: nothing here decrypts what it holds. */
const notAtHand = 'not at hand'

function roleOf(keyId: string | null, known: readonly string[]): string {
  if (keyId === null) return 'stored before keys had ids; reencrypt names their key'
  return known.includes(keyId) ? 'reads' : notAtHand
}

async function reencryptAll(client: pg.Client, keys: SecretKeys, { json }: Output): Promise<number> {
  const newest = await keyIdOf(keys[0])
  const { secrets, unreadable } = await reencrypt(client, keys, (done, total) =>
    process.stderr.write(`${done} of ${total} secrets\n`),
  )
  if (json) console.log(JSON.stringify({ keyId: newest, secrets, unreadable }))
  else {
    console.log(`${secrets} secrets were encrypted anew with key ${newest}.`)
    for (const each of unreadable)
      console.log(`No key at hand reads the secret of ${each} (tenant/subscription).`)
  }
  return unreadable.length > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\nSee: npm run keys -- --help`)
  process.exitCode = 1
}
