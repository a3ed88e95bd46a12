import type pg from 'pg'
import type { SecretKeys } from '../../core/operation.ts'
import { decryptSecret, encryptSecret, keyIdOf } from '../../resources/webhooks/subscriptions/secrets.ts'
import { noProgress, type Progress } from '../cli/output.ts'

/** How many stored secrets a key still holds. */
export type Held = {
  /** Null for ciphertext from before it named its key. */
  readonly keyId: string | null
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

const keyId = `nullif(split_part(secret, '.', 4), '')`

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
    await client.query('begin')
    try {
      for (const each of rows) {
        const owner = { tenantId: each.tenantId, id: each.id }
        const plain = await decryptSecret(each.secret, keys, owner).catch(() => null)
        if (plain === null) unreadable.add(`${each.tenantId}/${each.id}`)
        else done += await replace(client, each, await encryptSecret(plain, keys, owner))
      }
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
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
