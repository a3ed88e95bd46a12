import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { SecretKeys } from '../core/operation.ts'
import { keyIdOf } from '../resources/webhooks/subscriptions/secrets.ts'
import { command, commands, flag, runHere, type Surroundings, UsageError } from './cli/command.ts'
import { databaseUrl, withDatabase } from './cli/database.ts'
import { progressBar, table } from './cli/output.ts'
import { keysFor, keysInEnvironment } from './secret-keys/given.ts'
import { heldByKeys, reencrypt } from './secret-keys/stored.ts'

type Print = Surroundings['print']

const json = flag('prints the result as JSON')

const rotateCommand = command({
  name: 'keys rotate',
  summary: 'Creates a key, and prints the next steps. It changes nothing.',
  examples: ['WEBHOOK_SECRET_KEY=… npm run keys -- rotate'],
  options: { value: flag('prints only the new value, for a pipe'), json },
  run: async ({ value, json }, { print }) => rotate(print, keysInEnvironment(), { value, json }),
})

const reencryptCommand = command({
  name: 'keys reencrypt',
  summary: 'Encrypts all stored secrets with the newest key, in steps. It can be run again at any time.',
  examples: ['WEBHOOK_SECRET_KEY=… npm run keys -- reencrypt --database-url …'],
  options: { 'database-url': databaseUrl, json },
  exitCodes: '0 done, 1 failed or no available key decrypts a secret',
  run: ({ 'database-url': url, json }, { print }) => {
    const keys = keysFor(url)
    if (!keys)
      throw new UsageError(
        'Set WEBHOOK_SECRET_KEY to its value in the Worker: the new key, a comma, the old key.',
      )
    return withDatabase(url, (client) => reencryptAll(print, client, keys, json))
  },
})

const listCommand = command({
  name: 'keys list',
  summary: 'Lists how many stored secrets each key encrypts.',
  examples: ['WEBHOOK_SECRET_KEY=… npm run keys -- list --database-url …'],
  options: { 'database-url': databaseUrl, json },
  notes: [
    'The role of a key is "encrypts and decrypts" for the newest key in WEBHOOK_SECRET_KEY, "decrypts" for its other keys, and "not available" for a key that is not in it.',
  ],
  exitCodes: '0 done, 1 failed or no available key decrypts a secret',
  run: ({ 'database-url': url, json }, { print }) =>
    withDatabase(url, (client) => list(print, client, keysFor(url), json)),
})

/** `npm run keys`. */
export const keysCommand = commands({
  name: 'keys',
  summary:
    'Rotates the keys that encrypt the signing secrets of webhook subscriptions. Subscribers notice nothing.',
  parts: [rotateCommand, reencryptCommand, listCommand],
  notes: [
    'WEBHOOK_SECRET_KEY has the same value as in the Worker: keys as base64, separated by commas, newest first. The newest key encrypts, and all keys decrypt. For the Postgres of "npm start", reencrypt and list do not need it. Keys are named by their ids, the first 8 digits of their SHA-256. Only rotate prints a key.',
  ],
})

async function rotate(
  print: Print,
  old: SecretKeys | null,
  { value, json }: { readonly value: boolean; readonly json: boolean },
): Promise<number> {
  const newKey = randomBytes(32).toString('base64')
  const whole = [newKey, ...requiredForRotation(old)].join(',')
  const keyId = await keyIdOf(newKey)
  if (value) print(whole)
  else if (json) print(JSON.stringify({ keyId, value: whole }))
  else
    print(`The new key is ${keyId}. The value of WEBHOOK_SECRET_KEY that begins with it:

  ${whole}

1. Store the value with your secrets, and give it to the Worker. The Worker then encrypts with the new key and decrypts with both:
     npx wrangler secret put WEBHOOK_SECRET_KEY --env production
2. Set WEBHOOK_SECRET_KEY to the same value here, and encrypt the stored secrets again:
     npm run keys -- reencrypt --database-url …
3. When the old key encrypts no more secrets, give the Worker only the new key, in the same way:
     npm run keys -- list --database-url …`)
  return 0
}

/** The Worker does not show its secrets, so the old key is required. Without it, every stored secret would be lost. */
function requiredForRotation(old: SecretKeys | null): SecretKeys {
  if (old) return old
  throw new UsageError(
    'Set WEBHOOK_SECRET_KEY to the current key of the Worker: the new value begins with the new key and ends with it. A lost key ' +
      'cannot be rotated; every subscription then needs rotate_secret. The Worker of "npm start" has a fixed key, which is not rotated.',
  )
}

async function list(
  print: Print,
  client: pg.Client,
  keys: SecretKeys | null,
  json: boolean,
): Promise<number> {
  const stored = await heldByKeys(client)
  const available = await Promise.all((keys ?? []).map(keyIdOf))
  const ids = [...new Set<string | null>([...available, ...stored.map((row) => row.keyId)])]
  const rows = ids.map((keyId) => ({
    keyId,
    secrets: stored.find((row) => row.keyId === keyId)?.secrets ?? 0,
    role: roleOf(keyId, available),
  }))
  print(
    json
      ? JSON.stringify(rows)
      : table([
          ['key', 'secrets', 'role'],
          ...rows.map(({ keyId, secrets, role }) => [keyId ?? 'unnamed', secrets, role]),
        ]),
  )
  return rows.some(({ role, secrets }) => role === notAvailable && secrets > 0 && keys) ? 1 : 0
}

/** The role of a key that encrypts stored secrets and is not in WEBHOOK_SECRET_KEY. */
const notAvailable = 'not available'

function roleOf(keyId: string | null, available: readonly string[]): string {
  if (keyId === null) return 'stored before keys had ids; reencrypt adds the id'
  if (keyId === available[0]) return 'encrypts and decrypts'
  return available.includes(keyId) ? 'decrypts' : notAvailable
}

async function reencryptAll(
  print: Print,
  client: pg.Client,
  keys: SecretKeys,
  json: boolean,
): Promise<number> {
  const newest = await keyIdOf(keys[0])
  const progress = progressBar()
  const { secrets, unreadable } = await reencrypt(client, keys, progress).finally(() => progress.stop())
  if (json) print(JSON.stringify({ keyId: newest, secrets, unreadable }))
  else {
    print(`${secrets} secrets were encrypted again with the key ${newest}.`)
    for (const id of unreadable) print(`No available key decrypts the secret of ${id} (tenant/subscription).`)
  }
  return unreadable.length > 0 ? 1 : 0
}

if (import.meta.main) await runHere(keysCommand)
