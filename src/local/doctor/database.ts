/** The database itself: reached with the right role, migrated, on time, and with secrets that the Worker can read. */
import type pg from 'pg'
import { secretKeys } from '../../env.ts'
import { keyIdOf } from '../../resources/webhooks/subscriptions/secrets.ts'
import { reasonOf } from '../cli/command.ts'
import { pendingMigrations } from '../migrate.ts'
import { heldByKeys } from '../secret-keys/stored.ts'
import { amount, type Finding, fail, ok, warn } from './finding.ts'

/** Whether every migration of this tree was applied to it, unchanged, and the functions of this tree last. */
export async function migrationFindings(client: pg.ClientBase): Promise<Finding[]> {
  try {
    const pending = await pendingMigrations(client)
    if (pending.length === 0) return [ok('migrations', 'all that are here, and the functions')]
    const next = 'npm run migrate -- --database-url URL, before the Worker is deployed'
    return [fail('migrations', `${pending.length} are to be applied: ${pending.join(', ')}`, next)]
  } catch (error) {
    return [
      fail(
        'migrations',
        reasonOf(error),
        'Take the commit that the database was migrated with, or a newer one.',
      ),
    ]
  }
}

/** Seconds by which the clocks may differ without a warning. Tokens are accepted with a difference of 5 s. */
const clocks = { warn: 1, fail: 5 }

/** How far the database's clock is from this machine's, the way there and back allowed for. */
export async function clockFindings(client: pg.ClientBase, now = Date.now): Promise<Finding[]> {
  const before = now()
  const { rows } = await client.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  const after = now()
  const difference = ((rows[0]?.ms ?? Number.NaN) - (before + after) / 2) / 1000
  const certain = Math.max(0, Math.abs(difference) - (after - before) / 2000)
  const seen = `the database's is ${Math.abs(difference).toFixed(2)} s ${difference < 0 ? 'behind' : 'ahead of'} this machine's`
  const next = 'See which of both is wrong: timedatectl here, select now() there.'
  if (certain >= clocks.fail) return [fail('clock', seen, next)]
  return [certain >= clocks.warn ? warn('clock', seen, next) : ok('clock', seen)]
}

/** Whether the keys decrypt every stored secret of webhooks. `given` is the value of WEBHOOK_SECRET_KEY. */
export async function secretFindings(client: pg.ClientBase, given: string | undefined): Promise<Finding[]> {
  const check = 'secret key'
  const held = await heldByKeys(client)
  const stored = held.reduce((sum, { secrets }) => sum + secrets, 0)
  if (!given?.trim()) {
    const ids = held.map(({ keyId }) => keyId ?? 'unnamed').join(', ')
    const seen = `WEBHOOK_SECRET_KEY is not given here; ${amount(stored, 'secret')}${ids && ` of ${ids}`}`
    return stored === 0
      ? [ok(check, seen)]
      : [warn(check, seen, 'Set it to what the Worker has, and run again.')]
  }
  const keys = secretKeys.safeParse(given.trim())
  if (!keys.success) {
    const next = 'openssl rand -base64 32 makes one; several are separated by commas, the newest first.'
    return [
      fail(check, 'WEBHOOK_SECRET_KEY is no keys of 32 bytes as base64: the Worker would not start', next),
    ]
  }
  const known = await Promise.all(keys.data.map(keyIdOf))
  const findings = held.flatMap(({ keyId, secrets }) => {
    if (keyId === null) {
      const seen = `${amount(secrets, 'secret')} of before keys had ids`
      return [warn(check, seen, 'npm run keys -- reencrypt names their key.')]
    }
    if (known.includes(keyId)) return []
    const seen = `${amount(secrets, 'secret')} of the key ${keyId}, which is not among ${known.join(', ')}`
    return [
      fail(check, seen, `Give the Worker the key ${keyId} too; where it is lost, these need rotate_secret.`),
    ]
  })
  return findings.length > 0 ? findings : [ok(check, `${amount(stored, 'secret')}, of ${known.join(', ')}`)]
}
