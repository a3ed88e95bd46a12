import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { SecretKeys } from '../core/operation.ts'
import { localSecretKeys, secretKeys } from '../env.ts'
import { decryptSecret, encryptSecret, keyIdOf } from '../resources/webhooks/subscriptions/secrets.ts'
import { command, commands, flag, runHere, type Surroundings, UsageError } from './cli/command.ts'
import { databaseUrl, isDevelopment, transaction, withDatabase } from './cli/database.ts'
import { noProgress, type Progress, progressBar, table } from './cli/output.ts'

/** The keys in WEBHOOK_SECRET_KEY; null if it is not set. @throws UsageError if it is not valid */
export function keysInEnvironment(): SecretKeys | null {
  const given = process.env.WEBHOOK_SECRET_KEY?.trim()
  if (!given) return null
  const read = secretKeys.safeParse(given)
  if (!read.success)
    throw new UsageError(
      'WEBHOOK_SECRET_KEY is keys of 32 bytes as base64, separated by commas, newest first.',
    )
  return read.data
}

/** The keys for a database: those in WEBHOOK_SECRET_KEY, else for the database that `npm start` runs its fixed key, else null. */
export function keysFor(databaseUrl: string | undefined): SecretKeys | null {
  return keysInEnvironment() ?? (isDevelopment(databaseUrl) ? localSecretKeys : null)
}

/** How many stored secrets a key still holds. */
export type Held = {
  readonly keyId: string
  readonly secrets: number
}

/** The number of re-encrypted secrets, and the subscriptions whose secret no available key decrypts. */
export type Reencrypted = { readonly secrets: number; readonly unreadable: readonly string[] }

type Stored = {
  readonly place: 'secret' | 'previous_secret' | 'idempotency_keys'
  readonly tenantId: string
  /** Of the subscription. */
  readonly id: string
  readonly secret: string
}

/**
 * All stored ciphertext: current secrets, previous secrets that also sign for a day, and secrets in responses that are stored for
 * a day for repeated requests.
 */
const stored = `
  select 'secret' as place, tenant_id, id, secret from webhook_subscriptions
  union all
  select 'previous_secret', tenant_id, id, previous_secret from webhook_subscriptions where previous_secret is not null
  union all
  select 'idempotency_keys', tenant_id, (result #>> '{result,parts,id}')::uuid, result #>> '{result,secret}'
    from idempotency_keys where operation in ('createSubscription', 'rotateSecret')`

const keyId = `split_part(secret, '.', 4)`

/** Counts the stored secrets of all tenants by their key. `client` is connected as the owner. */
export async function heldByKeys(client: pg.ClientBase): Promise<Held[]> {
  await demandSight(client)
  const { rows } = await client.query<Held>(
    `select ${keyId} as "keyId", count(*)::int as secrets from (${stored}) as s group by 1 order by 2 desc, 1`,
  )
  return rows
}

/** Secrets of one step: each step is a transaction of its own. */
const step = 100

/**
 * Encrypts every stored secret of another key again, with the newest key, in steps. A secret that is replaced meanwhile stays
 * unchanged.
 */
export async function reencrypt(
  client: pg.ClientBase,
  keys: SecretKeys,
  progress: Progress = noProgress,
): Promise<Reencrypted> {
  const newest = await keyIdOf(keys[0])
  const total = (await heldByKeys(client))
    .filter((each) => each.keyId !== newest)
    .reduce((sum, each) => sum + each.secrets, 0)
  progress.start(total)
  const unreadable = new Set<string>()
  let [done, after] = [0, ['', '', '', '']]
  for (;;) {
    const { rows } = await client.query<Stored>(
      `select place, tenant_id as "tenantId", id, secret from (${stored}) as s
        where ${keyId} is distinct from $1 and (place, tenant_id::text, id::text, secret) > ($2, $3, $4, $5)
        order by place, tenant_id::text, id::text, secret limit ${step}`,
      [newest, ...after],
    )
    const last = rows.at(-1)
    if (!last) return { secrets: done, unreadable: [...unreadable] }
    await transaction(client, async () => {
      for (const each of rows) {
        const owner = { tenantId: each.tenantId, id: each.id }
        const plain = await decryptSecret(each.secret, keys, owner).catch(() => null)
        if (plain === null) unreadable.add(`${each.tenantId}/${each.id}`)
        else done += await replace(client, each, await encryptSecret(plain, keys, owner))
      }
    })
    after = [last.place, last.tenantId, last.id, last.secret]
    progress.show('secrets', done)
  }
}

async function replace(client: pg.ClientBase, old: Stored, secret: string): Promise<number> {
  const updated = {
    secret: 'update webhook_subscriptions set secret = $1 where tenant_id = $2 and id = $3 and secret = $4',
    previous_secret:
      'update webhook_subscriptions set previous_secret = $1 where tenant_id = $2 and id = $3 and previous_secret = $4',
    idempotency_keys: `update idempotency_keys set result = jsonb_set(result, '{result,secret}', to_jsonb($1::text))
      where tenant_id = $2 and (result #>> '{result,parts,id}')::uuid = $3 and result #>> '{result,secret}' = $4`,
  }[old.place]
  const { rowCount } = await client.query(updated, [secret, old.tenantId, old.id, old.secret])
  return rowCount ?? 0
}

/** Without the right to see past row security nothing would be found, and an old key would seem to hold nothing. */
async function demandSight(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ sees: boolean }>(
    'select rolsuper or rolbypassrls as sees from pg_roles where rolname = current_user',
  )
  if (!rows[0]?.sees)
    throw new Error("The database's role cannot see past row security. Give the owner's connection string.")
}

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
    'The newest key in WEBHOOK_SECRET_KEY has the role "encrypts and decrypts", its other keys "decrypts", and a key that is not in it "not available". Without WEBHOOK_SECRET_KEY every role is "not tried".',
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
2. Wait five minutes: Workers of the former version know only the old key. Then set WEBHOOK_SECRET_KEY to the same value here, and run:
     npm run keys -- reencrypt --database-url …
3. When the old key encrypts no more secrets, give the Worker only the new key, the part before the first comma, as in step 1:
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
  const ids = [...new Set([...available, ...stored.map((row) => row.keyId)])]
  const rows = ids.map((keyId) => ({
    keyId,
    secrets: stored.find((row) => row.keyId === keyId)?.secrets ?? 0,
    role: keys ? roleOf(keyId, available) : 'not tried: no WEBHOOK_SECRET_KEY',
  }))
  print(
    json
      ? JSON.stringify(rows)
      : table([
          ['key', 'secrets', 'role'],
          ...rows.map(({ keyId, secrets, role }) => [keyId, secrets, role]),
        ]),
  )
  return rows.some(({ role, secrets }) => role === notAvailable && secrets > 0 && keys) ? 1 : 0
}

/** The role of a key that encrypts stored secrets and is not in WEBHOOK_SECRET_KEY. */
const notAvailable = 'not available'

function roleOf(keyId: string, available: readonly string[]): string {
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
